"""A chat completion as a `ChatReply`: the boundary where shapes and text are made uniform.

Every provider of the OpenAI protocol bends it a little (HARD_CASES 2, 3, 6, 9):
what can be understood is normalised, everything else is a `BadResponse` that
shows what came.
"""

from typing import Any

from draligned.models.content import Cleaner, split_content
from draligned.models.payload import Payload, load_payload, unexpected
from draligned.models.returned import chat_state
from draligned.models.stops import broke_off, stop_reason
from draligned.models.tokens import estimated_usage
from draligned.models.toolcalls import tool_call
from draligned.models.usage import parse_usage
from draligned.schema.chat import ChatReply, Message, StopReason, ToolCall
from draligned.schema.errors import BadResponse


def parse_reply(
    raw: bytes, *, requested_model: str, request_tokens: int, request_sha256: str
) -> ChatReply:
    """Read the body of a 200. Raises `BadResponse` for anything that is not a completion."""
    return parse_completion(
        load_payload(raw),
        requested_model=requested_model,
        request_tokens=request_tokens,
        request_sha256=request_sha256,
    )


def parse_completion(
    payload: Payload,
    *,
    requested_model: str,
    request_tokens: int,
    request_sha256: str,
    echo: bool = False,
) -> ChatReply:
    """As `parse_reply`, from the decoded object; with `echo`, what has to go back is kept."""
    if payload.get("error") and not payload.get("choices"):
        raise unexpected("an error inside a 200", payload)
    cleaner = Cleaner()
    try:
        choice = _only_choice(payload)
        message = _message(choice["message"], cleaner, echo=echo)
        stop = _stop(choice, message)
    except RecursionError:
        raise BadResponse("the answer is nested too deeply", status=200) from None
    echoed = payload.get("model")
    usage = parse_usage(payload.get("usage")) or parse_usage(choice.get("usage"))
    return ChatReply(
        message=message,
        stop=stop,
        usage=usage or estimated_usage(request_tokens, written(message)),
        requested_model=requested_model,
        echoed_model=cleaner.text(echoed) if isinstance(echoed, str) else None,
        request_sha256=request_sha256,
        sanitised=cleaner.changed,
    )


def _only_choice(payload: Payload) -> dict[str, Any]:
    """The choice. One was asked for: of several that differ, none is taken."""
    choices = payload.get("choices")
    choice, *others = choices if isinstance(choices, list) and choices else [None]
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise unexpected("no message in the answer", payload)
    for other in others:
        if not isinstance(other, dict) or other.get("message") != choice["message"]:
            raise unexpected("several choices although one was asked for", payload)
    if choice.get("error") or broke_off(choice.get("finish_reason")):
        raise unexpected("an error inside the answer", payload)
    return choice


def _stop(choice: dict[str, Any], message: Message) -> StopReason:
    """Why the model stopped. An announced call that is not there was lost on the way."""
    stop = stop_reason(choice.get("finish_reason"))
    if stop is StopReason.TOOL_CALLS and not message.tool_calls:
        raise unexpected("it says that it calls a tool, and no call is there", choice)
    return stop


def _message(raw: dict[str, Any], cleaner: Cleaner, *, echo: bool) -> Message:
    parts = split_content(raw.get("content"))
    if parts is None:
        raise unexpected("content of an unknown shape", raw)
    text = parts.text if parts.text is not None else _string(raw.get("refusal"))
    reasoning = _reasoning(raw, parts.reasoning)
    return Message(
        role="assistant",
        text=cleaner.text(text) if text else None,
        tool_calls=_tool_calls(raw, cleaner),
        reasoning=None if reasoning is None else cleaner.text(reasoning),
        reasoning_state=chat_state(raw, cleaner) if echo else None,
    )


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _reasoning(raw: dict[str, Any], inside: str | None) -> str | None:
    """Reasoning from the message's own field, else from thinking parts of the content."""
    for field in ("reasoning_content", "reasoning"):
        if isinstance(raw.get(field), str):
            return str(raw[field])
    return inside


def _tool_calls(message: dict[str, Any], cleaner: Cleaner) -> tuple[ToolCall, ...]:
    """The calls; also the single one in the field that `tool_calls` has replaced.

    Whatever is empty says that there is none.
    """
    raw = message.get("tool_calls")
    if raw and not isinstance(raw, list):
        raise unexpected("tool_calls is not a list", raw)
    if not raw and isinstance(message.get("function_call"), dict):
        raw = [{"function": message["function_call"]}]
    return tuple(_tool_call(c, cleaner) for c in raw or ())


def _tool_call(raw: Any, cleaner: Cleaner) -> ToolCall:
    """One call, with its name and arguments under `function`, beside it, or of a custom tool."""
    if not isinstance(raw, dict):
        return tool_call(None, None, raw, cleaner)
    inner = raw.get("function", raw.get("custom", raw))
    inner = inner if isinstance(inner, dict) else {}
    arguments = inner.get("arguments", inner.get("input"))
    return tool_call(raw.get("id"), inner.get("name"), arguments, cleaner)


def written(message: Message) -> str:
    """All that a reply holds, for an estimate of its length."""
    calls = "".join(c.name + c.arguments for c in message.tool_calls)
    return (message.text or "") + (message.reasoning or "") + calls
