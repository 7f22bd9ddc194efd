"""What each gate says to every kind of reply: whole truth tables, written by hand."""

from itertools import product
from typing import Any

import pytest

from draligned.gates.hard_cap import HARD_CAP, TURN_CAP, hard_cap
from draligned.gates.marker import DONE, MARKER, STAGES, marker_gate
from draligned.gates.registry import GATES
from draligned.gates.reprompts import REPROMPT_LIMIT, stalled
from draligned.gates.rule import ReplyFacts
from draligned.gates.terminal_tool import TERMINAL_TOOL
from draligned.gates.typed_state import TYPED_STATE


def facts(**known: Any) -> ReplyFacts:
    return ReplyFacts(**{"text": None, "n_calls": 0, "submitted": False, **known})


TEXTS = (None, "", "完成。", "<stage>completed</stage>", "<stage>ready_for_action</stage>")
ALL = [
    facts(text=text, n_calls=calls, submitted=submitted, state_done=done, decisions=n, reprompts=r)
    for text, calls, submitted, done, n, r in product(
        TEXTS, (0, 1, 2), (False, True), (False, True), (1, 20, 96), (0, 3)
    )
]
"""Every combination of what a gate may be told."""


@pytest.mark.parametrize("reply", ALL)
def test_the_table(reply: ReplyFacts) -> None:
    spoken = reply.n_calls == 0
    expected = {
        "no_tool_call": spoken,
        "marker": spoken and reply.text == "<stage>completed</stage>",
        "terminal_tool": reply.submitted,
        "typed_state": reply.state_done,
        "hard_cap": reply.decisions in (20, 96),
        "runtime_owned": reply.state_done,
    }
    assert {name: gate.stops(reply) for name, gate in GATES.items()} == expected


def test_a_gate_is_a_function_of_its_facts() -> None:
    for gate in GATES.values():
        assert [gate.stops(r) for r in ALL] == [gate.stops(r) for r in ALL]


def test_the_marker_gate_ends_by_the_terminal_value_alone() -> None:
    stops = [v for v in STAGES if MARKER.stops(facts(text=f"好。\n<stage>{v}</stage>"))]
    assert stops == [DONE]


def test_the_marker_gate_believes_a_marker_and_not_the_state() -> None:
    assert MARKER.stops(facts(text="<stage>completed</stage>", state_done=False))
    assert not MARKER.stops(facts(text="完成。", state_done=True, submitted=True))


def test_a_marker_in_a_turn_with_calls_is_not_asked() -> None:
    assert not MARKER.stops(facts(text="<stage>completed</stage>", n_calls=1))


def test_values_terminal_and_encoding_can_be_others() -> None:
    gate = marker_gate({"todo", "fertig"}, "fertig", "json")
    assert gate.stops(facts(text='{"stage": "fertig"}'))
    assert not gate.stops(facts(text="<stage>fertig</stage>"))
    assert not gate.stops(facts(text='{"stage": "completed"}'))
    with pytest.raises(ValueError, match="is none of"):
        marker_gate({"todo"}, "done")


@pytest.mark.parametrize(("turns", "stop_at"), [(1, [1, 2, 3]), (3, [3])])
def test_the_cap_stops_at_its_reply_and_after(turns: int, stop_at: list[int]) -> None:
    assert [n for n in (1, 2, 3) if hard_cap(turns).stops(facts(decisions=n))] == stop_at


def test_a_cap_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="before the first"):
        hard_cap(0)
    assert not HARD_CAP.stops(facts(decisions=TURN_CAP - 1))


def test_a_stall_is_a_spoken_reply_after_the_last_re_prompt() -> None:
    assert [n for n in range(5) if stalled(facts(reprompts=n))] == [REPROMPT_LIMIT, 4]
    assert not stalled(facts(reprompts=REPROMPT_LIMIT, n_calls=1))


def test_submission_and_state_are_two_facts() -> None:
    assert TERMINAL_TOOL.stops(facts(submitted=True, state_done=False))
    assert not TERMINAL_TOOL.stops(facts(submitted=False, state_done=True))
    assert TYPED_STATE.stops(facts(submitted=False, state_done=True))
    assert not TYPED_STATE.stops(facts(submitted=True, state_done=False))
