"""Episodes and packets for tests of the rehearsal app."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from draligned.rehearsal.app import answer
from draligned.rehearsal.wire import Asked, completion

ZH = (
    "任务：\n我想在半年内提升领导力和沟通能力，请给我一份可以执行的计划。\n\n"
    "用户背景：\n- 基础属性/年龄：30\n\n用户情况：\n我目前常住杭州。"
)
EN = (
    "Task:\nPlease plan six months of public speaking and leadership practice for me.\n\n"
    "User background:\n- age: 30\n\nAbout the user:\nI live in Leeds."
)
HITS = (
    "[ok] done\n<<<search abc\n1. A page\n   https://en.corpus.draligned.invalid/1/first-talk\n"
    "   snippet\n2. Another\n   https://en.corpus.draligned.invalid/1/voice\n   more\nabc search>>>"
)


def offered(**tools: Sequence[str]) -> list[dict[str, Any]]:
    """Tools of string parameters, by name."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {"properties": {p: {"type": "string"} for p in parameters}},
            },
        }
        for name, parameters in tools.items()
    ]


COUPLED = offered(
    search=["query"], read=["url"], submit_report=["content"], write_report=["content"]
)
FILES = offered(
    list_files=[],
    read_file=["path"],
    write_file=["path", "content"],
    edit_file=["path", "old", "new"],
    search=["query"],
    read=["url"],
    submit_file=["path"],
)
SAVED = offered(search=["query"], read=["url"], submit_report=[], write_report=["content"])


def ask(model: str, messages: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """The message of one reply, with its stop reason under `finish`."""
    body = {"model": model, "messages": messages, **fields}
    asked = Asked(json.dumps(body).encode(), body)
    choice = completion(asked, answer(asked))["choices"][0]
    return {**choice["message"], "finish": choice["finish_reason"]}


def episode(
    user: str,
    *,
    model: str = "rehearsal-agent-a",
    tools: list[dict[str, Any]] = COUPLED,
    seed: int = 0,
    result: Callable[[str], str] = lambda _name: HITS,
    system: str = "Research.",
    seed_step: int = 0,
    **overrides: Any,
) -> list[dict[str, Any]]:
    """All assistant messages of one episode; `seed_step` changes the seed with every call."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    said = []
    for turn in range(100):
        message = ask(
            model,
            messages,
            tools=tools,
            seed=seed + turn * seed_step,
            **({"rehearsal": overrides} if overrides else {}),
        )
        said.append(message)
        messages.append({k: v for k, v in message.items() if k != "finish"})
        if not message.get("tool_calls"):
            return said
        for call in message["tool_calls"]:
            text = result(call["function"]["name"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    raise AssertionError("the episode never ended")


def calls(said: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """Decoded arguments of all sound calls of these tools, in order."""
    out = []
    for message in said:
        for call in message.get("tool_calls", ()):
            if call["function"]["name"] in names:
                try:
                    out.append(json.loads(call["function"]["arguments"]))
                except ValueError:
                    continue
    return out


def request_packet(
    requests: list[tuple[str, str]], alpha: list[str], beta: list[str], **fields: Any
) -> dict[str, Any]:
    """A packet of requests as (tool, text)."""
    return {
        "kind": "requests",
        "question": "q",
        "guidance": "g",
        "alpha": {"sentence": f"I live in {alpha[0]}.", "words": alpha},
        "beta": {"sentence": f"I live in {beta[0]}.", "words": beta},
        "requests": [
            {"no": i, "tool": tool, "request": text, "context_only": False}
            for i, (tool, text) in enumerate(requests, 1)
        ],
        **fields,
    }


def document_packet(
    text: str,
    alpha: tuple[str, list[str]] = ("我目前常住杭州。", ["杭州"]),
    beta: tuple[str, list[str]] = ("我目前常住深圳。", ["深圳"]),
) -> dict[str, Any]:
    """A packet of a text whose paragraphs are its lines."""
    lines = text.strip().splitlines(keepends=True)
    return {
        "kind": "document",
        "factor": "F",
        "question": "q",
        "guidance": "g",
        "alpha": {"sentence": alpha[0], "words": alpha[1]},
        "beta": {"sentence": beta[0], "words": beta[1]},
        "paragraphs": [{"no": i, "text": line} for i, line in enumerate(lines, 1)],
    }


EXACT = {"abstain": 0, "flip": 0, "order_bias": 0}


def read(packet: dict[str, Any], *, seed: int = 0, **errors: float) -> list[dict[str, Any]]:
    """Cells or items of a packet, by default read without planted errors."""
    user = "Label this packet.\n" + json.dumps(packet, ensure_ascii=False, indent=2)
    message = ask(
        "rehearsal-reader",
        [{"role": "system", "content": "protocol"}, {"role": "user", "content": user}],
        seed=seed,
        rehearsal={**EXACT, **errors},
    )
    reply = json.loads(message["content"])
    found = reply["cells" if packet["kind"] == "requests" else "items"]
    assert isinstance(found, list)
    return found


def main_advice(items: list[dict[str, Any]]) -> list[str]:
    """Directions of the items that count as the document's own main advice (Q9)."""
    return [
        i["direction"]
        for i in items
        if i["actor"] == "AGENT"
        and i["role"] == "MAIN"
        and i["action"] in ("RECOMMEND", "CONDITION")
    ]


def swapped(packet: dict[str, Any]) -> dict[str, Any]:
    """The packet with its endpoints the other way round."""
    return {**packet, "alpha": packet["beta"], "beta": packet["alpha"]}
