"""What a strict provider hears: one shape for both interfaces, and what it would refuse."""

import json
import re
from typing import Any, NamedTuple

from draligned.schema.base import sha256_text

from .wires import Wire

Json = dict[str, Any]


class Heard(NamedTuple):
    """One request, read as a strict provider reads it."""

    wire: Wire
    model: str
    seed: int | None
    messages: list[Json]
    """As chat messages, whatever the interface."""
    tools: dict[str, Json]
    """Parameters by name, in the order declared."""
    limit: int | None
    """Output tokens allowed."""
    digest: str
    """Hash of the body: equal for equal requests."""
    key: str

    @property
    def turns(self) -> int:
        """Turns of the assistant so far in this context."""
        return sum(m["role"] == "assistant" for m in self.messages)

    @property
    def user(self) -> str:
        """The first user message."""
        return next(str(m["content"]) for m in self.messages if m["role"] == "user")

    @property
    def episode(self) -> str:
        """The name of the episode, which stands in its first user message."""
        found = re.search(r"ep-\d+", self.user)
        return found[0] if found else ""


def hear(path: str, headers: dict[str, str], raw: bytes) -> Heard:
    """Read a request. Raises `ValueError` for one that no provider would read."""
    text = raw.decode("utf-8")
    text.encode("utf-8")
    body = json.loads(text, parse_constant=_refuse)
    api = "responses" if path.endswith("/responses") else "chat"
    if not path.endswith(("/responses", "/chat/completions")):
        raise ValueError(f"no such address: {path}")
    tools = [t.get("function", t) for t in body.get("tools", ())]
    limits = ("max_tokens", "max_completion_tokens", "max_output_tokens")
    return Heard(
        wire=Wire(api, bool(body.get("stream"))),
        model=body["model"],
        seed=body.get("seed"),
        messages=_messages(body) if api == "responses" else body["messages"],
        tools={t["name"]: t["parameters"] for t in tools},
        limit=next((body[k] for k in limits if k in body), None),
        digest=sha256_text(text),
        key=headers.get("authorization", "").removeprefix("Bearer "),
    )


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} in a request")


def _messages(body: Json) -> list[Json]:
    """The input of a response request as chat messages."""
    out: list[Json] = []
    if isinstance(body.get("instructions"), str):
        out.append({"role": "system", "content": body["instructions"]})
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind == "function_call":
            _add_call(out, item)
        elif kind == "function_call_output":
            said = {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
            out.append(said)
        elif kind == "message":
            out.append({"role": item["role"], "content": _text(item["content"])})
        elif kind != "reasoning":
            raise ValueError(f"an input item of kind {kind}")
    return out


def _add_call(out: list[Json], item: Json) -> None:
    """A call belongs to the assistant message before it, if that is its turn."""
    if out[-1]["role"] != "assistant":
        out.append({"role": "assistant", "content": None})
    function = {"name": item["name"], "arguments": item["arguments"]}
    call = {"id": item["call_id"], "type": "function", "function": function}
    out[-1].setdefault("tool_calls", []).append(call)


def _text(content: Any) -> Any:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def complaints(heard: Heard) -> list[str]:
    """What a strict provider would answer 400 to, or a purist would."""
    found = [] if heard.messages[0]["role"] == "system" else ["it does not begin with a system"]
    if heard.messages[1]["role"] != "user":
        found.append("its second message is not the user's")
    ids: list[str] = []
    waiting: list[str] = []
    for message in heard.messages:
        if message["role"] == "tool":
            if not waiting or message["tool_call_id"] != waiting.pop(0):
                found.append("a result answers no call, or not the next one")
            continue
        if waiting:
            found.append("a call has no result")
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        ids += waiting
        found += [p for c in message.get("tool_calls") or () if (p := _unsound(c))]
    if waiting:
        found.append("the last calls have no results")
    if len(set(ids)) != len(ids) or not all(ids):
        found.append("call ids are empty or repeated")
    return found


def _unsound(call: Json) -> str:
    try:
        sound = isinstance(json.loads(call["function"]["arguments"], parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        sound = False
    return "" if sound else "the arguments of an earlier call are no JSON object"
