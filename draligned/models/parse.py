"""A provider's JSON as a `ChatReply`: the boundary where shapes and text are made uniform.

Every provider of the OpenAI protocol bends it a little (HARD_CASES 2, 3, 6, 9):
what can be understood is normalised, everything else is a `BadResponse` that
shows what came.
"""

import json
from typing import Any

from draligned.models.content import Cleaner, as_int, split_content
from draligned.models.stops import broke_off, stop_reason
from draligned.models.tokens import estimated_usage
from draligned.schema.chat import ChatReply, Message, StopReason, ToolCall, Usage
from draligned.schema.errors import BadResponse
from draligned.schema.strictjson import visible


def parse_reply(
    raw: bytes, *, requested_model: str, request_text: str, request_sha256: str
) -> ChatReply:
    """Read the body of a 200. Raises `BadResponse` for anything that is not a completion."""
    payload = decode_payload(raw)
    cleaner = Cleaner()
    try:
        choice = _only_choice(payload)
        message = _message(choice["message"], cleaner)
        stop = _stop(choice, message)
    except RecursionError:
        raise BadResponse(f"the answer is nested too deeply: {shown(raw)}", status=200) from None
    echoed = payload.get("model")
    return ChatReply(
        message=message,
        stop=stop,
        usage=parse_usage(payload.get("usage")) or estimated_usage(request_text, _written(message)),
        requested_model=requested_model,
        echoed_model=cleaner.text(echoed) if isinstance(echoed, str) else None,
        request_sha256=request_sha256,
        sanitised=cleaner.changed,
    )


def decode_payload(raw: bytes) -> dict[str, Any]:
    """The JSON object of a 200. Raises `BadResponse`, with what came made visible.

    NaN becomes null here: it can only stand in fields that nobody reads.
    """
    if not raw.strip():
        raise BadResponse("the provider answered 200 with an empty body", status=200)
    try:
        payload = json.loads(raw, parse_constant=lambda _: None, object_pairs_hook=_one_of_each)
    except (ValueError, RecursionError):
        raise BadResponse(f"the answer is not JSON: {shown(raw)}", status=200) from None
    if not isinstance(payload, dict):
        raise BadResponse(f"the answer is not a JSON object: {shown(raw)}", status=200)
    if payload.get("error") and not payload.get("choices"):
        raise BadResponse(f"an error inside a 200: {shown(raw)}", status=200)
    return payload


def _one_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Of a key that stands twice with two values, neither is taken."""
    out = dict(pairs)
    if len(out) != len(pairs) and any(out[key] != value for key, value in pairs):
        raise ValueError("a key stands twice")
    return out


def shown(raw: bytes) -> str:
    """The first 200 characters of a body on one safe line."""
    return visible(raw[:1200].decode("utf-8", "replace"), 200)


def _only_choice(payload: dict[str, Any]) -> dict[str, Any]:
    """The choice. One was asked for: of several that differ, none is taken."""
    choices = payload.get("choices")
    choice, *others = choices if isinstance(choices, list) and choices else [None]
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise _unexpected("no message in the answer", payload)
    for other in others:
        if not isinstance(other, dict) or other.get("message") != choice["message"]:
            raise _unexpected("several choices although one was asked for", payload)
    if choice.get("error") or broke_off(choice.get("finish_reason")):
        raise _unexpected("an error inside the answer", payload)
    return choice


def _stop(choice: dict[str, Any], message: Message) -> StopReason:
    """Why the model stopped. An announced call that is not there was lost on the way."""
    stop = stop_reason(choice.get("finish_reason"))
    if stop is StopReason.TOOL_CALLS and not message.tool_calls:
        raise _unexpected("it says that it calls a tool, and no call is there", choice)
    return stop


def _unexpected(what: str, payload: Any) -> BadResponse:
    text = json.dumps(payload, ensure_ascii=True)
    return BadResponse(f"{what}: {visible(text, 200)}", status=200)


def _message(raw: dict[str, Any], cleaner: Cleaner) -> Message:
    parts = split_content(raw.get("content"))
    if parts is None:
        raise _unexpected("content of an unknown shape", raw)
    text = parts.text if parts.text is not None else _string(raw.get("refusal"))
    reasoning = _reasoning(raw, parts.reasoning)
    return Message(
        role="assistant",
        text=None if text is None else cleaner.text(text),
        tool_calls=_tool_calls(raw, cleaner),
        reasoning=None if reasoning is None else cleaner.text(reasoning),
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
    """The calls; also the single one in the field that `tool_calls` has replaced."""
    raw = message.get("tool_calls")
    if raw is not None and not isinstance(raw, list):
        raise _unexpected("tool_calls is not a list", raw)
    if not raw and isinstance(message.get("function_call"), dict):
        raw = [{"function": message["function_call"]}]
    return tuple(_tool_call(c, cleaner) for c in raw or ())


def _tool_call(raw: Any, cleaner: Cleaner) -> ToolCall:
    """One call as sent. A missing id stays empty: the loop gives ids that P and Q share."""
    if not isinstance(raw, dict):
        return ToolCall(call_id="", name="", arguments=cleaner.text(_as_text(raw)))
    function = raw.get("function")
    function = function if isinstance(function, dict) else {}
    name = function.get("name")
    call_id = raw.get("id")
    return ToolCall(
        call_id=cleaner.text(call_id) if isinstance(call_id, str) and call_id else "",
        name=cleaner.text(name) if isinstance(name, str) else "",
        arguments=cleaner.arguments(_as_text(function.get("arguments"))),
    )


def _as_text(arguments: Any) -> str:
    """Arguments as raw text; some providers send the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _written(message: Message) -> str:
    calls = "".join(c.name + c.arguments for c in message.tool_calls)
    return (message.text or "") + (message.reasoning or "") + calls


def parse_usage(raw: Any) -> Usage | None:
    """Usage as reported; none where the two counts are missing or senseless."""
    if not isinstance(raw, dict):
        return None
    given, written = as_int(raw.get("prompt_tokens")), as_int(raw.get("completion_tokens"))
    if given is None or written is None:
        return None
    return Usage(
        input_tokens=given,
        output_tokens=written,
        reasoning_tokens=_detail(raw, "completion_tokens_details", "reasoning_tokens"),
        cached_tokens=_cached(raw),
    )


def _detail(raw: dict[str, Any], group: str, field: str) -> int | None:
    details = raw.get(group)
    return as_int(details.get(field)) if isinstance(details, dict) else None


def _cached(raw: dict[str, Any]) -> int | None:
    found = _detail(raw, "prompt_tokens_details", "cached_tokens")
    return found if found is not None else as_int(raw.get("prompt_cache_hit_tokens"))
