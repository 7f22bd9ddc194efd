"""Requests and replies of the OpenAI chat protocol, as the rehearsal app reads and writes them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from draligned.models.tokens import estimate_tokens
from draligned.rehearsal.draws import digest
from draligned.schema.errors import InputError


@dataclass(frozen=True)
class Asked:
    """A request as read; messages stay as they came."""

    raw: bytes
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        """The model's name; the role is played after it."""
        return str(self.body["model"])

    @property
    def seed(self) -> int:
        """The declared seed, 0 without one."""
        seed = self.body.get("seed")
        return seed if isinstance(seed, int) else 0

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages."""
        return self.body["messages"]  # type: ignore[no-any-return]

    @cached_property
    def tools(self) -> dict[str, tuple[str, ...]]:
        """Parameters of the offered tools by name, in the order offered."""
        functions = (t.get("function", {}) for t in self.body.get("tools") or ())
        return {
            str(f.get("name")): tuple((f.get("parameters") or {}).get("properties", {}))
            for f in functions
        }

    @property
    def overrides(self) -> Mapping[str, Any]:
        """Fields of a profile that the request sets (`params.rehearsal` of the model)."""
        found = self.body.get("rehearsal")
        return found if isinstance(found, dict) else {}

    @property
    def output_limit(self) -> int | None:
        """The most tokens a reply may have."""
        limit = self.body.get("max_completion_tokens", self.body.get("max_tokens"))
        return limit if isinstance(limit, int) else None

    def texts(self, role: str) -> list[str]:
        """Texts of all messages of a role."""
        return [text_of(m) for m in self.messages if m.get("role") == role]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call to be written; `arguments` is raw text and may be broken on purpose."""

    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a role says."""

    text: str | None = None
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    """Stop reason, where it is not the usual one."""
    id_stem: str = ""
    """Stem of the call ids; the agent finds its plan by it."""
    reasoning: str | None = None
    """Shown beside the text, where a profile plants it."""


def read_request(raw: bytes) -> Asked:
    """Read a body of chat completions. Raises `InputError`."""
    return canonical(check_chat(load_body(raw)))


def load_body(raw: bytes) -> dict[str, Any]:
    """The object that a body is. Raises `InputError`."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise InputError("the body is not JSON") from None
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise InputError("the body names no model")
    return body


def check_chat(body: dict[str, Any]) -> dict[str, Any]:
    """`body`, if it is a chat. Raises `InputError`."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InputError("the body has no messages")
    if not all(isinstance(m, dict) for m in messages):
        raise InputError("a message is not an object")
    return body


def canonical(body: dict[str, Any]) -> Asked:
    """A chat as it is answered, whatever way it came: how it is delivered is no part of it.

    Raises `InputError` for tools that are not declared as the protocol has it.
    """
    if not _declares_tools(body.get("tools")):
        raise InputError("a tool is not declared as a function with an object of parameters")
    plain = {k: v for k, v in body.items() if k not in ("stream", "stream_options")}
    raw = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return Asked(raw.encode("utf-8", "replace"), plain)


def _declares_tools(tools: Any) -> bool:
    if tools is None:
        return True
    return isinstance(tools, list) and all(
        isinstance(tool, dict) and _declares(tool.get("function")) for tool in tools
    )


def _declares(function: Any) -> bool:
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return False
    parameters = function.get("parameters") or {}
    return isinstance(parameters, dict) and isinstance(parameters.get("properties", {}), dict)


def text_of(message: Mapping[str, Any]) -> str:
    """Text of a message, whether its content is a string or a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(p.get("text", "")) for p in content if isinstance(p, dict))
    return content if isinstance(content, str) else ""


def completion(asked: Asked, answer: Answer) -> dict[str, Any]:
    """The reply object, with estimated usage; it says in its fingerprint what it is."""
    answer = _within_limit(answer, asked.output_limit)
    written = (answer.text or "") + "".join(c.name + c.arguments for c in answer.calls)
    given = estimate_tokens(asked.raw.decode("utf-8", "replace"))
    output = max(1, estimate_tokens(written))
    return {
        "id": f"chatcmpl-{digest(asked.raw)}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "system_fingerprint": "rehearsal",
        "choices": [{"index": 0, "message": _message(answer), "finish_reason": _finish(answer)}],
        "usage": {
            "prompt_tokens": given,
            "completion_tokens": output,
            "total_tokens": given + output,
        },
    }


def _within_limit(answer: Answer, limit: int | None) -> Answer:
    """Cut what is longer than the limit, as a provider does: the calls are lost."""
    written = (answer.text or "") + "".join(c.name + c.arguments for c in answer.calls)
    if limit is None or estimate_tokens(written) <= limit:
        return answer
    return Answer(text=(answer.text or "")[: max(limit, 0)], finish="length")


def _message(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{answer.id_stem}_{i}",
                "type": "function",
                "function": {"name": c.name, "arguments": c.arguments},
            }
            for i, c in enumerate(answer.calls)
        ]
    return message


def _finish(answer: Answer) -> str:
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def chunks(reply: Mapping[str, Any], *, with_usage: bool) -> Iterator[bytes]:
    """The reply as server-sent events of the streaming protocol."""
    choice = reply["choices"][0]
    head = {k: reply[k] for k in ("id", "created", "model", "system_fingerprint")}
    head["object"] = "chat.completion.chunk"
    for delta in _deltas(choice["message"]):
        yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield _event({**head, "choices": [last]})
    if with_usage:
        yield _event({**head, "choices": [], "usage": reply["usage"]})
    yield b"data: [DONE]\n\n"


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    text = message["content"] or ""
    for start in range(0, len(text), 40):
        yield {"content": text[start : start + 40]}
    for index, call in enumerate(message.get("tool_calls", ())):
        yield {"tool_calls": [{"index": index, **call}]}


def _event(payload: Mapping[str, Any]) -> bytes:
    return b"data: " + as_bytes(payload) + b"\n\n"


def as_bytes(payload: Mapping[str, Any]) -> bytes:
    """JSON in UTF-8; half a surrogate pair, which a request may hold, is a question mark."""
    return json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
