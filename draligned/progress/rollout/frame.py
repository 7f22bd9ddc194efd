"""Trajectories as tables: a row a trajectory, and a row a spoken reply under an arm that asks for
reports."""

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from draligned.gates.marker import STAGES
from draligned.gates.marker_text import read_marker
from draligned.models.turn import TurnKind
from draligned.progress.rollout.shelf import Steps
from draligned.schema.errors import InputError
from draligned.schema.progress import Stage
from draligned.schema.rollout import RolloutOutcome, RolloutStep

KEYS = ("deployment", "arm", "lang", "scenario_id", "repetition")
HASHES = ("instructions", "reporting", "tools", "user")
UNMARKED, UNREADABLE, SPOKEN = "unmarked", "unreadable", "spoken"
_CUT: Mapping[str, str] = {
    TurnKind.EMPTY: "empty", TurnKind.LENGTH_CUT: "cut", TurnKind.FILTERED: "filtered",
}  # fmt: skip
REPLIES = (UNMARKED, UNREADABLE, SPOKEN, *_CUT.values())
"""Kinds of last replies."""
CAUSES: Mapping[RolloutOutcome, tuple[str, ...]] = {
    RolloutOutcome.DEAD_END: (UNMARKED, UNREADABLE, *_CUT.values()),
    RolloutOutcome.STALL: (SPOKEN, *_CUT.values()),
}
"""Those that an end by speech can have."""


def trajectory_frame(found: Iterable[Steps]) -> pd.DataFrame:
    """One row an ended trajectory, sorted. Raises `InputError` where none has ended."""
    rows = [_row(steps) for steps in found if steps[-1].outcome is not None]
    if not rows:
        raise InputError("no trajectory that counts has ended; see `progress status`")
    frame = pd.DataFrame(rows)
    return frame.sort_values(list(KEYS), kind="stable", ignore_index=True)


def _row(steps: Steps) -> dict[str, object]:
    last, calls = steps[-1], [call for step in steps for call in step.calls]
    return {
        **_head(last), "trajectory_id": last.cell.trajectory_id,
        "outcome": None if last.outcome is None else last.outcome.value,
        "stop": None if last.stop is None else last.stop.value,
        "done": last.done, "replies": sum(step.message is not None for step in steps),
        "calls": len(calls), "rejected": sum(call.refused is not None for call in calls),
        "reprompts": sum(step.said is not None and step.said.by == "runtime" for step in steps),
        "answered": any(step.said is not None and step.said.by == "user" for step in steps),
        "cause": cause_of(last), "detail": last.detail, **last.inputs.model_dump(),
    }  # fmt: skip


def cause_of(last: RolloutStep) -> str | None:
    """What kind of reply a dead end or a stall came of; none of other ends.

    A cut or filtered reply is named before its text is looked at, whatever that holds.
    """
    if last.message is None or last.outcome not in CAUSES:
        return None
    if last.detail in _CUT:
        return _CUT[last.detail]
    if last.outcome is RolloutOutcome.STALL:
        return SPOKEN
    emitted = read_marker(last.message.text or "", STAGES, "xml").emitted
    return UNREADABLE if emitted else UNMARKED


def _head(step: RolloutStep) -> dict[str, object]:
    return {name: getattr(step.cell, name) for name in KEYS}


def spoken_frame(found: Iterable[Steps]) -> pd.DataFrame:
    """One row a spoken reply where reports are asked for; `due` where it follows a tool result
    (SI-11), `clean` where its marker tells the true stage."""
    rows = [row for steps in found for row in _spoken(steps)]
    columns = [*KEYS, "trajectory_id", "sequence", "stage", "due", "clean", "claimed", "problem",
               "survivor"]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns)
    return frame.sort_values([*KEYS, "sequence"], kind="stable", ignore_index=True)


def _spoken(steps: Steps) -> Iterator[dict[str, object]]:
    for step in steps:
        if step.message is None or step.calls or step.inputs.reporting is None:
            continue
        reading = read_marker(step.message.text or "", STAGES, "xml")
        yield {
            **_head(step), "trajectory_id": step.cell.trajectory_id, "sequence": step.sequence,
            "stage": step.before.stage.value, "due": step.before.duty,
            "clean": reading.value == step.before.stage.wire, "claimed": reading.value,
            "problem": None if reading.problem is None else reading.problem.value,
            "survivor": step.before.stage is Stage.COMPLETED,
        }  # fmt: skip
