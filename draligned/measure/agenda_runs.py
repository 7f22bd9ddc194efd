"""Runs by what they ask about: shares of broad subproblems, cell by cell (DR-92, DR-93, Q13).

A cell is task × user × factor × model × harness × environment. Its runs are those of the panel,
repeats included; an A/A run is one more run of condition P.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.pairs import CELL
from draligned.schema.errors import InventoryError
from draligned.schema.labels import Observes, Side

Floats = NDArray[np.float64]

NO_MAP = "no_map"
NO_REQUESTS = "no_requests"
NO_ASSIGNED = "no_assigned_request"
NOT_OBSERVED = "not_observed"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Runs of one cell, by run id."""

    key: tuple[str, ...]
    runs: tuple[str, ...]
    is_p: NDArray[np.bool_]
    first: NDArray[np.bool_]
    """The run that stands in the pair: smallest replicate of its arm in the panel."""
    reason: rs.Words
    """Why a run cannot be compared; blank where it can."""
    subproblems: tuple[str, ...]
    """Those that a comparable run visits, in alphabetical order."""
    weight: Floats
    """Requests of each run on each of them, shape (runs, subproblems)."""
    unassigned: NDArray[np.int64]

    @cached_property
    def able(self) -> NDArray[np.bool_]:
        """Runs that can be compared."""
        found: NDArray[np.bool_] = (self.reason == "").astype(bool)
        return found

    @property
    def share(self) -> Floats:
        """Share of each run's assigned requests; zeros where there is none."""
        total = self.weight.sum(axis=1, keepdims=True)
        return self.weight / np.where(total > 0, total, 1.0)

    @property
    def visited(self) -> NDArray[np.bool_]:
        """Which run visits what."""
        return self.weight > 0


class Again(NamedTuple):
    """The A/A set: its runs, in its arms, and what they ask about."""

    runs: pd.DataFrame
    visits: pd.DataFrame


def agenda_cells(
    runs: pd.DataFrame, visits: pd.DataFrame, again: Again | None = None
) -> tuple[Cell, ...]:
    """Every planned cell, in the order of its key as text, from checked runs.

    Raises `InventoryError` for a request that stands twice under one subproblem.
    """
    runs = runs.assign(panel=True)
    if again is not None:
        more = again.runs[again.runs["arm"] == Side.Q.value]
        new = again.visits[~again.visits["run_id"].isin(visits["run_id"])]
        runs = pd.concat([runs, more.assign(arm=Side.P.value, panel=False)], ignore_index=True)
        visits = pd.concat([v for v in (visits, new) if len(v)] or [visits], ignore_index=True)
    runs = runs.sort_values([*CELL, "run_id"], kind="stable", ignore_index=True)
    asked = _asked(runs, _typed(visits))
    able = asked.reason == ""
    columns = {
        "is_p": (runs["arm"] == Side.P.value).to_numpy(dtype=bool),
        "first": _first(runs),
        "reason": asked.reason,
        "unassigned": asked.unassigned,
    }
    ids, keys = runs["run_id"].to_numpy(dtype=object), runs[CELL].astype("str")
    starts = np.flatnonzero(~keys.duplicated().to_numpy())
    names = keys.iloc[starts].to_numpy(dtype=object)
    ends = [*starts[1:], len(runs)][: len(starts)]
    return tuple(
        _cell(tuple(key), slice(a, b), ids, asked, able, columns)
        for key, a, b in zip(names, starts, ends, strict=True)
    )


class _Asked(NamedTuple):
    """What each run asks about, in the order of the runs."""

    reason: rs.Words
    unassigned: NDArray[np.int64]
    weight: Floats
    """Shape (runs, subproblems of all tasks)."""
    subproblems: tuple[str, ...]


def _typed(visits: pd.DataFrame) -> pd.DataFrame:
    if visits.duplicated(["run_id", "request_no", "subproblem"]).any():
        raise InventoryError("visits: a request stands twice under one subproblem")
    kinds = {"run_id": "str", "request_no": "Int64", "subproblem": "str", "weight": "Float64"}
    return visits.astype(kinds)


def _asked(runs: pd.DataFrame, visits: pd.DataFrame) -> _Asked:
    row = pd.Index(runs["run_id"]).get_indexer(pd.Index(visits["run_id"]))
    code, names = pd.factorize(visits["subproblem"], sort=True)
    mapped = np.bincount(row[row >= 0], minlength=len(runs)) > 0
    none = (row >= 0) & (code < 0)
    known = (row >= 0) & (code >= 0)
    weight = np.zeros((len(runs), len(names)))
    np.add.at(
        weight, (row[known], code[known]), visits["weight"].to_numpy(dtype=float, na_value=0)[known]
    )
    return _Asked(
        reason=_reasons(runs, mapped, weight.sum(axis=1) > 0),
        unassigned=np.bincount(row[none], minlength=len(runs)).astype(np.int64),
        weight=weight,
        subproblems=tuple(str(name) for name in names),
    )


def _reasons(
    runs: pd.DataFrame, mapped: NDArray[np.bool_], assigned: NDArray[np.bool_]
) -> rs.Words:
    state = runs["state"].to_numpy(dtype=object)
    full = (runs["observes_a"] == Observes.FULL.value).to_numpy(dtype=bool)
    found = rs.choose(
        [~full, (runs["requests"].fillna(0) == 0).to_numpy(dtype=bool), ~mapped, ~assigned],
        [NOT_OBSERVED, NO_REQUESTS, NO_MAP, NO_ASSIGNED],
    )
    words: rs.Words = np.where(state == "done", found, "run_" + state.astype(str)).astype(object)
    return words


def _first(runs: pd.DataFrame) -> NDArray[np.bool_]:
    """The panel's run of smallest replicate of each cell and arm."""
    panel = runs[runs["panel"].to_numpy(dtype=bool)].sort_values("replicate", kind="stable")
    found = np.zeros(len(runs), dtype=bool)
    found[panel.drop_duplicates([*CELL, "arm"]).index] = True
    return found


def _cell(
    key: tuple[str, ...],
    place: slice,
    ids: rs.Words,
    asked: _Asked,
    able: NDArray[np.bool_],
    columns: dict[str, NDArray[Any]],
) -> Cell:
    weight = asked.weight[place]
    visited = np.flatnonzero((weight[able[place]] > 0).any(axis=0))
    return Cell(
        key=key,
        runs=tuple(str(run) for run in ids[place]),
        subproblems=tuple(asked.subproblems[i] for i in visited),
        weight=weight[:, visited],
        **{name: values[place] for name, values in columns.items()},
    )


def in_row(cell: Cell, harness: str, model: str) -> bool:
    """Whether a cell belongs to the row of a harness and model, or of all models."""
    names = dict(zip(CELL, cell.key, strict=True))
    return names["harness"] == harness and model in (names["model"], ALL_MODELS)


def couples(cell: Cell, *, same: bool, able: bool = True) -> list[tuple[int, int]]:
    """Run couples of one condition (`same`) or of both; by default of runs that can be compared."""
    place = [i for i in range(len(cell.runs)) if cell.able[i] or not able]
    return [
        (i, j)
        for n, i in enumerate(place)
        for j in place[n + 1 :]
        if bool(cell.is_p[i] == cell.is_p[j]) is same
    ]
