"""Replies of a design as one long table: a row a position, in words and flags (SI-22, SI-30)."""

from collections.abc import Iterable, Mapping

import pandas as pd

from draligned.progress.score import score
from draligned.schema.errors import DamageError
from draligned.schema.progress import Score, StageDesign, StageReply, Stimulus

FLAGS = (
    "s", "m", "e", "v", "f", "called", "advanced", "false_completion", "marker_only", "spoke",
    "task_passed",
)  # fmt: skip
CELL = ("scenario_id", "family", "point", "lang", "arm", "encoding", "duty")


def scored(design: StageDesign, replies: Iterable[StageReply]) -> pd.DataFrame:
    """One row a stored reply, sorted; `stage` is Z*, `occasion` D, `due` whether the
    arm and its duty require a report.

    Flags are nullable: null where nothing could be scored. Factors of the design are columns of
    their own, `factor_<name>`. Raises `DamageError` for a reply to no stimulus of the design.
    """
    stimuli = {s.stimulus_id: s for s in design.stimuli}
    rows = [_row(stimuli, reply) for reply in replies]
    names = sorted({f"factor_{name}" for s in design.stimuli for name in s.factors})
    columns = [*_LEADING, *names, "layer", "problem", "claimed", *FLAGS, *_TRAILING]
    frame = pd.DataFrame(rows, columns=columns)
    frame[list(FLAGS)] = frame[list(FLAGS)].astype("boolean")
    frame = frame.astype(
        {"due": bool, "occasion": bool, "repetition": int, "reasoning_shown": "boolean"}
    )
    keys = ["deployment", "stimulus_id", "repetition"]
    return frame.sort_values(keys, kind="stable", ignore_index=True)


_LEADING = (
    "design", "deployment", "model_key", "stimulus_id", "repetition", "position_id", *CELL,
    "stage", "occasion", "due", "status",
)  # fmt: skip
_TRAILING = ("stop", "reasoning_shown")


def _row(stimuli: Mapping[str, Stimulus], reply: StageReply) -> dict[str, object]:
    position = reply.position
    asked = stimuli.get(position.stimulus_id)
    if asked is None:
        raise DamageError(f"a reply answers {position.stimulus_id}, no stimulus of the design")
    found = score(asked, reply)
    return {
        **position.model_dump(),
        **{name: getattr(asked, name) for name in CELL},
        "stage": asked.gold.stage.value,
        "occasion": asked.gold.duty,
        "due": asked.required.duty,
        "status": reply.status.value,
        **{f"factor_{name}": value for name, value in asked.factors.items()},
        **_scores(found),
        "stop": reply.stop,
        "reasoning_shown": reply.reasoning_shown if found.s else None,
    }


def _scores(found: Score) -> dict[str, object]:
    words = {
        "position_id": found.position_id,
        "layer": found.layer.value,
        "problem": found.problem,
        "claimed": found.claimed,
    }
    return {**words, **{name: getattr(found, name) for name in FLAGS}}
