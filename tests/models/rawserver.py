"""A server that writes bytes as told: whatever a provider, a proxy or a broken line may send."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from draligned.models.client import OpenAIChatModel
from draligned.schema.chat import AttemptRecord
from draligned.schema.config import AttemptPolicy, ModelConfig, ProviderConfig

from .doubles import FakeClock

WIRES = [("chat", False), ("chat", True), ("responses", False), ("responses", True)]


def http(
    body: bytes | str = b"", status: int = 200, length: int | None = None, **headers: str
) -> bytes:
    """One answer; `length` other than the body's is a lie. `_` in names stands for `-`."""
    raw = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(raw) if length is None else length}"]
    lines += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + raw


def chunked(*pieces: bytes, whole: bool = True, **headers: str) -> list[bytes]:
    """An answer in chunks, each written alone; without its end where it is not `whole`."""
    lines = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"]
    lines += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
    head = "\r\n".join([*lines, "", ""]).encode()
    body = [f"{len(p):x}\r\n".encode() + p + b"\r\n" for p in pieces if p]
    return [head, *body, *([b"0\r\n\r\n"] if whole else [])]


@dataclass
class RawServer:
    """Gives its answers in order, the last one for ever."""

    script: list[bytes | list[bytes]]
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    url: str = ""
    written: int = 0
    before_answer: Callable[[], Any] | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and hang up."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {k.lower(): v.strip() for k, _, v in (h.partition(":") for h in head[1:])}
            raw = await reader.readexactly(int(headers.get("content-length", "0")))
            self.asked.append((head[0].split()[1], headers, json.loads(raw)))
            said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            if self.before_answer is not None:
                await self.before_answer()
            for piece in said if isinstance(said, list) else [said]:
                writer.write(piece)
                await writer.drain()
                self.written += len(piece)
                await asyncio.sleep(0)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def talking(
    *script: bytes | Sequence[bytes], tries: int = 3, config: Any = None, **fields: Any
) -> AsyncIterator[tuple[OpenAIChatModel, RawServer, list[AttemptRecord]]]:
    """A model over a raw server on loopback, and its ledger."""
    raw = RawServer([s if isinstance(s, bytes) else list(s) for s in script])
    server = await asyncio.start_server(raw.serve, "127.0.0.1", 0)
    raw.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    policy = fields.pop("policy", None) or AttemptPolicy(
        tries=tries, backoff_seconds=0.0, timeout_seconds=10.0, retry_after_cap_seconds=0.5
    )
    ledger: list[AttemptRecord] = []
    model = OpenAIChatModel(
        "m",
        config or ModelConfig(provider="p", model="wanted"),
        "p",
        ProviderConfig(base_url=raw.url, attempts=policy, **fields),
        record=ledger.append,
        purpose="agent",
        clock=FakeClock(),
    )
    try:
        yield model, raw, ledger
    finally:
        await model.aclose()
        server.close()
        await server.wait_closed()


USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "input_tokens": 9, "output_tokens": 4}


def said(api: str, *, stream: bool, text: str | None, calls: Sequence[Any] = ()) -> bytes:
    """A sound body over a wire; `calls` are (id, name, arguments)."""
    finish = "tool_calls" if calls else "stop"
    made: list[dict[str, Any]] = [
        {"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls
    ]
    if api == "chat" and not stream:
        message: dict[str, Any] = {"role": "assistant", "content": text, "tool_calls": made}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return _json({"model": "echoed", "choices": [choice], "usage": USAGE})
    if api == "chat":
        deltas: list[dict[str, Any]] = [{"content": c} for c in text or ""]
        deltas += [{"tool_calls": [{"index": i, **c}]} for i, c in enumerate(made)]
        events: list[Any] = [_chunk(d, None) for d in deltas] + [_chunk({}, finish)]
        return _sse([*events, {"choices": [], "usage": USAGE}, "[DONE]"])
    items: list[Any] = []
    if text:
        part = {"type": "output_text", "text": text}
        items.append({"type": "message", "role": "assistant", "content": [part]})
    for i, n, a in calls:
        items.append({"type": "function_call", "call_id": i, "name": n, "arguments": a})
    whole = {"model": "echoed", "status": "completed", "output": items, "usage": USAGE}
    if not stream:
        return _json(whole)
    done = [
        {"type": "response.output_item.done", "output_index": n, "item": item}
        for n, item in enumerate(items)
    ]
    return _sse([*done, {"type": "response.completed", "response": whole}])


def _chunk(delta: Any, finish: str | None) -> dict[str, Any]:
    return {
        "model": "echoed",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _json(payload: Any) -> bytes:
    return json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _sse(events: Sequence[Any]) -> bytes:
    lines = [e if isinstance(e, str) else _json(e).decode("utf-8", "surrogatepass") for e in events]
    return "".join(f"data: {line}\n\n" for line in lines).encode("utf-8", "surrogatepass")
