"""An answer of the responses interface as a `ChatReply`; the rules are those of `parse`."""

from typing import Any

from draligned.models.content import Cleaner, split_content
from draligned.models.parse import written
from draligned.models.payload import Payload, unexpected
from draligned.models.reasoning_items import reasoning_text, state_of
from draligned.models.stops import broke_off, stop_reason
from draligned.models.tokens import estimated_usage
from draligned.models.toolcalls import tool_call
from draligned.models.usage import parse_usage
from draligned.schema.chat import ChatReply, Message, StopReason, ToolCall
from draligned.schema.errors import BadResponse

_HOSTED_CALLS = frozenset(
    {
        "code_interpreter_call",
        "file_search_call",
        "image_generation_call",
        "mcp_call",
        "web_search_call",
    }
)
"""Calls that the provider has answered itself."""


def parse_response(
    payload: Payload,
    *,
    requested_model: str,
    request_tokens: int,
    request_sha256: str,
    echo: bool = False,
) -> ChatReply:
    """Read the decoded body of a 200. Raises `BadResponse` for anything that is no answer.

    With `echo`, reasoning items are kept as they came. Texts of several messages are
    joined without anything between them, as the SDK joins them.
    """
    if payload.get("error"):
        raise unexpected("an error inside a 200", payload)
    cleaner = Cleaner()
    try:
        output = _output(payload)
        message = _message(output, cleaner, echo=echo)
    except RecursionError:
        raise BadResponse("the answer is nested too deeply", status=200) from None
    echoed = payload.get("model")
    return ChatReply(
        message=message,
        stop=_stop(payload, message),
        usage=parse_usage(payload.get("usage"))
        or estimated_usage(request_tokens, written(message)),
        requested_model=requested_model,
        echoed_model=cleaner.text(echoed) if isinstance(echoed, str) else None,
        request_sha256=request_sha256,
        sanitised=cleaner.changed,
    )


def _output(payload: Payload) -> list[dict[str, Any]]:
    output = payload.get("output")
    if not isinstance(output, list) or not all(isinstance(i, dict) for i in output):
        raise unexpected("no output in the answer", payload)
    for item in output:
        if _is_lost_call(item.get("type")):
            raise unexpected("a call of a kind that was not offered", item)
    return output


def _is_lost_call(kind: Any) -> bool:
    """Whether an item is a call that nobody here can answer: it must not pass for silence."""
    if not isinstance(kind, str) or kind == "function_call" or kind in _HOSTED_CALLS:
        return False
    return kind.endswith(("_call", "tool_use", "approval_request"))


def _message(output: list[dict[str, Any]], cleaner: Cleaner, *, echo: bool) -> Message:
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCall] = []
    for item in output:
        kind = item.get("type")
        if kind == "message":
            _add_said(item, texts, thoughts)
        elif kind == "reasoning":
            thoughts.append(reasoning_text(item))
        elif kind == "function_call":
            name, arguments = item.get("name"), item.get("arguments")
            calls.append(tool_call(item.get("call_id"), name, arguments, cleaner))
    text, reasoning = "".join(texts), "\n".join(t for t in thoughts if t)
    return Message(
        role="assistant",
        text=cleaner.text(text) if text else None,
        tool_calls=tuple(calls),
        reasoning=cleaner.text(reasoning) if reasoning else None,
        reasoning_state=state_of(output, cleaner) if echo else None,
    )


def _add_said(item: dict[str, Any], texts: list[str], thoughts: list[str]) -> None:
    parts = split_content(item.get("content"))
    if parts is None:
        raise unexpected("content of an unknown shape", item)
    texts.append(parts.text or "")
    thoughts.append(parts.reasoning or "")


def _stop(payload: Payload, message: Message) -> StopReason:
    """Why the model stopped. What is incomplete for another reason than a limit broke off."""
    status = payload.get("status")
    if status in (None, "completed"):
        return StopReason.TOOL_CALLS if message.tool_calls else StopReason.STOP
    details = payload.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    stop = stop_reason(reason)
    cut = stop in (StopReason.LENGTH, StopReason.CONTENT_FILTER)
    if status != "incomplete" or broke_off(reason) or not cut:
        raise unexpected("the answer was not completed", payload)
    return stop
