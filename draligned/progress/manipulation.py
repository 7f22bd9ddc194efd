"""Whether a switch for reasoning did switch it: the manipulation check of `thinking` (SI-52)."""

from collections.abc import Iterable

from draligned.schema.base import Record
from draligned.schema.progress import ReplyStatus, StageDesign, StageReply

SWITCH = "thinking"
"""Factor of a stimulus, with the levels `on` and `off`."""
LEAST = 0.5
"""Share of replies with reasoning that the switch must reach when on (our choice; with it off there
may be none at all)."""


class Manipulation(Record):
    """Scorable replies, and those that came with reasoning, by level of the switch."""

    on: int
    on_reasoned: int
    off: int
    off_reasoned: int

    @property
    def switched(self) -> bool:
        """Whether replies on both levels may be compared."""
        return (
            self.on_reasoned >= max(1, LEAST * self.on) and not self.off_reasoned and self.off > 0
        )

    @property
    def reason(self) -> str:
        """What was seen, in words; empty where the switch did switch."""
        if self.switched:
            return ""
        return (
            f"manipulation check: reasoning in {self.on_reasoned} of {self.on} replies with the "
            f"switch on, in {self.off_reasoned} of {self.off} with it off"
        )


def manipulation(design: StageDesign, replies: Iterable[StageReply]) -> Manipulation | None:
    """What became of the switch in one lane; none for a design without one.

    Reasoning counts as seen where the provider gave its text or counted its tokens.
    """
    levels = {s.stimulus_id: s.factors[SWITCH] for s in design.stimuli if SWITCH in s.factors}
    if not levels:
        return None
    seen = [
        (levels[r.position.stimulus_id], r.reasoning_shown)
        for r in replies
        if r.status is ReplyStatus.OK
    ]
    on, off = ([shown for level, shown in seen if level == name] for name in ("on", "off"))
    return Manipulation(on=len(on), on_reasoned=sum(on), off=len(off), off_reasoned=sum(off))
