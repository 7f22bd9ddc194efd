"""Agenda and allocation of requests over broad subproblems, made anew (DR-92, DR-93, Q13)."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import combinations, compress
from math import lcm
from typing import Any

from draligned.verify.agenda_cells import (
    Asked,
    Asker,
    Counted,
    cells_of,
    counted,
    couples,
    null_of,
    requests_in,
)
from draligned.verify.clustered import RESAMPLED, Drawn, by_task, share
from draligned.verify.compare import Own
from draligned.verify.pairs import Cell
from draligned.verify.study import ALL, Study

_COMPARISONS = ("pairs", "within", "between")
_NULL = ("null_share", "null_lo", "null_hi", "null_p")
Numbers = tuple[int, ...]


def _has_list(cells: Iterable[Asked]) -> bool:
    return any(a.mapped for cell in cells for a in cell.askers if a.of_panel)


def _rows_of(cells: Sequence[Asked]) -> list[tuple[str, str]]:
    """Harness and model of every row."""
    return sorted({(c.cell[4], model) for c in cells for model in (c.cell[3], ALL)})


def agenda(study: Study) -> Own:
    """Do two runs ask about the same subproblems?"""
    counts = ("n_couples", "n_comparable", "n_units", "n_both", "n_uncertain")
    columns = ("harness", "model", "comparison", "status", "reason", *counts, "n_tasks",
               "both_share", "both_lo", "both_hi", "both_task_lo", "both_task_hi", *_NULL,
               "n_requests", "n_unassigned", *RESAMPLED, "development")  # fmt: skip
    cells = cells_of(study)
    nulls = {c.cell: counted(c, _agreeing(c.able), study.settings.measure.seed)
             for c in cells if _both_sorts(c)}  # fmt: skip
    rows = [
        (*names, comparison, *_agenda_row(study, cells, (*names, comparison), nulls),
         names[0] in study.development)
        for names in (_rows_of(cells) if _has_list(cells) else ())
        for comparison in _COMPARISONS
    ]  # fmt: skip
    return Own(name="agenda", columns=columns, rows=rows, keys=columns[:3])


def _agenda_row(
    study: Study,
    cells: Sequence[Asked],
    names: tuple[str, str, str],
    nulls: dict[Cell, list[Counted]],
) -> Iterator[Any]:
    harness, model, comparison = names
    mine = [c for c in cells if c.within(harness, model)]
    numbers = [(c.cell[0], _agenda_counts(c, comparison)) for c in mine]
    planned, able, units, both, open_ends = (sum(n[k] for _, n in numbers) for k in range(5))
    yield "ok" if units else "unknown"
    yield None if units else "empty"
    yield from (planned, able, units, both, open_ends)
    yield len({task for task, n in numbers if n[2]})
    tops, bottoms = (by_task((task, n[k]) for task, n in numbers) for k in (3, 2))
    header = yield from _shares(study, (harness, model), (both, units), (tops, bottoms))
    told = [nulls[c.cell] for c in mine if c.cell in nulls and comparison == "between"]
    yield from _null(study, told, both, units)
    yield from requests_in(cells, harness, model)
    yield from header


def _shares(
    study: Study, names: tuple[str, str], total: Counted, tasks: tuple[Any, Any]
) -> Generator[Any, None, tuple[Any, ...]]:
    """Share, Wilson's limits and those over tasks; returns the header of the draws."""
    yield from share(*total)
    drawn = Drawn(study, *names)
    yield from drawn.limits(*tasks)
    return drawn.header


def _null(study: Study, cells: list[list[Counted]], top: int, bottom: int) -> Iterator[Any]:
    measure = study.settings.measure
    yield from null_of(cells, top / max(bottom, 1), measure.seed, measure.draws)


def _both_sorts(cell: Asked) -> bool:
    return bool(couples(cell.able, same=True) and couples(cell.able, same=False))


def _agenda_counts(cell: Asked, comparison: str) -> Numbers:
    """Couples planned and comparable, units, successes, and units that may be successes."""
    planned, able = _chosen(cell, comparison, cell.askers), _chosen(cell, comparison, cell.able)
    units = both = open_ends = 0
    for a, b in able:
        for key in {*a.weights, *b.weights}:
            units += 1
            in_a, in_b = key in a.weights, key in b.weights
            both += in_a and in_b
            other = None if in_a and in_b else b if in_a else a
            open_ends += other is not None and other.n_unassigned > 0
    return len(planned), len(able), units, both, open_ends


def _chosen(cell: Asked, comparison: str, askers: Sequence[Asker]) -> list[tuple[Asker, Asker]]:
    if comparison == "pairs":
        first = [a.run.run_id for a in cell.first]
        return couples([a for a in askers if a.run.run_id in first], same=False)
    if comparison == "within":
        return couples(askers, same=True)
    return couples(askers, same=False) if couples(cell.able, same=True) else []


def _agreeing(able: Sequence[Asker]) -> Callable[[Sequence[bool]], Counted]:
    """Successes and units of all couples of a P and a Q run, by who is called P."""
    keys = [frozenset(a.weights) for a in able]

    def count(is_p: Sequence[bool]) -> Counted:
        met = [(keys[i], keys[j]) for i, j in combinations(range(len(keys)), 2)
               if is_p[i] != is_p[j]]  # fmt: skip
        return sum(len(a & b) for a, b in met), sum(len(a | b) for a, b in met)

    return count


class _Gaps:
    """Differences in share of each couple of a cell's comparable runs, as whole numbers of a
    common part, so that equal ones are equal."""

    def __init__(self, cell: Asked) -> None:
        able = cell.able
        self.is_p = [a.is_p for a in able]
        self.couples = list(combinations(range(len(able)), 2))
        self.keys = cell.subproblems
        apart = [[abs(able[i].share(k) - able[j].share(k)) for i, j in self.couples]
                 for k in self.keys]  # fmt: skip
        self.part = lcm(*(gap.denominator for row in apart for gap in row))
        self.apart = [[int(gap * self.part) for gap in row] for row in apart]

    def alike(self, is_p: Sequence[bool]) -> list[bool]:
        """Whether each couple is of one condition."""
        return [is_p[i] == is_p[j] for i, j in self.couples]

    def words(self, is_p: Sequence[bool]) -> list[str]:
        """Of each subproblem: whether the mean between is greater than that within."""
        alike = self.alike(is_p)
        n_within = sum(alike)
        n_between = len(alike) - n_within
        out = []
        for row in self.apart:
            within = sum(compress(row, alike))
            gap = (sum(row) - within) * n_within - within * n_between
            out.append("greater" if gap > 0 else "less" if gap < 0 else "tied")
        return out

    def greater(self, is_p: Sequence[bool]) -> Counted:
        """Successes and units."""
        words = self.words(is_p)
        return words.count("greater"), len(words)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Cells of a row for each subproblem, under the conditions that were."""
        alike = self.alike(self.is_p)
        n_within = sum(alike)
        n_between = len(alike) - n_within
        for key, row, word in zip(self.keys, self.apart, self.words(self.is_p), strict=True):
            within = sum(compress(row, alike))
            between = sum(row) - within
            yield (key, n_between, n_within, between / (self.part * n_between),
                   within / (self.part * n_within), word)  # fmt: skip


def allocation_units(study: Study) -> Own:
    """One row a cell × subproblem."""
    columns = ("task_id", "user_id", "factor_id", "model", "harness", "environment", "subproblem",
               "n_between", "n_within", "between", "within", "outcome",
               "development")  # fmt: skip
    rows = [
        (*cell.cell, *row, cell.cell[4] in study.development)
        for cell in cells_of(study)
        if _end(cell) == "comparable"
        for row in _Gaps(cell).rows()
    ]
    return Own(name="allocation_units", columns=columns, rows=rows, keys=columns[:7])


def _end(cell: Asked) -> str:
    """What becomes of a cell."""
    if any(a.no_map for a in cell.askers):
        return "no_map"
    if {a.is_p for a in cell.able} != {True, False}:
        return "no_run"
    return "comparable" if couples(cell.able, same=True) else "no_repeat"


def allocation(study: Study) -> Own:
    """Do runs for two users share out their requests more differently than runs for one?"""
    columns = ("harness", "model", "status", "reason", "n_cells", "n_comparable", "n_no_map",
               "n_no_run", "n_no_repeat", "n_units", "n_greater", "n_tied", "n_less", "n_tasks",
               "greater_share", "greater_lo", "greater_hi", "greater_task_lo", "greater_task_hi",
               *_NULL, "n_requests", "n_unassigned", *RESAMPLED, "development")  # fmt: skip
    cells = cells_of(study)
    seed = study.settings.measure.seed
    gaps = {c.cell: _Gaps(c) for c in cells if _end(c) == "comparable"}
    told = {c.cell: counted(c, gaps[c.cell].greater, seed) for c in cells if c.cell in gaps}
    said = {cell: gap.words(gap.is_p) for cell, gap in gaps.items()}
    rows = [
        (*names, *_allocation_row(study, cells, names, (told, said)), names[0] in study.development)
        for names in (_rows_of(cells) if _has_list(cells) else ())
    ]
    return Own(name="allocation", columns=columns, rows=rows, keys=columns[:2])


def _allocation_row(
    study: Study, cells: Sequence[Asked], names: tuple[str, str],
    known: tuple[dict[Cell, list[Counted]], dict[Cell, list[str]]],
) -> Iterator[Any]:  # fmt: skip
    told, said = known
    harness, model = names
    mine = [c for c in cells if c.within(harness, model)]
    ends = [_end(c) for c in mine]
    words = [(c.cell[0], word) for c in mine for word in said.get(c.cell, ())]
    by_word = {word: sum(w == word for _, w in words) for word in ("greater", "tied", "less")}
    units = len(words)
    yield "ok" if units else "unknown"
    yield None if units else "not_comparable"
    yield len(mine)
    yield from (ends.count(end) for end in ("comparable", "no_map", "no_run", "no_repeat"))
    yield from (units, *by_word.values(), len({task for task, _ in words}))
    tops = by_task((task, 1.0) for task, word in words if word == "greater")
    bottoms = by_task((task, 1.0) for task, _ in words)
    header = yield from _shares(study, names, (by_word["greater"], units), (tops, bottoms))
    nulls = [told[c.cell] for c in mine if c.cell in told]
    yield from _null(study, nulls, by_word["greater"], units)
    yield from requests_in(cells, harness, model)
    yield from header
