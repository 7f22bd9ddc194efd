"""Allocation panel: do runs for two users share out their requests more differently than runs for
one user do? (DR-93, Q13)"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.agenda import requests_of
from draligned.measure.agenda_runs import NO_MAP, Cell, couples, in_row
from draligned.measure.clustered import RESAMPLED, shares, task_intervals
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.estimate import Settings
from draligned.measure.layout import STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.pairs import CELL
from draligned.measure.relabel import Flags, counted, null_columns, relabelled
from draligned.measure.restore import choose, none_if_blank

ALLOCATION = Table(
    name="allocation",
    columns=(
        *typed("string", "harness", "model", "status", "reason"),
        *typed("Int64", "n_cells", "n_comparable", "n_no_map", "n_no_run", "n_no_repeat"),
        *typed("Int64", "n_units", "n_greater", "n_tied", "n_less", "n_tasks"),
        *typed("Float64", "greater_share", "greater_lo", "greater_hi"),
        *typed("Float64", "greater_task_lo", "greater_task_hi"),
        *typed("Float64", "null_share", "null_lo", "null_hi", "null_p"),
        *typed("Int64", "n_requests", "n_unassigned"),
        *RESAMPLED,
        *STAMP,
    ),
    keys=("harness", "model"),
)
"""Units are cells × subproblem that a comparable run visits. `n_greater` of `n_units`: the mean
difference in share between a P and a Q run is strictly larger than between two runs of one
condition (A/A runs included); ties stand apart and are no successes. Of `n_cells`, `n_comparable`
have a unit; `n_no_map` have no list of subproblems, in `n_no_run` a condition has no run with an
assigned request, in `n_no_repeat` no condition has two. `null_*`: the share with P and Q drawn anew
inside each cell (mean, central 95 %, share of draws at least as large); it is not a half. Couples
within are few: read `n_units` first."""

ALLOCATION_UNITS = Table(
    name="allocation_units",
    columns=(
        *typed("string", *CELL, "subproblem"),
        *typed("Int64", "n_between", "n_within"),
        *typed("Float64", "between", "within"),
        *typed("string", "outcome"),
        *STAMP,
    ),
    keys=(*CELL, "subproblem"),
)
"""The units of `allocation`: mean absolute difference in share over `n_between` couples of a P and
a Q run and over `n_within` couples of one condition; `outcome` is greater, tied or less."""

_ROW = ["harness", "model"]
_TIED = 1e-12
_OUTCOMES = np.array(["less", "tied", "greater"], dtype=object)
_ENDS = ("n_cells", "n_comparable", "n_no_map", "n_no_run", "n_no_repeat")
_COUNTS = ("n_units", "n_greater", "n_tied", "n_less")


class Apart(NamedTuple):
    """Every couple of comparable runs of a cell."""

    one: NDArray[np.intp]
    other: NDArray[np.intp]
    by: NDArray[np.float64]
    """|Difference in share| for each subproblem, shape (couples, subproblems)."""


def apart(cell: Cell) -> Apart:
    """The couples of a cell."""
    share = cell.share[cell.able]
    one, other = np.triu_indices(len(share), 1)
    return Apart(one, other, np.abs(share[one] - share[other]))


def differences(found: Apart, is_p: Flags) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean |difference in share| between and within conditions, for each subproblem of the cell.

    `is_p` says which comparable runs are called P; there must be couples of both sorts.
    """
    alike = is_p[found.one] == is_p[found.other]
    between, within = found.by[~alike], found.by[alike]
    return between.sum(axis=0) / len(between), within.sum(axis=0) / len(within)


def _outcome(found: Apart, is_p: Flags) -> NDArray[np.int64]:
    """1 greater, 0 tied, −1 less, for each subproblem."""
    between, within = differences(found, is_p)
    gap = between - within
    return np.where(np.abs(gap) <= _TIED, 0, np.sign(gap)).astype(np.int64)


def _end(cell: Cell) -> str:
    """What becomes of a cell; the name of its count."""
    if (cell.reason == NO_MAP).any():
        return "n_no_map"
    is_p = cell.is_p[cell.able]
    if not is_p.any() or is_p.all():
        return "n_no_run"
    return "n_comparable" if couples(cell, same=True) else "n_no_repeat"


def allocation_units(made: Made) -> pd.DataFrame:
    """Rows of `ALLOCATION_UNITS`, unsorted."""
    rows = [row for cell in made.agenda_cells for row in _units(cell)]
    return pd.DataFrame(rows, columns=[n for n, _ in ALLOCATION_UNITS.columns[: -len(STAMP)]])


def _units(cell: Cell) -> Iterator[tuple[str | int | float, ...]]:
    if _end(cell) != "n_comparable":
        return
    is_p = cell.is_p[cell.able]
    sizes = len(couples(cell, same=False)), len(couples(cell, same=True))
    found = apart(cell)
    between, within = differences(found, is_p)
    words = _OUTCOMES[_outcome(found, is_p) + 1]
    for name, b, w, word in zip(cell.subproblems, between, within, words, strict=True):
        yield (*cell.key, name, *sizes, float(b), float(w), word)


def allocation(made: Made) -> pd.DataFrame:
    """Rows of `ALLOCATION`, unsorted; none without a list of subproblems."""
    if made.inputs.visits.empty:
        return pd.DataFrame(columns=[name for name, _ in ALLOCATION.columns])
    cells = made.agenda_cells
    units = pd.DataFrame([_counts(c) for c in cells], columns=[*CELL, *_ENDS, *_COUNTS])
    units = pd.concat([units, units.assign(model=ALL_MODELS)], ignore_index=True)
    found = units.groupby(_ROW, sort=True)[[*_ENDS, *_COUNTS]].sum().reset_index()
    counting = units["task_id"].where(units["n_units"] > 0)
    tasks = counting.groupby([units[r] for r in _ROW]).nunique().rename("n_tasks")
    found = found.merge(tasks.reset_index(), on=_ROW)
    values = {"greater": ("n_greater", "n_units")}
    planned, settings = made.readings.runs, made.settings
    found = found.merge(task_intervals(units, _ROW, values, planned, settings), on=_ROW)
    found = found.merge(requests_of(made), on=_ROW, how="left")
    found = found.assign(**shares(found["n_greater"], found["n_units"], "greater"))
    nothing = (found["n_units"] == 0).to_numpy()
    return found.assign(
        **_nulls(found, cells, settings),
        status=np.where(nothing, "unknown", "ok"),
        reason=none_if_blank(choose([nothing], ["not_comparable"])),
    )


def _counts(cell: Cell) -> tuple[str | int, ...]:
    end = _end(cell)
    ends = [1, *(int(end == name) for name in _ENDS[1:])]
    out = _outcome(apart(cell), cell.is_p[cell.able]) if end == "n_comparable" else np.zeros(0)
    counts = (len(out), *(int((out == sign).sum()) for sign in (1, 0, -1)))
    return (*cell.key, *ends, *counts)


def _nulls(found: pd.DataFrame, cells: Sequence[Cell], settings: Settings) -> dict[str, pd.Series]:
    told = [cell for cell in cells if _end(cell) == "n_comparable"]
    tables = [(c, counted(c.is_p[c.able], _counter(c), settings.seed)) for c in told]
    nulls = []
    for row in found.to_dict("records"):
        mine = [t for c, t in tables if in_row(c, str(row["harness"]), str(row["model"]))]
        observed = int(row["n_greater"]) / max(int(row["n_units"]), 1)
        nulls.append(relabelled(mine, observed, settings.seed, settings.draws))
    return null_columns(nulls, found.index)


def _counter(cell: Cell) -> Callable[[Flags], tuple[float, float]]:
    found = apart(cell)

    def count(is_p: Flags) -> tuple[float, float]:
        out = _outcome(found, is_p)
        return float((out == 1).sum()), float(len(out))

    return count


MAKERS = {ALLOCATION: allocation, ALLOCATION_UNITS: allocation_units}
