"""The responses interface: what goes out, what comes back, streamed and not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.models.encode import UNREAD
from draligned.models.encode_responses import RESERVED, encode_responses_request
from draligned.models.parse_responses import parse_response
from draligned.models.payload import Payload
from draligned.models.wires import wire_of
from draligned.schema.chat import ChatReply, Message, StopReason, ToolCall
from draligned.schema.config import ModelConfig, ProviderConfig
from draligned.schema.errors import BadResponse, ConfigError

from .doubles import request, tool

CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "search", "arguments": "{}"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}
SECRET = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "opaque"}


def answer(*output: Any, **fields: Any) -> Payload:
    """A completed answer."""
    usage = {"input_tokens": 9, "output_tokens": 4}
    base = {"model": "echoed", "status": "completed", "error": None, "usage": usage}
    return {**base, "output": list(output), **fields}


def parse(payload: Payload, *, echo: bool = False) -> ChatReply:
    return parse_response(
        payload, requested_model="m", request_tokens=1, request_sha256="ab", echo=echo
    )


def body(*messages: Message, params: Any = None, mode: str = "drop", **fields: Any) -> Any:
    provider = ProviderConfig.model_validate({"api": "responses", "reasoning_content": mode})
    config = ModelConfig(provider="p", model="m-1", params=params or {})
    return json.loads(encode_responses_request(request(*messages, **fields), config, provider).body)


def test_the_body() -> None:
    talk = (
        Message(role="system", text="sys"),
        Message(role="user", text="q {x}"),
        Message(
            role="assistant",
            tool_calls=(
                ToolCall(call_id="c1", name="search", arguments='{"query": "a"}'),
                ToolCall(call_id="c2", name="no such\ntool", arguments="{broken"),
            ),
        ),
        Message(role="tool", text="found", tool_call_id="c1"),
        Message(role="tool", text="invalid", tool_call_id="c2"),
        Message(role="assistant", text="done", reasoning="thought"),
    )
    assert body(*talk, params={"top_p": 0.5}, tools=(tool("search", "query"),)) == {
        "model": "m-1",
        "store": False,
        "top_p": 0.5,
        "input": [
            {"type": "message", "role": "system", "content": "sys"},
            {"type": "message", "role": "user", "content": "q {x}"},
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "search",
                "arguments": '{"query": "a"}',
            },
            {
                "type": "function_call",
                "call_id": "c2",
                "name": "unknown_tool",
                "arguments": json.dumps({UNREAD: "{broken"}, separators=(",", ":")),
            },
            {"type": "function_call_output", "call_id": "c1", "output": "found"},
            {"type": "function_call_output", "call_id": "c2", "output": "invalid"},
            {"type": "message", "role": "assistant", "content": "done"},
        ],
        "tools": [
            {
                "type": "function",
                "name": "search",
                "description": "search",
                "parameters": tool("search", "query").parameters,
                "strict": False,
            }
        ],
    }


@pytest.mark.parametrize(
    ("params", "limit"),
    [({}, 100), ({"max_output_tokens": 40}, 40), ({"max_output_tokens": 900}, 100)],
)
def test_the_smaller_output_limit_holds(params: Any, limit: int) -> None:
    assert body(params=params, max_output_tokens=100)["max_output_tokens"] == limit


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({}, {"format": {"type": "json_object"}}),
        ({"text": {"verbosity": "low"}}, {"format": {"type": "json_object"}, "verbosity": "low"}),
        ({"text": {"format": {"type": "text"}}}, {"format": {"type": "text"}}),
        ({"text": None}, None),
    ],
)
def test_json_mode_gives_way_to_params(params: Any, text: Any) -> None:
    got = body(params=params, json_mode=True)
    assert got.get("text") == text
    assert ("text" in got) == (text is not None)


@pytest.mark.parametrize("key", sorted(RESERVED))
def test_reserved_parameters_are_refused(key: str) -> None:
    wire = wire_of(ProviderConfig(api="responses"))
    with pytest.raises(ConfigError, match=rf"models\.m\.params may not set {key}"):
        wire.settings("m", ModelConfig(provider="p", model="m", params={key: 1, "top_p": 1}))


def test_reasoning_goes_back_where_it_stood_or_not_at_all() -> None:
    second = {**SECRET, "id": "rs_2"}
    other = {**CALL, "call_id": "c2"}
    payload = answer(SECRET, SAID, CALL, {**second, "status": None}, other)
    kept = parse(payload, echo=True).message
    sent = body(kept, mode="echo")
    kinds = [i.get("id") or i.get("call_id") or i["role"] for i in sent["input"]]
    assert kinds == ["rs_1", "assistant", "c1", "rs_2", "c2"]
    assert sent["input"][0] == SECRET
    assert sent["include"] == ["reasoning.encrypted_content"]
    dropped = body(kept, mode="drop")
    assert "reasoning" not in {i["type"] for i in dropped["input"]}
    assert "include" not in dropped
    assert parse(payload).message.reasoning_state is None


def test_reasoning_without_anything_to_send_back_is_left_out() -> None:
    summary = {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}]}
    got = parse(answer(summary, SAID), echo=True).message
    assert (got.reasoning, got.reasoning_state) == ("hm", None)
    shown = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "so"}]}
    state = parse(answer(shown, CALL), echo=True).message
    assert state.reasoning == "so"
    (sent, _) = body(state, mode="echo")["input"]
    assert sent == {"summary": [], **shown}


@pytest.mark.parametrize("state", ["{", "[1]", "5", '[["a", {}]]', "[[0, 1]]", "[[0]]"])
def test_a_state_that_cannot_be_read_sends_nothing_back(state: str) -> None:
    message = Message(role="assistant", text="a", reasoning_state=state)
    assert body(message, mode="echo")["input"] == [
        {"type": "message", "role": "assistant", "content": "a"}
    ]


def test_include_of_the_user_is_kept() -> None:
    got = body(mode="echo", params={"include": ["message.output_text.logprobs"]})
    assert got["include"] == ["message.output_text.logprobs", "reasoning.encrypted_content"]


def test_an_answer() -> None:
    got = parse(answer(SECRET, SAID, CALL))
    assert got.message.text == "hi"
    assert got.message.tool_calls == (ToolCall(call_id="c1", name="search", arguments="{}"),)
    assert (got.stop, got.echoed_model) == (StopReason.TOOL_CALLS, "echoed")
    assert (got.usage.input_tokens, got.usage.output_tokens) == (9, 4)


def test_usage_with_details() -> None:
    usage = {
        "input_tokens": 9,
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 4},
        "input_tokens_details": {"cached_tokens": 8},
    }
    got = parse(answer(SAID, usage=usage)).usage
    assert (got.reasoning_tokens, got.cached_tokens, got.estimated) == (4, 8, False)
    assert parse(answer(SAID, usage=None)).usage.estimated


@pytest.mark.parametrize(
    ("item", "call"),
    [
        ({"call_id": None, "name": "search", "arguments": "{}"}, ("", "search", "{}")),
        ({"call_id": 7, "name": None, "arguments": None}, ("", "", "")),
        (
            {"call_id": "i" * 10_000, "name": "n\n", "arguments": {"a": 1}},
            ("i" * 10_000, "n\n", '{"a": 1}'),
        ),
        ({"arguments": [1]}, ("", "", "[1]")),
    ],
)
def test_odd_calls(item: Any, call: Any) -> None:
    (got,) = parse(answer({"type": "function_call", **item})).message.tool_calls
    assert (got.call_id, got.name, got.arguments) == call


def test_refusals_thoughts_and_unknown_items() -> None:
    content = [{"type": "refusal", "refusal": "no"}, {"type": "odd"}]
    got = parse(answer({"type": "message", "content": content}, {"type": "compaction"}))
    assert got.message.text == "no"
    assert parse(answer({"type": "web_search_call"}, SAID)).message.text == "hi"
    assert parse(answer()).message.text is None
    assert parse(answer({"type": "message", "content": "plain"})).message.text == "plain"


@pytest.mark.parametrize(
    "payload",
    [
        answer({"type": "custom_tool_call", "name": "x"}),
        answer(SAID, {"type": "computer_call"}),
        answer({"type": "mcp_approval_request"}),
        answer({"type": "message", "content": [{"type": "tool_use"}]}),
        answer({"type": "message", "content": 5}),
        answer(SAID, status="failed"),
        answer(SAID, status="in_progress"),
        answer(SAID, status="cancelled"),
        answer(SAID, status=["completed"]),
        answer(SAID, status="incomplete"),
        answer(SAID, status="incomplete", incomplete_details={"reason": "stop"}),
        answer(SAID, status="incomplete", incomplete_details={"reason": "interrupted"}),
        answer(SAID, status="incomplete", incomplete_details="max_output_tokens"),
        answer(SAID, error={"message": "overloaded"}),
        {"output": None},
        {"output": {}},
        {"output": ["text"]},
        {"choices": [{"message": {"content": "a chat"}}]},
        {},
    ],
)
def test_what_is_no_answer(payload: Payload) -> None:
    with pytest.raises(BadResponse):
        parse(payload)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("max_output_tokens", StopReason.LENGTH),
        ("max_tokens", StopReason.LENGTH),
        ("content_filter", StopReason.CONTENT_FILTER),
    ],
)
def test_incomplete_answers(reason: str, stop: StopReason) -> None:
    payload = answer(SAID, CALL, status="incomplete", incomplete_details={"reason": reason})
    assert parse(payload).stop is stop


def test_surrogates_are_cleaned_at_the_one_boundary() -> None:
    half = {"type": "message", "content": [{"type": "output_text", "text": "a\ud835\x00"}]}
    thought = {"type": "reasoning", "encrypted_content": "x\udf78"}
    got = parse(answer(thought, half), echo=True)
    assert (got.message.text, got.sanitised) == ("a��", True)
    assert ChatReply.from_json(got.to_json().encode()) == got


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)
KINDS = st.sampled_from(["message", "reasoning", "function_call", "other"])
_FIELDS = ("content", "summary", "call_id", "name", "arguments", "encrypted_content", "id")
FIELDS = st.fixed_dictionaries(
    {"type": KINDS},
    optional=dict.fromkeys(
        ("content", "summary", "call_id", "name", "arguments", "encrypted_content", "id"), JSON
    ),
)


@given(st.lists(FIELDS, max_size=3), JSON, st.booleans())
def test_whatever_comes_is_a_reply_that_can_be_stored_or_a_bad_response(
    output: list[Any], usage: Any, echo: bool
) -> None:
    try:
        reply = parse(answer(*output, usage=usage), echo=echo)
    except BadResponse:
        return
    assert ChatReply.from_json(reply.to_json().encode("utf-8")) == reply
    body(reply.message, mode="echo")
