"""Streamed completions become what the unstreamed one would have been (HARD_CASES 1 to 3)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.models.parse import parse_completion
from draligned.schema.chat import ChatReply, StopReason, ToolCall
from draligned.schema.errors import BadResponse

from .test_incoming import chunk, read, sse

A, B = '{"query": "a"}', '{"query": "b"}'


def reply(*chunks: Any, done: bool = True) -> ChatReply:
    """The reply of a stream."""
    payload = read(sse(*chunks, done=done))
    assert payload is not None
    return parse_completion(
        payload, requested_model="m", request_tokens=1, request_sha256="abcdef012345"
    )


def piece(arguments: Any = None, **fields: Any) -> dict[str, Any]:
    """One piece of a tool call; `name` goes inside."""
    function = {"arguments": arguments}
    if "name" in fields:
        function["name"] = fields.pop("name")
    return {**fields, "function": function}


def calls(*pieces: Any) -> list[tuple[str, str, str]]:
    """The calls that a list of pieces makes, one chunk each; lists are one chunk."""
    deltas = [{"tool_calls": p if isinstance(p, list) else [p]} for p in pieces]
    got = reply(*(chunk(d) for d in deltas), chunk({}, "tool_calls")).message.tool_calls
    return [(c.call_id, c.name, c.arguments) for c in got]


def test_calls_by_index() -> None:
    assert calls(
        piece("", index=0, id="x", name="search"),
        piece('{"query"', index=0),
        piece(': "a"}', index=0),
        piece("", index=1, id="y", name="read"),
        piece(B, index=1),
    ) == [("x", "search", A), ("y", "read", B)]


def test_interleaved_calls() -> None:
    assert calls(
        [piece("", index=0, id="x", name="search"), piece("", index=1, id="y", name="search")],
        piece('{"query"', index=1),
        piece('{"query": ', index=0),
        piece(': "b"}', index=1),
        piece('"a"}', index=0),
    ) == [("x", "search", A), ("y", "search", B)]


@pytest.mark.parametrize(
    "pieces",
    [
        [piece(A, id="x", name="search"), piece(B, id="y", name="search")],
        [[piece(A, id="x", name="search"), piece(B, id="y", name="search")]],
        [piece(A, index=0, id="x", name="search"), piece(B, index=0, id="y", name="search")],
        [
            piece(A[:4], index=0, id="x", name="search"),
            piece(A[4:], index=0, id="x", name="search"),
            piece(B[:4], index=1, id="y", name="search"),
            piece(B[4:], index=1, id="y", name="search"),
        ],
        [
            piece(A[:4], index=0, id="x", name="search"),
            piece(A[4:], index=0, id="new", name=None),
            piece(B[:4], index=1, id="y", name="search"),
            piece(B[4:], index=1, id="newer"),
        ],
        [
            piece(A[:4], id="x", name="search"),
            piece(A[4:]),
            piece(B[:4], id="y", name="search"),
            piece(B[4:]),
        ],
        [
            piece("", index=0, id="x", name="search"),
            piece(A, index=3),
            piece(B, index=1, id="y", name="search"),
        ],
        [
            piece("", index=0, id="x", name="sea"),
            piece("", index=0, name="rch"),
            piece(A, index=0),
            piece(B, index=1, id="y", name="search"),
        ],
        [
            piece({"query": "a"}, id="x", name="search"),
            piece({"query": "b"}, id="y", name="search"),
        ],
    ],
)
def test_two_calls_however_they_are_numbered(pieces: list[Any]) -> None:
    assert calls(*pieces) == [("x", "search", A), ("y", "search", B)]


@pytest.mark.parametrize(
    "pieces",
    [
        [piece(A, name="search"), piece(B, name="search")],
        [[piece(A, name="search"), piece(B, name="search")]],
        [piece(A, index=0, id="", name="search"), piece(B, index=0, id="", name="search")],
        [piece(A, index=0, id=None, name="search"), piece(B, index=1, id=None, name="search")],
        [piece(A[:4], name="search"), piece(A[4:]), piece(B[:4], name="search"), piece(B[4:])],
        [piece("", name="search"), piece(A, name="search"), piece(B, name="search")],
    ],
)
def test_two_calls_without_ids(pieces: list[Any]) -> None:
    assert calls(*pieces) == [("", "search", A), ("", "search", B)]


def test_the_same_id_twice_is_two_calls() -> None:
    assert calls(
        piece(A, index=0, id="same", name="search"), piece(B, index=1, id="same", name="search")
    ) == [("same", "search", A), ("same", "search", B)]
    assert calls(
        piece(A, index=0, id="same", name="search"), piece(B, index=0, id="same", name="search")
    ) == [("same", "search", A), ("same", "search", B)]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([piece(None, index=0, id=7, name="search")], ("", "search", "")),
        ([{"index": 0}], ("", "", "")),
        ([{"index": 0, "function": None}], ("", "", "")),
        (["text"], ("", "", "text")),
        ([None], ("", "", "")),
        ([{"index": 0, "name": "search", "arguments": A}], ("", "search", A)),
        ([piece("{}", index="0", id="x", name="search")], ("x", "search", "{}")),
        ([piece("{}", index=-1, id="x", name="search")], ("x", "search", "{}")),
        ([piece("[]", id="x", name={"a": 1})], ("x", "", "[]")),
    ],
)
def test_odd_pieces_are_calls_all_the_same(pieces: list[Any], expected: Any) -> None:
    assert calls(*pieces) == [expected]


def test_many_pieces_of_one_call_take_no_time_to_speak_of() -> None:
    pieces = [piece("}", index=0, id="x", name="search") for _ in range(20_000)]
    ((_, _, arguments),) = calls(*pieces)
    assert arguments == "}" * 20_000


def test_texts_and_reasoning() -> None:
    got = reply(
        chunk({"role": "assistant", "content": "", "reasoning_content": None}),
        chunk({"reasoning_content": "hm, "}),
        chunk({"reasoning_content": "so", "content": None}),
        chunk({"content": "a"}),
        chunk({"content": "b"}, "stop"),
    )
    assert (got.message.text, got.message.reasoning, got.stop) == ("ab", "hm, so", StopReason.STOP)


def test_halves_of_a_character_in_two_chunks_are_one() -> None:
    raw = b'data: {"choices":[{"delta":{"content":"\\ud83c"}}]}\n\n'
    raw += b'data: {"choices":[{"delta":{"content":"\\udf78"},"finish_reason":"stop"}]}\n\n'
    payload = read(raw)
    assert payload is not None
    got = parse_completion(payload, requested_model="m", request_tokens=1, request_sha256="a")
    assert (got.message.text, got.sanitised) == ("🍸", False)


def test_lists_of_parts_in_pieces() -> None:
    def thinks(text: str) -> dict[str, Any]:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}

    got = reply(
        chunk({"content": [thinks("the us")]}),
        chunk({"content": [thinks("er")]}),
        chunk({"content": [{"type": "text", "text": "你"}]}),
        chunk({"content": [{"type": "text", "text": "好"}, {"type": "image_url"}]}),
        chunk({"content": " ok"}, "stop"),
    )
    assert (got.message.text, got.message.reasoning) == ("你好 ok", "the user")


def test_a_call_among_the_parts_is_not_lost() -> None:
    with pytest.raises(BadResponse, match="content of an unknown shape"):
        reply(chunk({"content": [{"type": "tool_use", "name": "search"}]}, "stop"))


def test_refusals_and_calls_of_old() -> None:
    assert (
        reply(chunk({"refusal": "I "}), chunk({"refusal": "won't"}, "stop")).message.text
        == "I won't"
    )
    got = reply(
        chunk({"function_call": {"name": "search", "arguments": ""}}),
        chunk({"function_call": {"arguments": A}}, "function_call"),
    )
    assert got.message.tool_calls == (ToolCall(call_id="", name="search", arguments=A),)


@pytest.mark.parametrize("value", [{}, [], "", None, 0])
def test_empty_tool_calls_are_none(value: Any) -> None:
    assert reply(chunk({"content": "a", "tool_calls": value}, "stop")).message.tool_calls == ()


@pytest.mark.parametrize("value", [{"id": "x"}, "search", 5])
def test_tool_calls_that_are_no_list(value: Any) -> None:
    with pytest.raises(BadResponse, match="not a list"):
        reply(chunk({"tool_calls": value}, "stop"))


@pytest.mark.parametrize("content", [5, {"text": "x"}])
def test_content_of_another_kind(content: Any) -> None:
    with pytest.raises(BadResponse, match="unknown shape"):
        reply(chunk({"content": content}, "stop"))


@pytest.mark.parametrize(
    ("reasons", "stop"),
    [
        (["stop"], StopReason.STOP),
        (["length", "stop"], StopReason.LENGTH),
        (["tool_calls", "stop"], StopReason.TOOL_CALLS),
        (["stop", "length"], StopReason.LENGTH),
        (["", None, "content_filter"], StopReason.CONTENT_FILTER),
        ([None], StopReason.OTHER),
        (["a_word_of_its_own"], StopReason.OTHER),
    ],
)
def test_reasons_to_stop(reasons: list[Any], stop: StopReason) -> None:
    call = chunk({"tool_calls": [piece(A, index=0, id="x", name="search")]})
    assert reply(call, *(chunk({}, r) for r in reasons)).stop is stop


@pytest.mark.parametrize("finish", ["error", "network_error"])
def test_a_stream_that_says_it_broke_off(finish: str) -> None:
    with pytest.raises(BadResponse):
        reply(chunk({"content": "half"}, finish))


def test_a_whole_message_at_the_end_takes_the_place_of_its_pieces() -> None:
    last = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "ab"}}]}
    assert reply(chunk({"content": "a"}), chunk({"content": "b"}), last).message.text == "ab"


def test_usage_at_the_end_in_every_chunk_and_inside_the_choice() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    early = {"prompt_tokens": 9, "completion_tokens": 1}
    end = {"choices": [], "usage": usage}
    inside = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage}]}
    for got in (
        reply(chunk({"content": "a"}, "stop"), end),
        reply(chunk({"content": "a"}, usage=early), chunk({}, "stop", usage=usage)),
        reply(chunk({"content": "a"}, usage=usage), chunk({}, "stop", usage=None)),
        reply(chunk({"content": "a"}), inside),
    ):
        assert (got.usage.input_tokens, got.usage.output_tokens) == (9, 2)
        assert not got.usage.estimated
    assert reply(chunk({"content": "a"}, "stop")).usage.estimated


def test_several_choices_although_one_was_asked_for() -> None:
    def at(index: int, text: str) -> dict[str, Any]:
        choice = {"index": index, "delta": {"content": text}, "finish_reason": "stop"}
        return {"choices": [choice]}

    assert reply(at(0, "same"), at(1, "same")).message.text == "same"
    with pytest.raises(BadResponse, match="several choices"):
        reply(at(0, "one"), at(1, "two"))


@pytest.mark.parametrize(
    "broken",
    [{"error": {"message": "overloaded"}}, {**chunk({}, "error"), "error": {"message": "x"}}],
)
def test_errors_inside_a_stream(broken: dict[str, Any]) -> None:
    with pytest.raises(BadResponse, match="error"):
        reply(chunk({"content": "half of"}), broken, chunk({"content": " it"}, "stop"))


ARGUMENTS = st.dictionaries(st.text(max_size=5), st.text(max_size=8), max_size=3).map(json.dumps)
NAMES = st.sampled_from(["search", "read", "submit_report"])


@given(
    st.lists(st.tuples(NAMES, ARGUMENTS), max_size=4),
    st.text(max_size=10),
    st.integers(1, 7),
    st.booleans(),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_pieces_of_any_size_make_the_unstreamed_reply(
    made: list[tuple[str, str]], text: str, step: int, numbered: bool, resent: bool, order: Any
) -> None:
    message = {
        "content": text or None,
        "tool_calls": [
            {"id": f"c{i}", "function": {"name": n, "arguments": a}}
            for i, (n, a) in enumerate(made)
        ],
    }
    lanes = []
    for i, (name, arguments) in enumerate(made):
        head = {"id": f"c{i}", **({"index": i} if numbered else {})}
        lane = [piece("", name=name, **head)]
        for start in range(0, len(arguments), step):
            again = {"name": name, **head} if resent else {"index": i} if numbered else {}
            lane.append(piece(arguments[start : start + step], **again))
        lanes.append(lane)
    pieces = [p for lane in lanes for p in lane]
    if numbered:
        pieces = []
        while lanes := [lane for lane in lanes if lane]:
            pieces.append(order.choice(lanes).pop(0))
    if numbered and not resent:
        heads = [p for p in pieces if "name" in p["function"]]
        pieces = [*heads, *(p for p in pieces if "name" not in p["function"])]
    deltas = [{"content": c} for c in text] + [{"tool_calls": [p]} for p in pieces]
    got = reply(*(chunk(d) for d in deltas), chunk({}, "stop"))
    expected = parse_completion(
        {"choices": [{"message": message, "finish_reason": "stop"}]},
        requested_model="m",
        request_tokens=1,
        request_sha256="abcdef012345",
    )
    if numbered:
        assert sorted(got.message.tool_calls, key=lambda c: c.call_id) == list(
            expected.message.tool_calls
        )
    else:
        assert got.message.tool_calls == expected.message.tool_calls
    assert got.message.text == expected.message.text
