"""Runs by what they ask about: shares of broad subproblems, cell by cell (DR-92, DR-93, Q13).

A cell is task × user × factor × model × harness × environment. Its runs are those of the panel,
repeats included; an A/A run is one more run of condition P.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

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
    visits = _typed(visits)
    weights, unassigned = _weights(visits)
    runs = runs.assign(reason=_reasons(runs, visits, weights))
    return tuple(
        _cell(tuple(str(k) for k in key), own, weights, unassigned)
        for key, own in runs.groupby(CELL, sort=True)
    )


def _typed(visits: pd.DataFrame) -> pd.DataFrame:
    if visits.duplicated(["run_id", "request_no", "subproblem"]).any():
        raise InventoryError("visits: a request stands twice under one subproblem")
    kinds = {"run_id": "str", "request_no": "Int64", "subproblem": "str", "weight": "Float64"}
    return visits.astype(kinds)


def _weights(visits: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Requests by run and subproblem, and requests of each run that belong to none."""
    none = visits["subproblem"].isna()
    known = visits[~none]
    weights = known.groupby(["run_id", "subproblem"], sort=True)["weight"].sum().unstack()
    return weights.fillna(0.0), visits[none].groupby("run_id").size()


def _reasons(runs: pd.DataFrame, visits: pd.DataFrame, weights: pd.DataFrame) -> rs.Words:
    state = runs["state"].to_numpy(dtype=object)
    full = (runs["observes_a"] == Observes.FULL.value).to_numpy()
    found = rs.choose(
        [
            ~full,
            (runs["requests"].fillna(0) == 0).to_numpy(dtype=bool),
            ~runs["run_id"].isin(visits["run_id"]).to_numpy(),
            ~runs["run_id"].isin(weights.index).to_numpy(),
        ],
        [NOT_OBSERVED, NO_REQUESTS, NO_MAP, NO_ASSIGNED],
    )
    words: rs.Words = np.where(state == "done", found, "run_" + state.astype(str)).astype(object)
    return words


def _cell(
    key: tuple[str, ...], runs: pd.DataFrame, weights: pd.DataFrame, unassigned: pd.Series
) -> Cell:
    runs = runs.sort_values("run_id")
    own = weights.reindex(runs["run_id"]).fillna(0.0)
    able = (runs["reason"] == "").to_numpy()
    visited = own[able].gt(0).any(axis=0)
    names = sorted(str(name) for name in visited.index[visited])
    return Cell(
        key=key,
        runs=tuple(str(r) for r in runs["run_id"]),
        is_p=(runs["arm"] == Side.P.value).to_numpy(),
        first=_first(runs),
        reason=runs["reason"].to_numpy(dtype=object),
        subproblems=tuple(names),
        weight=own[names].to_numpy(dtype=float),
        unassigned=unassigned.reindex(runs["run_id"]).fillna(0).to_numpy(dtype=np.int64),
    )


def _first(runs: pd.DataFrame) -> NDArray[np.bool_]:
    panel = runs[runs["panel"].to_numpy(dtype=bool)].sort_values("replicate")
    chosen = panel.drop_duplicates("arm")["run_id"]
    found: NDArray[np.bool_] = runs["run_id"].isin(chosen).to_numpy()
    return found


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
