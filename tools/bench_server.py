"""A scripted provider for the benchmarks: a process of its own that answers at once.

What it says is that of a long episode in Chinese: searches, pages read, drafts, a report.
It keeps nothing: how many assistant messages a body holds says which turn comes next, and
the model's name, `scripted-<decisions>`, says which one is the last.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_ASSISTANT = re.compile(rb'"role": ?"assistant"')
_MODEL = re.compile(rb'"model": ?"scripted-(\d+)"')
_LENGTH = re.compile(rb"content-length: ?(\d+)", re.IGNORECASE)
_WORDS = re.findall(
    r"\S+",
    """练习 演讲 每周 计划 先写 三句话 再录音 回听 改一处 成本 时间 俱乐部 主持 反馈 同事 汇报 会议
    目标 阶段 记录 语速 停顿 手势 眼神 结构 例子 数据 结论 问题 提问 回答 准备 清单 复盘 坚持 两个月
    可以 应当 不必 因为 所以 如果 那么 比较 适合 建议 第一 第二 最后 同时 另外 一般""",
)
PATH = "report.md"


@cache
def passage(chars: int, salt: int) -> str:
    """Exactly `chars` characters that compress about as prose does; others for every `salt`."""
    state, text = salt + 1, ""
    while len(text) < chars:
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        word, place = divmod(state >> 33, 16)
        text += _WORDS[word % len(_WORDS)] + {0: "，", 1: "，", 2: "。\n"}.get(place, "")
    return text[:chars]


Call = tuple[str, dict[str, str]]


def script(number: int, last: int, *, files: bool) -> list[Call]:
    """The calls of turn `number`; none in the last one, which closes the episode."""
    if number == last:
        return []
    if number == last - 1:
        report = {"path": PATH} if files else {"content": passage(4000, number)}
        return [("submit_file" if files else "submit_report", report)]
    if files and number in (1, last - 2):
        whole = {"path": PATH, "content": passage(4000 if number > 1 else 600, number)}
        return [("list_files", {}), ("write_file", whole)]
    if number % 6 == 0:
        return [_save(number, files=files)]
    return _look(number)


def _save(number: int, *, files: bool) -> Call:
    if not files:
        return "write_report", {"content": passage(2500, number)}
    if number % 12 == 0:
        return "read_file", {"path": PATH}
    return "write_file", {"path": PATH, "content": passage(2500, number)}


def _look(number: int) -> list[Call]:
    if number % 2:
        queries = [f"领导力 公开演讲 练习 计划 {number}", f"演讲俱乐部 活动 时间 {number}"]
        return [("search", {"query": q}) for q in queries[: 2 if number % 8 == 1 else 1]]
    return [("read", {"url": f"https://pages.example/articles/{number % 9 + 1}"})]


@cache
def completion(number: int, last: int, *, files: bool) -> bytes:
    """The body of turn `number` as a provider sends it."""
    calls = [
        {
            "id": f"call_{number:04d}_{place}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args, ensure_ascii=False)},
        }
        for place, (name, args) in enumerate(script(number, last, files=files))
    ]
    message: dict[str, Any] = {"role": "assistant", "content": passage(60, number)}
    if calls:
        message["tool_calls"] = calls
    finish = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 900 * number, "completion_tokens": 400, "total_tokens": 900 * number}
    payload = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": f"scripted-{last}",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }
    return json.dumps(payload, ensure_ascii=False).encode()


def answer(body: bytes) -> bytes:
    """The HTTP response to one request body."""
    model = _MODEL.search(body)
    if model is None:
        return b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"
    number = len(_ASSISTANT.findall(body)) + 1
    said = completion(number, int(model[1]), files=b'"write_file"' in body)
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(said)}\r\n"
    return head.encode() + b"\r\n" + said


class _Connection(asyncio.Protocol):
    """One kept-alive connection: request bodies in, scripted answers out."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._out = transport
        self._parts: list[bytes] = []
        self._missing = -1

    def data_received(self, data: bytes) -> None:
        self._parts.append(data)
        if self._missing < 0:
            self._read_head()
        else:
            self._missing -= len(data)
        if self._missing == 0:
            body = b"".join(self._parts)
            self._parts, self._missing = [], -1
            self._out.write(answer(body))

    def _read_head(self) -> None:
        head, end, body = b"".join(self._parts).partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if end and length is not None:
            self._parts, self._missing = [body], int(length[1]) - len(body)


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


@contextmanager
def serving() -> Iterator[str]:
    """Start the provider on a free port; yields its base URL, and ends the process after."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


if __name__ == "__main__":
    asyncio.run(_serve())
