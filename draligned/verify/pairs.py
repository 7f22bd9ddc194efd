"""Matched pairs and their values (DR-83 … DR-85, Q11, Q16)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from draligned.verify.arms import Arm, Counts, x_of
from draligned.verify.ids import id_of
from draligned.verify.labels import readout

Cell = tuple[str, str, str, str, str, str]
"""Task, user, factor, model, harness, environment."""


def sign(number: float) -> int:
    """−1, 0 or 1."""
    return (number > 0) - (number < 0)


@dataclass(frozen=True, slots=True)
class Pair:
    """One planned pair under one evaluator; an arm without a planned run is none."""

    pair_id: str
    cell: Cell
    evaluator: str
    p: Arm | None
    q: Arm | None

    def arm(self, side: str) -> Arm | None:
        """The arm of a side, `p` or `q`."""
        return self.p if side == "p" else self.q

    def reason(self, channel: str, side: str) -> str:
        """Why the channel of an arm was not read; blank if it was."""
        arm = self.arm(side)
        if arm is None:
            return "not_planned"
        return arm.acq.reason if channel == "a" else arm.final.reason

    def status(self, channel: str) -> str:
        """Whether the channel was read in both arms, or in which not."""
        p, q = (bool(self.reason(channel, side)) for side in "pq")
        return ("readable", "unreadable_q", "unreadable_p", "unreadable_both")[2 * p + q]

    def counts(self, side: str) -> Counts:
        """Counts of an arm's requests; zeros without an arm."""
        arm = self.arm(side)
        return arm.counts if arm else Counts()

    def x(self, side: str) -> int:
        """x of an arm's final."""
        arm = self.arm(side)
        return x_of(arm) if arm else 0

    def x_items(self, side: str) -> float:
        """Mean x over resolved main items of an arm's final."""
        arm = self.arm(side)
        return arm.final.x_items if arm else 0.0

    def acq_x(self, side: str) -> int:
        """x of the OR over an arm's identified requests."""
        arm = self.arm(side)
        return readout(arm.acq.bits) if arm else 0

    @property
    def d_a_parts(self) -> tuple[int, int]:
        """d_A as a fraction of whole numbers."""
        p, q = self.counts("p"), self.counts("q")
        return p.net * q.n_identified - q.net * p.n_identified, p.n_identified * q.n_identified

    @property
    def d_a(self) -> float:
        """m_P − m_Q."""
        top, bottom = self.d_a_parts
        return top / max(bottom, 1)

    @property
    def d_a_zero(self) -> bool:
        """Whether d_A is exactly 0."""
        return self.d_a_parts[0] == 0

    @property
    def d_f_raw(self) -> int:
        """x_P − x_Q."""
        return self.x("p") - self.x("q")

    @property
    def d_f(self) -> int:
        """Its sign."""
        return sign(self.d_f_raw)

    @property
    def d_finals_mean(self) -> float:
        """Difference of mean x over items."""
        return self.x_items("p") - self.x_items("q")

    @property
    def d_requests_sign(self) -> int:
        """Sign of the difference of the requests' ORs."""
        return sign(self.acq_x("p") - self.acq_x("q"))


def cell_of(arm: Arm) -> Cell:
    """What the two runs of a pair share."""
    task, user, model, harness, environment = arm.run.names
    return (task, user, arm.factor_id, model, harness, environment)


def pairs_of(arms: Iterable[Arm], pairing: str) -> list[Pair]:
    """All planned pairs, in the order of evaluator, harness, model, task and id."""
    cells: dict[tuple[Cell, str], dict[str, list[Arm]]] = defaultdict(lambda: {"P": [], "Q": []})
    for arm in arms:
        cells[cell_of(arm), arm.evaluator][arm.side].append(arm)
    found = [
        pair
        for (cell, evaluator), sides in cells.items()
        for pair in _of_cell(cell, evaluator, sides, pairing)
    ]
    return sorted(found, key=lambda p: (p.evaluator, p.cell[4], p.cell[3], p.cell[0], p.pair_id))


def _of_cell(
    cell: Cell, evaluator: str, sides: dict[str, list[Arm]], pairing: str
) -> Iterator[Pair]:
    ordered: dict[str, list[Arm | None]] = {
        side: [*sorted(arms, key=lambda a: (a.run.cell.replicate, a.run.run_id))] or [None]
        for side, arms in sides.items()
    }
    if pairing == "first":
        yield Pair(id_of("pair", *cell), cell, evaluator, ordered["P"][0], ordered["Q"][0])
        return
    for p in ordered["P"]:
        for q in ordered["Q"]:
            ids = [arm.run.run_id if arm else None for arm in (p, q)]
            yield Pair(id_of("pair", *cell, *ids), cell, evaluator, p, q)
