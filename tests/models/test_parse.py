"""Provider JSON of every bent shape as a ChatReply (HARD_CASES 2, 3, 6, 9)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.models.parse import parse_reply
from draligned.schema.chat import ChatReply, StopReason
from draligned.schema.errors import BadResponse

from .doubles import completion


def read(raw: bytes) -> ChatReply:
    return parse_reply(raw, requested_model="m", request_tokens=1, request_sha256="abcdef012345")


def reply_to(message: dict[str, Any], finish: str = "stop", **extra: Any) -> ChatReply:
    return read(completion(message, finish, **extra).body)


def test_parts_are_joined_and_thinking_is_kept_apart() -> None:
    content = [
        {"type": "thinking", "thinking": "the user lives in P"},
        {"type": "text", "text": "你好"},
        {"type": "text", "text": " ok"},
        {"type": "image_url", "image_url": {"url": "x"}},
    ]
    message = reply_to({"content": content}).message
    assert message.text == "你好 ok"
    assert message.reasoning == "the user lives in P"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_fields(field: str) -> None:
    message = reply_to({"content": "a", field: "hm"}).message
    assert (message.text, message.reasoning) == ("a", "hm")


def test_nested_thinking_parts() -> None:
    part = {"type": "thinking", "thinking": [{"type": "text", "text": "so"}]}
    assert reply_to({"content": [part, "plain"]}).message.reasoning == "so"


def test_null_content_with_a_call_is_sound() -> None:
    call = {"id": "c1", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    reply = reply_to({"content": None, "tool_calls": [call]}, "tool_calls")
    assert reply.message.text is None
    assert reply.stop is StopReason.TOOL_CALLS
    assert reply.message.tool_calls[0].arguments == '{"query": "x"}'


def test_arguments_as_an_object_become_text() -> None:
    call = {"id": "c1", "function": {"name": "search", "arguments": {"query": "西湖"}}}
    (got,) = reply_to({"tool_calls": [call]}).message.tool_calls
    assert json.loads(got.arguments) == {"query": "西湖"}


def test_missing_ids_stay_empty_and_others_stay_raw() -> None:
    calls = [
        {"function": {"name": "a"}},
        {"id": "", "function": {"name": "b"}},
        {"id": "../x" * 500, "function": {"name": "c"}},
        {"id": "same"},
        {"id": "same"},
        "nonsense",
    ]
    got = reply_to({"tool_calls": calls}).message.tool_calls
    assert [c.call_id for c in got[:2]] == ["", ""]
    assert got[2].call_id == "../x" * 500
    assert [c.call_id for c in got[3:5]] == ["same", "same"]
    assert (got[5].name, got[5].arguments) == ("", "nonsense")


def test_lone_surrogates_and_nul_are_cleaned_and_flagged() -> None:
    raw = rb'{"choices": [{"message": {"content": "a\ud835b\u0000"}, "finish_reason": "stop"}]}'
    reply = read(raw)
    assert reply.message.text == "a�b�"
    assert reply.sanitised
    json.dumps(reply.to_json()).encode()


@pytest.mark.parametrize(
    ("arguments", "sanitised"),
    [
        (r'{"query": "\ud83c\udf78"}', False),
        (r'{"query": "a\ud835"}', True),
        (r'{"query": "\udf78\ud83c"}', True),
        (r'{"query": "\u0000"}', True),
        (r'{"query": "\u4f60"}', False),
        (r'{"query": "\\ud835 is a half"}', False),
    ],
)
def test_escapes_inside_arguments_stay_as_sent_and_are_flagged(
    arguments: str, sanitised: bool
) -> None:
    reply = reply_to({"tool_calls": [{"function": {"name": "search", "arguments": arguments}}]})
    assert reply.message.tool_calls[0].arguments == arguments
    assert reply.sanitised is sanitised


def test_pairs_and_joined_emoji_stay_as_they_are() -> None:
    reply = reply_to({"content": "👨‍👩‍👧 \U0001f378"})
    assert reply.message.text == "👨‍👩‍👧 🍸"
    assert not reply.sanitised


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", StopReason.STOP),
        ("end_turn", StopReason.STOP),
        ("length", StopReason.LENGTH),
        ("max_tokens", StopReason.LENGTH),
        ("content_filter", StopReason.CONTENT_FILTER),
        ("MAX_TOKENS", StopReason.LENGTH),
        ("model_length", StopReason.LENGTH),
        ("sensitive", StopReason.CONTENT_FILTER),
        ("a_word_of_its_own", StopReason.OTHER),
    ],
)
def test_stop_reasons(finish: str, stop: StopReason) -> None:
    assert reply_to({"content": "a"}, finish).stop is stop


@pytest.mark.parametrize("finish", [None, ["stop"], {"a": 1}, 1])
def test_a_stop_reason_that_is_no_word_is_other(finish: Any) -> None:
    assert reply_to({"content": "a"}, finish).stop is StopReason.OTHER


def test_a_value_given_twice_alike_is_no_contradiction() -> None:
    message = b'{"content": "a", "content": "a"}'
    raw = b'{"choices": [{"message": ' + message + b'}, {"message": ' + message + b"}]}"
    assert read(raw).message.text == "a"


def test_a_call_in_the_field_of_old_is_a_call() -> None:
    old = {"name": "search", "arguments": "{}"}
    (got,) = reply_to({"content": None, "function_call": old}, "function_call").message.tool_calls
    assert (got.call_id, got.name, got.arguments) == ("", "search", "{}")


def test_usage_as_reported() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 5,
        "completion_tokens_details": {"reasoning_tokens": 4},
        "prompt_tokens_details": {"cached_tokens": 8},
    }
    got = reply_to({"content": "a"}, usage=usage).usage
    assert (got.input_tokens, got.output_tokens) == (9, 5)
    assert (got.reasoning_tokens, got.cached_tokens) == (4, 8)
    assert not got.estimated


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": -1, "completion_tokens": 2},
        {"prompt_tokens": "9", "completion_tokens": 2},
        {"prompt_tokens": True, "completion_tokens": 2},
        {"prompt_tokens": 1.5, "completion_tokens": 2},
    ],
)
def test_missing_or_senseless_usage_is_estimated_and_says_so(usage: Any) -> None:
    got = reply_to({"content": "x" * 400}, usage=usage).usage
    assert got.estimated
    assert got.output_tokens == 100


def test_nan_in_a_field_nobody_reads_does_no_harm() -> None:
    raw = b'{"choices": [{"message": {"content": "a"}, "logprobs": NaN}], "usage": NaN}'
    assert read(raw).usage.estimated


@pytest.mark.parametrize(
    "message",
    [{"content": 5}, {"content": {"a": 1}}, {"content": "a", "tool_calls": {"id": "x"}}],
)
def test_unknown_shapes_are_bad_responses(message: dict[str, Any]) -> None:
    with pytest.raises(BadResponse):
        reply_to(message)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"choices": [{"message": {"content": "a"}, "finish_reason": "error"}]}',
        b'{"choices": [{"message": {"content": "a"}, "finish_reason": "network_error"}]}',
        b'{"choices": [{"message": {"content": "a"}, "finish_reason": "tool_calls"}]}',
        b'{"choices": [{"message": {"content": [{"type": "tool_use", "name": "search"}]}}]}',
        b'{"choices": [{"message": {"content": "a", "content": "b"}}]}',
        b'{"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]}',
        b'{"choices": [{"message": {"content": "a"}}, null]}',
        b'{"choices": [{"message": {"content": ""}, "error": {"code": 502}}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [null]}',
        b'{"choices": {}}',
        b"[" * 100_000,
        b'{"a":' * 5_000,
        b"\xff\xfe",
        b"9" * 5_000,
    ],
)
def test_other_failures_inside_a_200(raw: bytes) -> None:
    with pytest.raises(BadResponse):
        read(raw)


@pytest.mark.parametrize("depth", [50, 5000])
def test_deeply_nested_content_never_escapes_as_another_error(depth: int) -> None:
    deep = '{"type":"text","text":[' * depth + "]}" * depth
    raw = b'{"choices": [{"message": {"content": [' + deep.encode() + b"]}}]}"
    if depth == 50:
        assert read(raw).message.text is None
    else:
        with pytest.raises(BadResponse):
            read(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={"content": JSON, "tool_calls": JSON, "reasoning": JSON, "refusal": JSON},
)


@given(FIELDS, JSON, JSON)
def test_whatever_comes_is_a_reply_that_can_be_stored_or_a_bad_response(
    message: dict[str, Any], finish: Any, usage: Any
) -> None:
    payload = {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}
    try:
        reply = read(json.dumps(payload).encode())
    except BadResponse:
        return
    assert ChatReply.from_json(reply.to_json().encode("utf-8")) == reply
