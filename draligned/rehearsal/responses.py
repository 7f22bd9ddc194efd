"""The responses interface of the rehearsal app: read as a chat, answered as a response.

Only the form differs. The roles see the same request as over chat completions, so that an
episode is the same over either.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from draligned.rehearsal.draws import digest
from draligned.rehearsal.wire import Asked, canonical, check_chat, load_body, text_of
from draligned.schema.errors import InputError

_OWN = frozenset({"input", "instructions", "store", "include", "text", "max_output_tokens"})


def read_response_request(raw: bytes) -> Asked:
    """Read a body of this interface as a request of the chat. Raises `InputError`."""
    body = load_body(raw)
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
        raise InputError("input is not a text or a list of objects")
    chat: dict[str, Any] = {k: v for k, v in body.items() if k not in _OWN}
    chat["messages"] = [*_system(body), *_messages(items)]
    if isinstance(body.get("tools"), list):
        chat["tools"] = [_tool(t) for t in body["tools"] if isinstance(t, dict)]
    if "max_output_tokens" in body:
        chat["max_tokens"] = body["max_output_tokens"]
    if isinstance(text := body.get("text"), dict) and "format" in text:
        chat["response_format"] = text["format"]
    return canonical(check_chat(chat))


def _system(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    text = body.get("instructions")
    return [{"role": "system", "content": text}] if isinstance(text, str) else []


def _messages(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages of a chat: what an assistant said and the calls after it are one message."""
    messages: list[dict[str, Any]] = []
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            messages.append({"role": item.get("role"), "content": text_of(item)})
        elif kind == "function_call":
            _add_call(messages, item)
        elif kind == "function_call_output":
            result = {"content": str(item.get("output")), "tool_call_id": item.get("call_id")}
            messages.append({"role": "tool", **result})
        elif kind != "reasoning":
            raise InputError(f"an input item of the unknown type {kind!r}")
    return messages


def _add_call(messages: list[dict[str, Any]], item: dict[str, Any]) -> None:
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": None})
    function = {"name": item.get("name"), "arguments": item.get("arguments")}
    call = {"id": item.get("call_id"), "type": "function", "function": function}
    messages[-1].setdefault("tool_calls", []).append(call)


def _tool(flat: dict[str, Any]) -> dict[str, Any]:
    function = {k: flat[k] for k in ("name", "description", "parameters") if k in flat}
    return {"type": "function", "function": function}


def response(asked: Asked, reply: Mapping[str, Any]) -> dict[str, Any]:
    """A completion of `wire.completion` as an answer of this interface."""
    choice, usage = reply["choices"][0], reply["usage"]
    cut = choice["finish_reason"] == "length"
    return {
        "id": f"resp_{digest(asked.raw)}",
        "object": "response",
        "created_at": 0,
        "model": reply["model"],
        "system_fingerprint": reply["system_fingerprint"],
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": _output(choice["message"]),
        "usage": {
            "input_tokens": usage["prompt_tokens"],
            "output_tokens": usage["completion_tokens"],
            "total_tokens": usage["total_tokens"],
        },
    }


def _output(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if message["content"]:
        part = {"type": "output_text", "text": message["content"], "annotations": []}
        items.append({"type": "message", "id": "msg_0", "role": "assistant", "content": [part]})
    for number, call in enumerate(message.get("tool_calls", ())):
        head = {"type": "function_call", "id": f"fc_{number}", "call_id": call["id"]}
        items.append({**head, **call["function"]})
    return [{**item, "status": "completed"} for item in items]


def events(answer: Mapping[str, Any]) -> Iterator[bytes]:
    """The answer as server-sent events."""
    begun = {**answer, "status": "in_progress", "output": [], "usage": None}
    sent = [_event("response.created", {"response": begun})]
    for number, item in enumerate(answer["output"]):
        sent += _item_events(number, item)
    sent.append(_event(f"response.{answer['status']}", {"response": answer}))
    for sequence, event in enumerate(sent):
        event["sequence_number"] = sequence
        data = json.dumps(event, ensure_ascii=False)
        yield f"event: {event['type']}\ndata: {data}\n\n".encode()


def _event(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": kind, **fields}


def _item_events(number: int, item: Mapping[str, Any]) -> list[dict[str, Any]]:
    place = {"output_index": number, "item_id": item["id"]}
    if item["type"] == "message":
        kind, text, empty = "response.output_text.delta", item["content"][0]["text"], "content"
        place["content_index"] = 0
    else:
        kind, text, empty = "response.function_call_arguments.delta", item["arguments"], "arguments"
    begun = {**item, "status": "in_progress", empty: [] if empty == "content" else ""}
    out = [_event("response.output_item.added", {"output_index": number, "item": begun})]
    for start in range(0, len(text), 40):
        out.append(_event(kind, {**place, "delta": text[start : start + 40]}))
    out.append(_event("response.output_item.done", {"output_index": number, "item": item}))
    return out
