"""Streams of the responses interface become the answer that was not streamed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.models.incoming import Incoming
from draligned.models.payload import Payload
from draligned.models.response_events import ResponseEvents
from draligned.schema.chat import StopReason
from draligned.schema.errors import BadResponse

from .test_responses import CALL, FIELDS, JSON, SAID, answer, parse


def sse(*events: Any) -> bytes:
    """Events as a server writes them."""
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)


def read(raw: bytes) -> Payload | None:
    incoming = Incoming(ResponseEvents(), "text/event-stream")
    for byte in range(0, len(raw), 7):
        incoming.feed(raw[byte : byte + 7])
    return incoming.end()


def added(number: int, item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": number, "item": item}


def finished(number: int, item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": number, "item": item}


def delta(number: int, what: str, piece: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{what}.delta", "output_index": number, "delta": piece, **fields}


def end(payload: Any, kind: str = "completed") -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": payload}


CREATED: dict[str, Any] = {
    "type": "response.created",
    "response": {"status": "in_progress", "output": []},
}
STREAMED: tuple[dict[str, Any], ...] = (
    CREATED,
    added(0, {**SAID, "content": []}),
    delta(0, "output_text", "h"),
    delta(0, "output_text", "i"),
    finished(0, SAID),
    added(1, {**CALL, "arguments": ""}),
    delta(1, "function_call_arguments", "{"),
    delta(1, "function_call_arguments", "}"),
    finished(1, CALL),
)


@pytest.mark.parametrize(
    "events",
    [
        (*STREAMED, end(answer(SAID, CALL))),
        (*STREAMED, end(answer())),
        (*STREAMED, end({k: v for k, v in answer().items() if k not in ("output", "status")})),
        (*(e for e in STREAMED if not e["type"].endswith(".done")), end(answer())),
        (end(answer(SAID, CALL)),),
        (*STREAMED, end(answer(SAID, CALL)), {"type": "error", "message": "too late"}),
    ],
)
def test_a_stream_is_the_answer(events: Any) -> None:
    payload = read(sse(*events))
    assert payload is not None
    assert parse(payload) == parse(answer(SAID, CALL))


def test_items_without_numbers_are_told_apart_by_their_ids() -> None:
    events = [
        {k: v for k, v in e.items() if k != "output_index"} | {"item_id": f"i{e['output_index']}"}
        for e in STREAMED[1:]
        if not e["type"].endswith("item.done")
    ]
    items = [{**e["item"], "id": e["item_id"]} if "item" in e else None for e in events]
    events = [e | ({"item": i} if i else {}) for e, i in zip(events, items, strict=True)]
    payload = read(sse(*events, end(answer())))
    assert payload is not None
    got = parse(payload).message
    assert (got.text, got.tool_calls) == ("hi", parse(answer(CALL)).message.tool_calls)


def test_pieces_of_reasoning() -> None:
    events = (
        delta(0, "reasoning_summary_text", "a", summary_index=0),
        delta(0, "reasoning_summary_text", "b", summary_index=1),
        delta(1, "reasoning_text", "c"),
        delta(2, "refusal", "no"),
        end(answer()),
    )
    payload = read(sse(*events))
    assert payload is not None
    got = parse(payload).message
    assert (got.reasoning, got.text) == ("a\nb\nc", "no")


def test_a_stream_without_its_last_event_is_nothing() -> None:
    whole = sse(*STREAMED, end(answer(SAID, CALL)))
    full = read(whole)
    assert read(sse(*STREAMED)) is None
    assert read(sse(*STREAMED) + b"data: [DONE]\n\n") is None
    for length in range(len(whole)):
        assert read(whole[:length]) in (None, full)


@pytest.mark.parametrize(
    "events",
    [
        (CREATED, {"type": "error", "code": "server_error", "message": "overloaded"}),
        (CREATED, {"type": "error", "error": {"message": "overloaded"}}),
        (*STREAMED, end({"status": "failed", "error": {"message": "x"}}, "failed")),
        (*STREAMED, end({"output": [SAID, CALL]}, "cancelled")),
        (*STREAMED, end(answer(SAID))),
        (finished(0, CALL), finished(1, {**CALL, "call_id": "c2"}), end(answer(CALL))),
        (*STREAMED, {"type": "response.completed"}),
    ],
)
def test_streams_that_failed(events: Any) -> None:
    with pytest.raises(BadResponse):
        parse(read(sse(*events)) or answer())


def test_a_stream_cut_by_its_limit() -> None:
    cut = {"incomplete_details": {"reason": "max_output_tokens"}, "output": [SAID]}
    payload = read(sse(*STREAMED[:5], end(cut, "incomplete")))
    assert payload is not None
    assert parse(payload).stop is StopReason.LENGTH


EVENT_KINDS = st.sampled_from(
    ["response.output_item.added", "response.output_item.done", "response.completed", "error"]
    + [f"response.{k}.delta" for k in ("output_text", "function_call_arguments", "refusal")]
)
EVENTS = st.fixed_dictionaries(
    {"type": EVENT_KINDS | JSON},
    optional={
        "item": FIELDS | JSON,
        "delta": JSON,
        "output_index": JSON,
        "response": st.fixed_dictionaries({}, optional={"output": JSON, "status": JSON}) | JSON,
    },
)


@given(st.lists(EVENTS, max_size=6))
def test_any_events_are_a_reply_a_cut_or_a_bad_response(events: list[Any]) -> None:
    try:
        payload = read(sse(*events))
        if payload is not None:
            parse(payload, echo=True)
    except BadResponse:
        return
