"""Gates applied after the fact: what they come to on records whose truth is known by hand."""

from pathlib import Path

import pytest

from draligned.gates.rule import ReplyFacts
from draligned.progress.regate import (
    BOUNDARY,
    ENDED_FIRST,
    LOST,
    NO_STATE,
    NOT_ASKED,
    REASONS,
    REPLAYED,
    SPOKEN,
    Decision,
    Recorded,
    Replayed,
    gates_named,
    of_episode,
    of_rollout,
    replay,
)
from draligned.progress.regate_tables import regate, summary
from draligned.schema.chat import Message, StopReason, ToolCall, Usage
from draligned.schema.errors import ConfigError, RequestRefused
from draligned.schema.events import (
    DelegationClosed,
    DelegationOpened,
    Event,
    ModelTurn,
    RunHeader,
    Submitted,
)
from tests.progress.rollout.acting import CHECK, LOOK, ONE, TWO, Turn, tag
from tests.progress.rollout.test_outcomes import played

WAITS, ENDS = tag("needs_information"), tag("completed")
GONE = RequestRefused("no", status=400)
SENT = Submitted(sequence=2, call_index=0, text_sha256="0", chars=3)
TALK: list[Turn] = [LOOK, WAITS, CHECK, ONE, TWO, ENDS]
PLAIN: list[Turn] = [LOOK, "哪天？", CHECK, ONE, TWO, "好了。"]


async def record(root: Path, arm: str, turns: list[Turn]) -> Recorded:
    return of_rollout(await played(root, arm, turns), rehearsal=False)


def told(found: Replayed) -> tuple[str, int | None, int | None, int | None, str]:
    return (found.verdict.value, found.stopped_at, found.saved, found.late, found.reason)


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ("marker", ("right_stop", 6, 0, 1, "")),
        ("marker_strict", ("right_stop", 6, 0, 1, "")),
        ("no_tool_call", ("false_completion", 2, 4, None, SPOKEN)),
        ("typed_state", ("right_stop", 5, 1, 0, "")),
        ("runtime_owned", ("right_stop", 5, 1, 0, "")),
        ("terminal_tool", ("missed_completion", None, None, None, NOT_ASKED)),
        ("hard_cap", ("unknown", None, None, None, ENDED_FIRST)),
    ],
)
async def test_a_finished_trajectory_with_reports(
    tmp_path: Path, gate: str, expected: tuple[str, int | None, int | None, int | None, str]
) -> None:
    """Six replies; the work is done after the fifth, the marker says so in the sixth."""
    assert told(replay(await record(tmp_path, "B1", TALK), REPLAYED[gate])) == expected


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ("marker", ("missed_completion", None, NOT_ASKED)),
        ("marker_strict", ("false_completion", 2, NOT_ASKED)),
        ("no_tool_call", ("false_completion", 2, SPOKEN)),
        ("typed_state", ("right_stop", 5, "")),
    ],
)
async def test_where_reports_were_never_asked_for_the_row_says_so(
    tmp_path: Path, gate: str, expected: tuple[str, int | None, str]
) -> None:
    found = replay(await record(tmp_path, "B2", PLAIN), REPLAYED[gate])
    assert (found.verdict, found.stopped_at, found.reason) == expected


async def test_an_unfinished_record_has_no_completion_to_miss(tmp_path: Path) -> None:
    stalled = await record(tmp_path, "B1", [LOOK, WAITS])
    verdicts = {name: replay(stalled, gate).verdict.value for name, gate in REPLAYED.items()}
    assert verdicts == {
        "hard_cap": "went_on", "marker": "went_on", "marker_strict": "went_on",
        "no_tool_call": "false_completion", "runtime_owned": "went_on",
        "terminal_tool": "went_on", "typed_state": "went_on",
    }  # fmt: skip
    false = replay(await record(tmp_path / "f", "B1", [ENDS]), REPLAYED["marker"])
    assert told(false) == ("false_completion", 1, 0, None, "")


@pytest.mark.parametrize("gate", ["marker", "terminal_tool"])
async def test_a_gate_is_not_blamed_for_replies_that_were_never_asked(
    tmp_path: Path, gate: str
) -> None:
    """A ends with the call that finishes the work: nobody knows what would have been said next."""
    own = await record(tmp_path, "A", TALK)
    assert len(own.decisions) == 5
    assert told(replay(own, REPLAYED[gate])) == (
        "unknown", None, None, None, f"{NOT_ASKED} {ENDED_FIRST}",
    )  # fmt: skip


@pytest.mark.parametrize("turns", [[LOOK, WAITS, GONE], [GONE]])
async def test_what_a_lost_reply_broke_off_is_no_behaviour(
    tmp_path: Path, turns: list[Turn]
) -> None:
    """Neither a gate that went on nor a record left out: also where no reply came at all."""
    broken = await record(tmp_path, "B1", turns)
    assert broken.ended_as == "transport"
    for name in ("marker", "typed_state", "hard_cap"):
        assert told(replay(broken, REPLAYED[name])) == ("unknown", None, None, None, LOST)
    frame = regate([broken], gates_named(["marker"]))
    assert list(frame["replies"]) == [len(turns) - 1]
    assert summary(frame).loc[0, ["records", "unknown"]].tolist() == [1, 1]


async def test_speech_that_a_script_or_a_stage_answered_is_named() -> None:
    bodies = [said("which city?"), said(None, calls=1), SENT, said("here it is")]
    events = [Event(seq=n, utc="", mono=0, prev="", body=b) for n, b in enumerate(bodies)]
    found = of_episode(HEADER, "submitted", events)
    spoken = replay(found, REPLAYED["no_tool_call"])
    assert told(spoken) == ("false_completion", 1, 2, None, SPOKEN)


async def test_a_cap_stops_whatever_is_said(tmp_path: Path) -> None:
    capped = await record(tmp_path, "B2", [LOOK])
    assert told(replay(capped, REPLAYED["hard_cap"])) == ("false_completion", 20, 0, None, "")


async def test_a_gate_replayed_on_its_own_record_stops_where_it_stopped(tmp_path: Path) -> None:
    """The record of an arm ends at the reply at which its gate, asked again, stops."""
    for arm, gate in (("B1", "marker_strict"), ("A", "runtime_owned"), ("A1", "typed_state")):
        own = await record(tmp_path / arm, arm, TALK)
        found = replay(own, REPLAYED[gate])
        assert (found.stopped_at, found.saved) == (len(own.decisions), 0), arm


def unknown(*texts: str) -> Recorded:
    decisions = tuple(
        Decision(facts=ReplyFacts(text=t, n_calls=0, submitted=False, decisions=n), done=None)
        for n, t in enumerate(texts, 1)
    )
    return Recorded(
        source="research", record_id="r", deployment="m", under="coupled", ended_as="text_reply",
        decisions=decisions, asked_for=frozenset(), rehearsal=False,
    )  # fmt: skip


def test_without_a_submission_the_truth_is_unknown_and_the_stop_is_still_told() -> None:
    found = replay(unknown("a report", "more"), REPLAYED["no_tool_call"])
    assert told(found) == ("unknown", 1, 1, None, f"{SPOKEN} {NO_STATE}")


async def test_counts_keep_savings_and_what_was_cut_off_apart(tmp_path: Path) -> None:
    records = [
        await record(tmp_path / "a", "B1", TALK), await record(tmp_path / "b", "B1", [LOOK, WAITS]),
        unknown("x"),
    ]  # fmt: skip
    frame = regate(records, gates_named(["typed_state,no_tool_call"]))
    assert len(frame) == 6
    table = summary(frame).set_index(["source", "gate"])
    state, speech = table.loc[("rollout", "typed_state")], table.loc[("rollout", "no_tool_call")]
    assert (state["right_stop"], state["went_on"], state["saved"], state["cut_off"]) == (1, 1, 1, 0)
    assert (speech["false_completion"], speech["saved"], speech["cut_off"]) == (2, 0, 5)
    assert table.loc[("research", "typed_state"), "unknown"] == 1
    assert set(table["boundary"]) == {BOUNDARY}
    assert set(frame["evidence"]) == {"Audit/engineering"}
    assert "would have done after another answer" in BOUNDARY
    assert {c for cell in table["reason"] for c in cell.split()} <= set(REASONS)


def test_gates_are_named() -> None:
    assert [g.name for g in gates_named(["marker", "typed_state,marker"])] == [
        "marker", "typed_state",
    ]  # fmt: skip
    assert [g.name for g in gates_named([])] == sorted(REPLAYED)
    with pytest.raises(ConfigError, match="no gate 'B1' to replay; there are hard_cap, marker, "):
        gates_named(["B1"])


def said(text: str | None, calls: int = 0) -> ModelTurn:
    made = tuple(ToolCall(call_id=f"c{n}", name="search", arguments="{}") for n in range(calls))
    return ModelTurn(
        sequence=1, message=Message(role="assistant", text=text, tool_calls=made),
        stop=StopReason.STOP, usage=Usage(input_tokens=1, output_tokens=1),
        requested_model="m", echoed_model=None,
    )  # fmt: skip


HEADER = RunHeader(
    run_id="r", attempt=1, condition_id="c", design_sha256="0", model_name="m", model_key="k",
    requested_model="m", harness_name="H-D", harness_key="h", environment="e", replicate=1,
    observes={}, rehearsal=False, started_utc="", versions={},
)  # fmt: skip


def test_a_reply_inside_a_delegation_is_no_decision_of_the_loop() -> None:
    """Its closing words end the delegation alone; the submission is that of the turn before."""
    bodies = [
        said(None, calls=1), DelegationOpened(sequence=1, call_index=0, number=1, messages=()),
        said("done in here"),
        DelegationClosed(number=1, reason="answered", text_sha256=None), said(None, calls=1),
        Submitted(sequence=3, call_index=0, text_sha256="0", chars=3), said("here it is"),
    ]  # fmt: skip
    events = [Event(seq=n, utc="", mono=0, prev="", body=b) for n, b in enumerate(bodies)]
    found = of_episode(HEADER, "submitted", events)
    assert [d.done for d in found.decisions] == [False, True, True]
    assert told(replay(found, REPLAYED["no_tool_call"])) == ("right_stop", 3, 0, 1, "")
    assert told(replay(found, REPLAYED["terminal_tool"])) == ("right_stop", 2, 1, 0, "")
