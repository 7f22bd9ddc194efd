"""One completion in the four forms in which a provider of the OpenAI protocol may send it.

Written without a look at the client: what one side reads wrongly the other must not repeat.
"""

import json
from typing import Any, NamedTuple

Json = dict[str, Any]
PIECE = 7
"""Characters of a delta."""


class Wire(NamedTuple):
    """How a provider is spoken to."""

    api: str
    stream: bool

    @property
    def name(self) -> str:
        """As a model and provider name."""
        return f"{self.api}-{'stream' if self.stream else 'whole'}"


WIRES = tuple(Wire(api, stream) for api in ("chat", "responses") for stream in (False, True))


def rendered(wire: Wire, payload: Any) -> bytes:
    """`payload`, a chat completion however odd, on `wire`."""
    if wire.api == "chat":
        return b"".join(chat_events(payload)) if wire.stream else encoded(payload)
    return b"".join(response_events(payload)) if wire.stream else encoded(as_response(payload))


def encoded(payload: Any) -> bytes:
    """JSON with every odd character escaped, NaN as some servers write it."""
    return json.dumps(payload).encode()


def pieces(text: str) -> list[str]:
    """`text` cut small, also in the middle of a pair or an escape; long ones into ten."""
    size = PIECE if len(text) < 20 * PIECE else len(text) // 10 + 1
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]


def _choice(payload: Any) -> Json | None:
    """The one choice, if the payload is of the usual shape."""
    choices = payload.get("choices") if isinstance(payload, dict) else None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return None
    message = choices[0].get("message")
    return choices[0] if isinstance(message, dict) and not choices[0].get("error") else None


# chat completions, streamed


def chat_events(payload: Any) -> list[bytes]:
    """The events of a streamed completion, the closing one included."""
    choice = _choice(payload)
    if choice is None:
        return [_data(payload), b"data: [DONE]\n\n"]
    head = {"id": "x", "object": "chat.completion.chunk", "model": payload.get("model")}
    deltas = [{"role": "assistant"}, *_content_deltas(choice["message"])]
    chunks = [_chunk(head, delta) for delta in deltas]
    chunks.append(_chunk(head, {}, choice.get("finish_reason")))
    if "usage" in payload:
        chunks.append({**head, "choices": [], "usage": payload["usage"]})
    return [b": keep-alive\n\n", *map(_data, chunks), b"data: [DONE]\n\n"]


def _chunk(head: Json, delta: Json, finish: Any = None) -> Json:
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _content_deltas(message: Json) -> list[Json]:
    out: list[Json] = []
    for field in ("reasoning_content", "content"):
        value = message.get(field)
        if isinstance(value, str):
            out += [{field: piece} for piece in pieces(value)]
        elif value is not None:
            out.append({field: value})
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        out += [{"tool_calls": [d]} for n, call in enumerate(calls) for d in _call_deltas(n, call)]
    elif calls is not None:
        out.append({"tool_calls": calls})
    if "function_call" in message:
        out.append({"function_call": message["function_call"]})
    return out


def _call_deltas(index: int, call: Any) -> list[Any]:
    """A call in pieces: name first, then its arguments; what is no call goes as it is."""
    if not isinstance(call, dict):
        return [call]
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(arguments, str):
        return [{**call, "index": index}]
    named = {**call, "index": index, "function": {**function, "arguments": ""}}
    rest = [{"index": index, "function": {"arguments": piece}} for piece in pieces(arguments)]
    return [named, *rest]


def _data(value: Any) -> bytes:
    return b"data: " + encoded(value) + b"\n\n"


# responses

_CUT = {"length": "max_output_tokens", "content_filter": "content_filter"}


def as_response(payload: Any) -> Any:
    """A completion as a response; what has no counterpart is left as it is."""
    choice = _choice(payload)
    if choice is None:
        return payload
    finish = choice.get("finish_reason")
    reason = _CUT.get(finish) if isinstance(finish, str) else None
    out: Json = {
        "id": "resp_x",
        "object": "response",
        "model": payload.get("model"),
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "output": _items(choice["message"]),
        "error": None,
    }
    if "usage" in payload:
        out["usage"] = _response_usage(payload["usage"])
    return out


def _items(message: Json) -> Any:
    out: list[Any] = []
    if isinstance(message.get("reasoning_content"), str):
        thought = {"type": "summary_text", "text": message["reasoning_content"]}
        out.append({"type": "reasoning", "id": "rs_x", "summary": [thought]})
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "output_text", "text": content, "annotations": []}]
    if content is not None:
        said = {"type": "message", "id": "msg_x", "role": "assistant", "content": content}
        out.append({**said, "status": "completed"})
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        return calls
    return [*out, *(_call_item(call) for call in calls or ())]


def _call_item(call: Any) -> Any:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return call
    item = {"type": "function_call", "id": "fc_x", "status": "completed", **function}
    return {**item, "call_id": call["id"]} if "id" in call else item


def _response_usage(usage: Any) -> Any:
    if not isinstance(usage, dict):
        return usage
    return {k.replace("prompt", "input").replace("completion", "output"): v
            for k, v in usage.items()}  # fmt: skip


def response_events(payload: Any) -> list[bytes]:
    """The events of a streamed response."""
    response = as_response(payload)
    usual = isinstance(response, dict) and isinstance(response.get("output"), list)
    if not usual:
        return [_named("response.completed", {"response": response})]
    events = [_named("response.created", {"response": {**response, "output": []}})]
    for index, item in enumerate(response["output"]):
        events += _item_events(index, item)
    end = f"response.{response['status']}"
    return [*events, _named(end, {"response": response})]


def _item_events(index: int, item: Any) -> list[bytes]:
    at = {"output_index": index}
    events = [_named("response.output_item.added", {**at, "item": item})]
    arguments = item.get("arguments") if isinstance(item, dict) else None
    if isinstance(arguments, str):
        kind = "response.function_call_arguments"
        events += [_named(f"{kind}.delta", {**at, "delta": p}) for p in pieces(arguments)]
        events.append(_named(f"{kind}.done", {**at, "arguments": arguments}))
    for part in (item.get("content") or ()) if isinstance(item, dict) else ():
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str):
            kind = "response.output_text.delta"
            events += [_named(kind, {**at, "content_index": 0, "delta": p}) for p in pieces(text)]
    return [*events, _named("response.output_item.done", {**at, "item": item})]


def _named(kind: str, fields: Json) -> bytes:
    return f"event: {kind}\n".encode() + _data({"type": kind, **fields})
