"""Every outcome is reached, by what an agent does; what a gate cannot cause is impossible."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from draligned.gates.rule import ReplyFacts
from draligned.progress.rollout.arms import ARMS, MAIN, arms, gates_of
from draligned.progress.rollout.moves import move
from draligned.progress.rollout.play import play
from draligned.progress.rollout.shelf import Steps, trajectories
from draligned.schema.chat import ChatReply, ChatRequest, StopReason
from draligned.schema.errors import ConfigError, ProviderError, RequestRefused
from draligned.schema.rollout import RolloutOutcome, RolloutStep, Stop, outcome_of
from draligned.store.local import LocalStore
from draligned.study.claims import Claims
from tests.progress.rollout.acting import (
    CHECK,
    LANE,
    LOOK,
    ONE,
    SCENARIO,
    TWO,
    Scripted,
    Turn,
    cell_of,
    reply,
    tag,
)

WAITS, ENDS = tag("needs_information"), tag("completed")
WORK: list[Turn] = [CHECK, ONE, TWO]
LOST = ProviderError("gone")


async def played(root: Path, arm: str, turns: list[Turn] | Scripted) -> Steps:
    """One trajectory to its end."""
    store, (cell, here) = LocalStore(root), cell_of(arm)
    model = turns if isinstance(turns, Scripted) else Scripted(turns)
    await play(
        store, Claims(store), LANE, {cell.trajectory_id: (cell, here)}, model,
        limit=None, concurrency=1, progress=lambda *_: None,
    )  # fmt: skip
    return trajectories(store, LANE.model_key)[cell.trajectory_id]


@pytest.mark.parametrize(
    ("arm", "turns", "outcome", "stop", "replies"),
    [
        ("B1", [LOOK, WAITS, *WORK, ENDS], "ok", "claimed", 6),
        ("B1", [LOOK, WAITS, *WORK, "好了。"], "ok", "state", 6),
        ("B1", [LOOK, "哪天？"], "dead_end", "unmarked", 2),
        ("B1", [LOOK, f"{WAITS}\n再见"], "dead_end", "unmarked", 2),
        ("B1", [ENDS], "premature", "claimed", 1),
        ("B1", [LOOK, WAITS, CHECK, tag("ready_for_action")], "stall", "silence", 4),
        ("B1", [LOOK], "turn_cap", "cap", 20),
        ("B1", [LOOK, LOST], "transport", "transport", 1),
        ("B2", [LOOK, "哪天？", *WORK, "好了。"], "ok", "state", 6),
        ("B2", [LOOK, ENDS, CHECK, ENDS], "stall", "silence", 4),
        ("B2", [CHECK], "turn_cap", "cap", 20),
        ("B2", [LOOK, LOST], "transport", "transport", 1),
        ("A", [LOOK, "哪天？", *WORK], "ok", "state", 5),
        ("A", [LOOK, "哪天？", "确认吗？"], "stall", "reprompted", 6),
        ("A-matched", [ENDS, ENDS, ENDS, ENDS, *WORK], "ok", "state", 7),
        ("A-matched", [ENDS], "stall", "reprompted", 5),
        ("A-matched", [CHECK], "turn_cap", "cap", 20),
        ("A-matched", [LOOK, LOST], "transport", "transport", 1),
        ("B3", [LOOK, "哪天？", *WORK, [("finish_session", "{}")]], "ok", "claimed", 6),
        ("B3", [[("finish_session", "")]], "premature", "claimed", 1),
        ("B3", [ENDS, ENDS], "stall", "silence", 2),
        ("A1", [LOOK, "哪天？", *WORK], "ok", "state", 5),
        ("A1", ["哪天？", "哪天？"], "stall", "silence", 2),
        ("A2", ["哪天？"], "turn_cap", "cap", 8),
        ("A2", [LOOK, "哪天？", *WORK, "好了。"], "ok", "state", 6),
        ("C", [LOOK, WAITS, *WORK], "ok", "state", 5),
        ("C", [LOOK, "哪天？"], "dead_end", "unmarked", 2),
    ],
)
async def test_an_outcome_follows_from_what_was_done(
    tmp_path: Path, arm: str, turns: list[Turn], outcome: str, stop: str, replies: int
) -> None:
    steps = await played(tmp_path, arm, turns)
    last = steps[-1]
    assert (last.outcome, last.stop) == (outcome, stop)
    assert sum(step.message is not None for step in steps) == replies
    assert last.done is (outcome == "ok")


async def test_work_that_is_done_at_the_cap_or_before_an_empty_reply_is_ok(tmp_path: Path) -> None:
    """State before the reason of stopping (Q36); transport before the state."""
    late = await played(tmp_path / "cap", "B1", [LOOK, WAITS, *WORK, LOOK])
    assert (late[-1].outcome, late[-1].stop, len(late)) == ("ok", "cap", 20)
    lost = await played(tmp_path / "lost", "B1", [LOOK, WAITS, *WORK, LOST])
    assert (lost[-1].outcome, lost[-1].done) == ("transport", True)


async def test_who_speaks_next(tmp_path: Path) -> None:
    """One user for all arms; the leave to use defaults comes from the user, the runtime, or not."""
    said = {}
    for arm in MAIN:
        turns: list[Turn] = [LOOK, WAITS, tag("ready_for_action", "确认吗？")]
        steps = await played(tmp_path / arm, arm, turns)
        said[arm] = [(s.said.by, s.said.text) for s in steps if s.said]
    answer = SCENARIO.missing.answer
    assert (
        said["B1"] == said["B2"] == [("user", f"{answer}其余的都按默认办，不用再问我，直接办完。")]
    )
    assert said["A"][0] == said["A-matched"][0] == ("user", answer)
    assert said["A"][1:] == [("runtime", "[系统] 任务还没有完成，请继续。")] * 3
    (matched,) = set(said["A-matched"][1:])
    assert "按默认" in matched[1]
    assert len(said["A-matched"]) == 4


async def test_re_prompts_are_counted_in_a_row_without_an_executed_call(tmp_path: Path) -> None:
    """A refused call does not begin the count anew, an executed one does (Q34)."""
    refused: Turn = [("move_meeting", '{"meeting_id": "M-318"}')]
    talk: list[Turn] = ["一", "二", "三"]
    stalled = await played(tmp_path / "r", "A", ["问", *talk, refused, "四", "五"])
    assert (stalled[-1].outcome, len(stalled)) == ("stall", 6)
    goes_on = await played(tmp_path / "e", "A", ["问", *talk, LOOK, *talk, *WORK])
    assert (goes_on[-1].outcome, len(goes_on)) == ("ok", 11)


FACTS = st.builds(
    ReplyFacts,
    text=st.one_of(st.none(), st.text(), st.sampled_from([ENDS, WAITS, "", f"{ENDS}\n{WAITS}"])),
    n_calls=st.integers(0, 2), submitted=st.booleans(), state_done=st.booleans(),
    decisions=st.integers(1, 25), reprompts=st.integers(0, 5),
)  # fmt: skip


@given(arm=st.sampled_from(sorted(ARMS)), facts=FACTS, answers=st.integers(0, 1))
def test_no_gate_ends_a_session_in_a_way_that_its_arm_cannot(
    arm: str, facts: ReplyFacts, answers: int
) -> None:
    """Dead end and premature are impossible under B2 and A, whatever the agent says (SI-92)."""
    known = ARMS[arm]
    found = move(known, facts, answers=answers)
    assert (found.stop is None) != (found.next is None)
    if found.stop is None:
        return
    outcome = outcome_of(found.stop, facts.state_done)
    assert outcome in known.possible
    if arm in ("B2", "A", "A-matched"):
        assert outcome not in (RolloutOutcome.DEAD_END, RolloutOutcome.PREMATURE)


@pytest.mark.parametrize("arm", ["B2", "A", "A-matched"])
async def test_a_record_of_the_impossible_cannot_be_made(tmp_path: Path, arm: str) -> None:
    steps = await played(tmp_path, arm, ["哪天？"])
    assert {"dead_end", "premature"}.isdisjoint(steps[-1].possible)
    for stop, outcome in ((Stop.UNMARKED, "dead_end"), (Stop.CLAIMED, "premature")):
        forged = {**steps[-1].model_dump(), "stop": stop, "outcome": outcome}
        with pytest.raises(ValidationError, match=f"{outcome} is impossible under {arm}"):
            RolloutStep.model_validate(forged)


def test_an_outcome_is_what_its_reason_says() -> None:
    for stop in Stop:
        if stop is not Stop.TRANSPORT:
            assert outcome_of(stop, True) is RolloutOutcome.OK
    assert outcome_of(Stop.TRANSPORT, True) is RolloutOutcome.TRANSPORT
    with pytest.raises(ValueError, match="work done"):
        outcome_of(Stop.STATE, False)


async def test_a_refused_request_is_a_loss_at_once(tmp_path: Path) -> None:
    (only,) = await played(tmp_path, "B2", [RequestRefused("no", status=400)])
    assert (only.outcome, only.message, only.sequence) == ("transport", None, 1)
    assert only.detail == "RequestRefused: no"


def test_arms_are_named_by_the_shared_gates() -> None:
    assert [a.name for a in arms(["B1,B2", "A"])] == ["B1", "B2", "A"]
    assert [a.name for a in arms([])] == list(MAIN)
    assert [a.name for a in arms(["A-unmatched", "A"])] == ["A"]
    assert [[g.name for g in gates_of(a)] for a in arms(["B1,C"])] == [
        ["marker"], ["marker", "typed_state"],
    ]  # fmt: skip
    with pytest.raises(ConfigError, match="no gate 'b1'; there are B1, B2, A, "):
        arms(["b1"])


@pytest.mark.parametrize("stop", [StopReason.LENGTH, StopReason.CONTENT_FILTER])
async def test_a_cut_reply_has_no_calls_and_is_a_spoken_turn(
    tmp_path: Path, stop: StopReason
) -> None:
    """Its calls are voided, as in every loop, so that no call stands without its result."""

    class Cut(Scripted):
        async def complete(self, request: ChatRequest) -> ChatReply:
            return reply(LOOK, stop=stop)

    for arm, outcome in (("B1", "dead_end"), ("B2", "stall")):
        steps = await played(tmp_path / arm, arm, Cut([]))
        assert (steps[-1].outcome, steps[0].voided, steps[0].calls) == (outcome, 1, ())
        assert all(s.message is not None and not s.message.tool_calls for s in steps)
        assert steps[0].detail == {"length": "length_cut"}.get(stop.value, "filtered")
