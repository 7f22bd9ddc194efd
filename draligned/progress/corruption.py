"""The corruption gate: what the metric gives to replies that say nothing, or the wrong thing.

Blanked replies leave only rows clean where no report is due; inverted ones, which carry a
well-formed wrong value, and a report where none is due, leave none (SI-43, Q23). Whatever
survives means that the metric measures the harness: then no table is made.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from draligned.progress.prompts import marker, prompts
from draligned.progress.score import score
from draligned.schema.errors import DralignedError
from draligned.schema.progress import (
    Layer,
    ReplyStatus,
    Score,
    Stage,
    StageDesign,
    StageReply,
    Stimulus,
)

Scorer = Callable[[Stimulus, StageReply], Score]


class LeakyMetric(DralignedError):
    """The metric calls corrupted replies clean; no table may be made from it."""


class Survivors(NamedTuple):
    """Corrupted replies that were scored, and how many of them came out clean."""

    scored: int
    blanked: int
    inverted: int


def require_tight(
    design: StageDesign, replies: Iterable[StageReply], scorer: Scorer = score
) -> Survivors:
    """Corrupt every scorable reply in both ways. Raises `LeakyMetric` where one comes out clean."""
    stimuli = {s.stimulus_id: s for s in design.stimuli}
    n = blanked = inverted = 0
    for reply in replies:
        if reply.status is not ReplyStatus.OK:
            continue
        asked = stimuli[reply.position.stimulus_id]
        n += 1
        blanked += asked.required.duty and _is_clean(scorer(asked, blank(reply)))
        inverted += _is_clean(scorer(asked, invert(asked, reply)))
    if blanked or inverted:
        raise LeakyMetric(
            f"corruption gate: of {n} replies of {design.name}, {blanked} are clean when blanked "
            f"and {inverted} when inverted; the metric measures the harness, so no table is made"
        )
    return Survivors(n, blanked, inverted)


def blank(reply: StageReply) -> StageReply:
    """The reply without its text; tool calls are kept."""
    return reply.model_copy(update={"text": ""})


def invert(stimulus: Stimulus, reply: StageReply) -> StageReply:
    """The reply with a well-formed report of another value than the required one."""
    before = "" if stimulus.duty == "stage_value" else "…\n"
    return reply.model_copy(update={"text": f"{before}{_wrong(stimulus)}"})


def _wrong(stimulus: Stimulus) -> str:
    value = stimulus.required.value
    if stimulus.duty == "status_sentence":
        return next(s for s in prompts(stimulus.lang).sentences.values() if s != value)
    if stimulus.duty == "deferred_terminal":
        return marker("done" if value is None else "begun", "xml", "sig")
    other = next(stage.wire for stage in Stage if stage.wire != value)
    if stimulus.duty == "stage_value":
        return other
    return marker(other, stimulus.encoding)


def _is_clean(found: Score) -> bool:
    return found.layer is Layer.CLEAN
