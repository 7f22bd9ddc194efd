"""Two mirrored reads make a label, or none: requests (DR-56) and documents (DR-70, DR-71)."""

from collections.abc import Iterator
from dataclasses import dataclass

from draligned.verify.packets import Unit
from draligned.verify.reads import ABSTAINED, VOID, Advice, Read

MISSING, ABSENT = -3, -4
"""A read that was planned and is not there; one that was not planned."""
WORDS = {0: "NEITHER", 1: "Q_ONLY", 2: "P_ONLY", 3: "BOTH"}
_RELATIVE = {"P": {0: "NONE", 1: "OTHER_ONLY", 2: "OWN_ONLY", 3: "BOTH"},
             "Q": {0: "NONE", 1: "OWN_ONLY", 2: "OTHER_ONLY", 3: "BOTH"}}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Slot:
    """What stands for one planned or made read; `read` none where it is not there."""

    read: Read | None


Slots = dict[tuple[str, str, str], Slot]
"""By packet id, evaluator's name and role; a read neither planned nor made has none."""


def presence(bits: int) -> str:
    """Presence in words."""
    return WORDS.get(bits, "UNKNOWN")


def relative(bits: int, arm: str) -> str:
    """State relative to the run's own endpoint."""
    return _RELATIVE[arm].get(bits, "UNKNOWN")


def readout(bits: int) -> int:
    """x = P bit − Q bit; 0 where unknown."""
    return {1: -1, 2: 1}.get(bits, 0)


@dataclass(frozen=True, slots=True)
class RequestLabel:
    """A request's label, and what each read said (codes)."""

    first: int
    mirror: int
    bits: int
    reason: str


def _code(slot: Slot | None, place: int) -> int:
    if slot is None:
        return ABSENT
    if slot.read is None:
        return MISSING
    return slot.read.cells[place] if place < len(slot.read.cells) else VOID


def request_label(first: int, mirror: int) -> RequestLabel:
    """Identified when both reads are valid and equal."""
    reason = _unread(first in (ABSENT, MISSING), mirror, VOID in (first, mirror))
    if not reason and ABSTAINED in (first, mirror):
        reason = "abstained"
    if not reason and first != mirror:
        reason = "mirror_disagreement"
    return RequestLabel(first, mirror, -1 if reason else first, reason)


def _unread(first_gone: bool, mirror: int, void: bool) -> str:
    """Why two reads cannot be compared; blank where they can."""
    if first_gone:
        return "read_missing"
    if mirror == ABSENT:
        return "single_read"
    if mirror == MISSING:
        return "read_missing"
    return "void_read" if void else ""


def request_labels(
    unit: Unit, slots: Slots, evaluators: tuple[str, ...]
) -> Iterator[tuple[str, int, RequestLabel]]:
    """Evaluator, request number and label of all requests of a packet."""
    for name in evaluators:
        both = [slots.get((unit.packet_id, name, role)) for role in ("first", "mirror")]
        for place, number in enumerate(unit.numbers):
            yield name, number, request_label(_code(both[0], place), _code(both[1], place))


@dataclass(frozen=True, slots=True)
class TextReads:
    """Both reads of a text by one evaluator."""

    first: Slot | None
    mirror: Slot | None

    def advice(self, role: str) -> Advice | None:
        """Main advice of a read that could be read."""
        slot = self.first if role == "first" else self.mirror
        read = slot.read if slot else None
        return read.advice if read and read.status == "ok" else None

    @property
    def outside(self) -> int:
        """Bits that both reads find outside of the main advice."""
        reads = [s.read if s else None for s in (self.first, self.mirror)]
        a, b = (r.outside if r and r.status == "ok" else 0 for r in reads)
        return a & b

    def cap_hit(self) -> bool:
        """Whether a read of the text met the cap of items."""
        return any(s.read.cap_hit for s in (self.first, self.mirror) if s and s.read)

    def word(self, role: str) -> str | None:
        """What a read says; none where it has no basis."""
        advice = self.advice(role)
        return presence(advice.bits) if advice and advice.n_resolved else None

    def label(self, policy: str) -> "TextLabel":
        """The label under a policy on items of unresolved direction."""
        a, b = self.advice("first"), self.advice("mirror")
        reason = self._unread()
        if not reason and a and b:
            reason = _unlike(a, b, policy)
        bits = a.bits if a and not reason else -1
        return TextLabel(bits, reason, (_mean(a) + _mean(b)) / 2)

    def _unread(self) -> str:
        reads = [s.read if s else None for s in (self.first, self.mirror)]
        if any(r is not None and r.status == "oversize" for r in reads):
            return "oversize"
        void = any(r is not None and r.status == "void" for r in reads)
        mirror = ABSENT if self.mirror is None else MISSING if self.mirror.read is None else 0
        return _unread(reads[0] is None, mirror, void)


@dataclass(frozen=True, slots=True)
class TextLabel:
    """A text's label; `x_items` = mean x over resolved main items, averaged over both reads."""

    bits: int
    reason: str
    x_items: float


def _mean(advice: Advice | None) -> float:
    return advice.x_sum / max(advice.n_resolved, 1) if advice else 0.0


def _unlike(a: Advice, b: Advice, policy: str) -> str:
    """Why two reads that could be read give no label; blank if they do."""
    if not (a.n_resolved and b.n_resolved):
        return "no_basis"
    if _blocked(a, policy) or _blocked(b, policy):
        return "unresolved_items"
    return "" if a.bits == b.bits else "mirror_disagreement"


def _blocked(advice: Advice, policy: str) -> bool:
    open_items = advice.n_main > advice.n_resolved
    if policy == "block_none":
        return open_items and advice.bits == 0
    return open_items and policy == "block_all"
