"""Runs of a cell by what they ask about, and cells with P and Q drawn anew (DR-92, DR-93, Q13).

A cell is task × user × factor × model × harness × environment; its runs are those of the panel,
in order of their ids, and A/A runs as further runs of condition P.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from draligned.verify.intervals import percentile
from draligned.verify.logs import Run
from draligned.verify.pairs import Cell
from draligned.verify.study import ALL, Study
from draligned.verify.subproblems import asked_of

MOST = 2_000
Counted = tuple[int, int]
"""Successes and units."""
Couple = tuple[int, int]
"""Places of two runs."""


@dataclass(frozen=True, kw_only=True)
class Asker:
    """One run of a cell."""

    run: Run
    is_p: bool
    of_panel: bool
    weights: dict[str, Fraction]
    """Requests by subproblem; a request of several is parted equally."""
    n_requests: int
    n_unassigned: int
    mapped: bool
    """Whether its task has a list, or nothing was asked."""

    @property
    def able(self) -> bool:
        """Done, observed in full, and with an assigned request."""
        return self.run.state == "done" and self.run.observes["a"] == "full" and bool(self.weights)

    @property
    def no_map(self) -> bool:
        """Whether nothing but the list is missing."""
        seen = self.run.state == "done" and self.run.observes["a"] == "full"
        return seen and self.n_requests > 0 and not self.mapped

    def share(self, key: str) -> Fraction:
        """Of its assigned requests."""
        return self.weights.get(key, Fraction(0)) / sum(self.weights.values())


@dataclass(kw_only=True)
class Asked:
    """One cell."""

    cell: Cell
    askers: list[Asker] = field(default_factory=list)

    @property
    def able(self) -> list[Asker]:
        """Runs that can be compared."""
        return [a for a in self.askers if a.able]

    def within(self, harness: str, model: str) -> bool:
        """Whether it belongs to a row."""
        return self.cell[4] == harness and model in (self.cell[3], ALL)

    @property
    def subproblems(self) -> list[str]:
        """All that a comparable run asks about."""
        return sorted({key for a in self.able for key in a.weights})

    @property
    def first(self) -> list[Asker]:
        """The panel's run of least replicate on either side, where there is one."""
        panel = [a for a in self.askers if a.of_panel]
        panel.sort(key=lambda a: (a.run.cell.replicate, a.run.run_id))
        sides = ([a for a in panel if a.is_p is side] for side in (True, False))
        return [found[0] for found in sides if found]


def couples(askers: Sequence[Asker], *, same: bool) -> list[tuple[Asker, Asker]]:
    """Of one condition, or of both."""
    return [(a, b) for a, b in combinations(askers, 2) if (a.is_p == b.is_p) is same]


def cells_of(study: Study) -> list[Asked]:
    """Every planned cell, in the order of its names."""
    known = {run.run_id for run in study.runs}
    aa = study.sets.get("aa")
    again = [r for r in (aa.runs if aa else ()) if r.run_id not in known]
    found: dict[Cell, Asked] = {}
    for run, of_panel in [*((r, True) for r in study.runs), *((r, False) for r in again)]:
        task, user, model, harness, environment = run.names
        cell = (task, user, run.factors[0][0], model, harness, environment)
        asker = _asker(study, run, of_panel=of_panel)
        found.setdefault(cell, Asked(cell=cell)).askers.append(asker)
    for asked in found.values():
        asked.askers.sort(key=lambda a: a.run.run_id)
    return [found[cell] for cell in sorted(found)]


def _asker(study: Study, run: Run, *, of_panel: bool) -> Asker:
    weights: dict[str, Fraction] = {}
    asked = list(asked_of(run, study.design))
    for _, keys in asked:
        for key in keys:
            weights[key] = weights.get(key, Fraction(0)) + Fraction(1, len(keys))
    return Asker(
        run=run,
        is_p=run.factors[0][1] == "P" or not of_panel,
        of_panel=of_panel,
        weights=weights,
        n_requests=len(run.seen.requests) if run.seen else 0,
        n_unassigned=sum(not keys for _, keys in asked),
        mapped=bool(asked),
    )


def requests_in(cells: Sequence[Asked], harness: str, model: str) -> tuple[int | None, int | None]:
    """Requests of tasks with a list, and those of no subproblem; none where there are none."""
    mine = [a for c in cells if c.within(harness, model) for a in c.askers if a.mapped]
    if not mine:
        return None, None
    return sum(a.n_requests for a in mine), sum(a.n_unassigned for a in mine)


def labellings(is_p: Sequence[bool], seed: int) -> Iterator[NDArray[np.bool_]]:
    """All ways to call as many runs P, the first places first; of very many, so many drawn."""
    n, n_p = len(is_p), sum(is_p)
    if comb(n, n_p) > MOST:
        generator = np.random.Generator(np.random.PCG64(seed))
        for _ in range(MOST):
            yield generator.permutation(np.array(is_p, dtype=bool))
        return
    for places in combinations(range(n), n_p):
        yield np.array([place in places for place in range(n)])


Null = tuple[float | None, float | None, float | None, float | None]
"""Mean share, its central 95 %, and how often it is as large as what was seen."""


def null_of(cells: Sequence[list[Counted]], observed: float, seed: int, draws: int) -> Null:
    """A share with the labels of every cell drawn anew; `cells`: what each labelling gives."""
    nothing = (None, None, None, None)
    if not cells:
        return nothing
    generator = np.random.Generator(np.random.PCG64(seed))
    sums = np.zeros((draws, 2))
    for cell in cells:
        sums += np.array(cell, dtype=float)[generator.integers(0, len(cell), size=draws)]
    kept = sums[sums[:, 1] > 0]
    if not len(kept):
        return nothing
    shares = kept[:, 0] / kept[:, 1]
    as_large = sum(1 for share in shares if share >= observed - 1e-12)
    return (float(shares.mean()), *percentile(shares), (1 + as_large) / (1 + len(shares)))


def counted(cell: Asked, count: Callable[[Sequence[bool]], Counted], seed: int) -> list[Counted]:
    """What each labelling of a cell's comparable runs gives."""
    return [
        count([bool(p) for p in flags]) for flags in labellings([a.is_p for a in cell.able], seed)
    ]
