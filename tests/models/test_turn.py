"""One turn: what a reply amounts to, and which calls can be executed (HARD_CASES 1, 2)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.models.turn import MAX_ARGUMENT_CHARS, Turn, TurnKind, read_turn, take_turn
from draligned.schema.chat import ChatReply, Message, StopReason, ToolCall, Usage

from .doubles import completion, request, rig, tool

TOOLS = (tool("search", "query"), tool("read", "url"))


def turn_of(
    text: str | None = None, *calls: tuple[str, str], stop: StopReason = StopReason.STOP
) -> Turn:
    made = tuple(
        ToolCall(call_id=f"c{i}", name=name, arguments=raw) for i, (name, raw) in enumerate(calls)
    )
    reply = ChatReply(
        message=Message(role="assistant", text=text, tool_calls=made),
        stop=stop,
        usage=Usage(input_tokens=1, output_tokens=1),
        requested_model="m",
        echoed_model=None,
        request_sha256="0",
    )
    return read_turn(reply, TOOLS)


@pytest.mark.parametrize(
    "text", [None, "", "  \n\t", "\u3000", "\u200b\ufeff\u2060", "\x00", "\ufffd \ufffd", "\u202e"]
)
def test_a_blank_turn_is_empty(text: str | None) -> None:
    assert turn_of(text).kind is TurnKind.EMPTY


@pytest.mark.parametrize("text", ["done", "\u200b。", "👨\u200d👩\u200d👧", "\ufffd?"])
def test_text_alone_is_text(text: str) -> None:
    assert turn_of(text).kind is TurnKind.TEXT


@pytest.mark.parametrize("stop", [StopReason.LENGTH, StopReason.CONTENT_FILTER])
def test_a_cut_voids_the_calls_of_its_turn(stop: StopReason) -> None:
    turn = turn_of(None, ("search", '{"query": "a"}'), stop=stop)
    assert turn.kind in (TurnKind.LENGTH_CUT, TurnKind.FILTERED)
    assert turn.valid == ()
    assert turn.invalid == ()


def test_valid_and_invalid_calls_of_one_turn() -> None:
    turn = turn_of(None, ("search", '{"query": "a)'), ("read", '{"url": "http://x"}'))
    assert turn.kind is TurnKind.CALLS
    (bad,) = turn.invalid
    (good,) = turn.valid
    assert (bad.index, bad.arguments) == (0, '{"query": "a)')
    assert "not valid JSON" in bad.problem
    assert (good.index, good.name, dict(good.args)) == (1, "read", {"url": "http://x"})


def test_broken_calls_alone_never_end_a_turn_as_text() -> None:
    assert turn_of("I am done", ("search", "{")).kind is TurnKind.CALLS


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("serach", '{"query": "a"}', "the tools are: search, read"),
        ("", "", "there is no tool"),
        ("search", "", "not valid JSON"),
        ("search", "[1]", "not a JSON object"),
        ("search", "{}", "'query' is missing"),
        ("search", '{"query": "a", "n": "3"}', "no parameter 'n'"),
        ("search", '{"query": 5}', "must be a string"),
        ("search", '{"query": null}', "must be a string"),
        ("search", '{"query": NaN}', "not valid JSON"),
        ("search", '{"query": "a", "query": "b"}', "duplicate key"),
        ("search", '{"query": "a"} trailing', "not valid JSON"),
        ("search", "[" * 50_000, "nested too deeply"),
        ("search", '{"query": "' + "x" * MAX_ARGUMENT_CHARS + '"}', "longer than"),
    ],
)
def test_problems_are_named(name: str, arguments: str, problem: str) -> None:
    (bad,) = turn_of(None, (name, arguments)).invalid
    assert problem in bad.problem
    assert bad.arguments == arguments


def test_surrogates_inside_arguments() -> None:
    raw = r'{"query": "\ud83c\udf78 \ud835"}'
    (good,) = turn_of(None, ("search", raw)).valid
    assert good.args["query"] == "🍸 �"


@given(st.dictionaries(st.sampled_from(["query", "q"]), st.text() | st.integers()))
def test_accepted_arguments_are_exactly_the_strings_sent(args: dict[str, Any]) -> None:
    turn = turn_of(None, ("search", json.dumps(args)))
    sound = set(args) == {"query"} and isinstance(args["query"], str)
    assert len(turn.valid) == sound
    assert len(turn.invalid) == (not sound)


async def test_take_turn_reads_against_the_tools_of_the_request() -> None:
    call = {"id": "c", "function": {"name": "read", "arguments": '{"url": "u"}'}}
    r = rig(completion({"content": None, "tool_calls": [call]}, "tool_calls"))
    turn = await take_turn(r.model, request(tools=TOOLS))
    assert turn.valid[0].args == {"url": "u"}
    other = await take_turn(r.model, request(tools=TOOLS), (tool("search", "query"),))
    assert other.invalid[0].name == "read"


async def test_thinking_alone_is_an_empty_turn() -> None:
    r = rig(completion({"content": "", "tool_calls": [], "reasoning_content": "hm"}))
    turn = await take_turn(r.model, request(tools=TOOLS))
    assert turn.kind is TurnKind.EMPTY
    assert turn.reply.message.reasoning == "hm"
