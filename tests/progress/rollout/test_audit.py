"""The store refuses what it should; a refusal that a lenient reading would lift is pointed out."""

from pathlib import Path

import pytest

from draligned.progress.rollout import audit
from draligned.progress.rollout.audit import (
    FalseVerdict,
    audit_set,
    is_suspect,
    rejections,
    require_verdicts,
)
from draligned.progress.rollout.trajectory import resumed
from draligned.progress.scenarios import load_scenarios
from draligned.progress.state import Refusal, TaskState, execute, spoken
from draligned.schema.errors import DamageError
from draligned.schema.rollout import CallDone
from draligned.schema.strictjson import dumps
from tests.progress.rollout.acting import CHECK, LOOK, ONE, SCENARIO, TWO, Turn, cell_of, tag
from tests.progress.rollout.test_outcomes import played

ALL = [*load_scenarios("main", "zh"), *load_scenarios("main", "en")]
SAID = spoken(TaskState(), said=True)


def test_every_scenario_passes_the_audit_set() -> None:
    assert require_verdicts(ALL) == len(ALL) * len(audit_set(SCENARIO)) == 24 * 14
    assert {k.verdict for k in audit_set(SCENARIO)} == {None, *Refusal}


def test_a_store_that_kills_a_right_call_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(scenario, state, tool, args):  # type: ignore[no-untyped-def]
        """Takes no value with spaces around it: a false kill."""
        padded = any(v != v.strip() for v in args.values() if v.strip())
        return execute(scenario, state, tool, {} if padded else args)

    monkeypatch.setattr(audit, "execute", strict)
    with pytest.raises(
        FalseVerdict, match="sched-01: move_meeting comes to missing_field, not None"
    ):
        require_verdicts(ALL)


def call(tool: str, args: object, refused: str = "value_not_accepted") -> CallDone:
    return CallDone(
        call_id="c", tool=tool, arguments=args if isinstance(args, str) else dumps(args),
        refused=refused, result="",
    )  # fmt: skip


GOOD = SCENARIO.one.args
AFTER = execute(SCENARIO, SAID, SCENARIO.one.tool, GOOD).state


@pytest.mark.parametrize(
    ("state", "made", "expected"),
    [
        (SAID, call("move_meeting", {**GOOD, "new_start": "2026-11-05 14:30:00"}), True),
        (SAID, call("move_meeting", {**GOOD, "meeting_id": 318}), True),
        (SAID, call("move_meeting", {**GOOD, "reason": "x"}), True),
        (SAID, call("Move_Meeting", GOOD, "unknown_tool"), True),
        (SAID, call("move_meeting", {**GOOD, "new_start": "下周四下午"}), False),
        (SAID, call("move_meeting", {"meeting_id": "M-318"}, "missing_field"), False),
        (SAID, call("notify_attendees", {"change_id": "CHG-7740"}, "unknown_identifier"), False),
        (AFTER, call("notify_attendees", {"change_id": "chg-7740 "}, "unknown_identifier"), True),
        (AFTER, call("notify_attendees", {"change_id": "CHG-1"}, "unknown_identifier"), False),
        (AFTER, call("move_meeting", GOOD, "already_done"), False),
        (SAID, call("move_meeting", '{"meeting_id": "M-318"', "invalid_call"), False),
        (SAID, call("delete_meeting", {}, "unknown_tool"), False),
    ],
)
def test_suspects_are_what_a_lenient_reading_would_execute(
    state: TaskState, made: CallDone, expected: bool
) -> None:
    assert is_suspect(SCENARIO, state, made) is expected


async def test_recorded_refusals_are_replayed(tmp_path: Path) -> None:
    early: Turn = [("notify_attendees", '{"change_id": "CHG-7740"}')]
    typed: Turn = [("move_meeting", '{"meeting_id": 318, "new_start": "2026-11-05 14:30"}')]
    turns: list[Turn] = [
        LOOK,
        early,
        tag("needs_information"),
        CHECK,
        typed,
        ONE,
        TWO,
        tag("completed"),
    ]
    steps = await played(tmp_path, "B1", turns)
    cell, here = cell_of("B1")
    cells = {cell.trajectory_id: (cell, here)}
    found = rejections([steps], cells)
    assert found[["tool", "refused", "suspect", "sequence"]].to_numpy().tolist() == [
        ["notify_attendees", "unknown_identifier", False, 2],
        ["move_meeting", "invalid_call", True, 5],
    ]
    assert set(found["outcome"]) == {"ok"}
    (refused,) = steps[1].calls
    forged = refused.model_copy(
        update={"refused": None, "result": '{"status":"ok","notified":"6"}'}
    )
    broken = (steps[0], steps[1].model_copy(update={"calls": (forged,)}), *steps[2:])
    with pytest.raises(DamageError, match="answers call"):
        rejections([broken], cells)


async def test_a_record_of_work_that_the_store_does_not_come_to_is_damage(tmp_path: Path) -> None:
    steps = await played(tmp_path, "B1", [LOOK, tag("needs_information"), CHECK, ONE, TWO])
    forged = (steps[0].model_copy(update={"done": True}), *steps[1:])
    with pytest.raises(DamageError, match="step 1: the store does not come to what is recorded"):
        resumed(*cell_of("B1"), forged)
