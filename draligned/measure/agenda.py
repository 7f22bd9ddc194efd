"""Same-broad-subproblem panel: do both runs of a pair ask about it? (DR-92, Q13)"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from draligned.measure.agenda_runs import Cell, couples, in_row
from draligned.measure.clustered import RESAMPLED, shares, task_intervals
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.estimate import Settings
from draligned.measure.keys import codes, tally
from draligned.measure.layout import RUN, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.pairs import CELL
from draligned.measure.relabel import Flags, counted, null_columns, relabelled
from draligned.measure.restore import choose, none_if_blank
from draligned.schema.frames import InputSet

VISITS_TABLE = Table(
    name="visits",
    columns=(
        *typed("string", "run_id"),
        *typed("Int64", "request_no"),
        *RUN,
        *typed("string", "subproblem", "status"),
        *typed("Float64", "weight"),
        *STAMP,
    ),
    keys=("run_id", "request_no", "subproblem"),
)
"""One row per request × broad subproblem of the task's frozen list; weights of a request sum to 1.
A request without any of the list's words is `unassigned`, which is unknown, not a subproblem."""

AGENDA = Table(
    name="agenda",
    columns=(
        *typed("string", "harness", "model", "comparison", "status", "reason"),
        *typed("Int64", "n_couples", "n_comparable", "n_units", "n_both", "n_uncertain", "n_tasks"),
        *typed("Float64", "both_share", "both_lo", "both_hi", "both_task_lo", "both_task_hi"),
        *typed("Float64", "null_share", "null_lo", "null_hi", "null_p"),
        *typed("Int64", "n_requests", "n_unassigned"),
        *RESAMPLED,
        *STAMP,
    ),
    keys=("harness", "model", "comparison"),
)
"""Units are couples of runs × subproblem that at least one of the two visits; success is that both
do. `comparison`: `pairs` (first P and first Q run of each cell), `within` (two runs of one
condition, A/A runs included: the same-condition baseline), `between` (all couples of a P and a Q
run, in cells that have a couple within). Of `n_couples` planned, `n_comparable` are of two runs
observed in full with an assigned request. In `n_uncertain` units the run that does not visit has
requests that were assigned to nothing. `null_*`: the share with the labels P and Q drawn anew
inside each cell (mean, central 95 %, share of draws at least as large); in a cell of one P and one
Q run nothing can be drawn anew, so it has no null. `n_requests`, `n_unassigned`: of the row's
runs."""

_ROW = ["harness", "model", "comparison"]
_COUNTS = ["n_couples", "n_comparable", "n_units", "n_both", "n_uncertain"]
_CHOICES: dict[str, Callable[[Cell, bool], list[tuple[int, int]]]] = {
    "pairs": lambda cell, able: [
        c for c in couples(cell, same=False, able=able) if cell.first[c[0]] and cell.first[c[1]]
    ],
    "within": lambda cell, able: couples(cell, same=True, able=able),
    "between": lambda cell, able: (
        couples(cell, same=False, able=able) if couples(cell, same=True) else []
    ),
}


def visits_table(made: Made) -> pd.DataFrame:
    """Rows of `VISITS_TABLE`, unsorted."""
    none = made.visits["subproblem"].isna()
    return made.visits.assign(status=np.where(none, "unassigned", "assigned"))


def agenda(made: Made) -> pd.DataFrame:
    """Rows of `AGENDA`, unsorted; none without a list of subproblems."""
    if made.inputs.visits.empty:
        return pd.DataFrame(columns=[name for name, _ in AGENDA.columns])
    units = pd.DataFrame(_units(made.agenda_cells), columns=[*CELL, "comparison", *_COUNTS])
    units = pd.concat([units, units.assign(model=ALL_MODELS)], ignore_index=True)
    found = units.groupby(_ROW, sort=True)[_COUNTS].sum().reset_index()
    counting = units["task_id"].where(units["n_units"] > 0)
    tasks = counting.groupby([units[r] for r in _ROW]).nunique().rename("n_tasks")
    found = found.merge(tasks.reset_index(), on=_ROW)
    values = {"both": ("n_both", "n_units")}
    planned, settings = made.readings.runs, made.settings
    found = found.merge(task_intervals(units, _ROW, values, planned, settings), on=_ROW)
    found = found.merge(requests_of(made), on=["harness", "model"], how="left")
    found = found.assign(**shares(found["n_both"], found["n_units"], "both"))
    nothing = (found["n_units"] == 0).to_numpy()
    return found.assign(
        **_nulls(found, made.agenda_cells, settings),
        status=np.where(nothing, "unknown", "ok"),
        reason=none_if_blank(choose([nothing], ["empty"])),
    )


def _units(cells: Sequence[Cell]) -> Iterator[tuple[str | int, ...]]:
    """Counts of each cell and comparison."""
    for cell in cells:
        for name, chosen in _CHOICES.items():
            able = chosen(cell, True)
            counts = np.array([_count(cell, i, j) for i, j in able]).reshape(-1, 3).sum(axis=0)
            planned = len(chosen(cell, False))
            yield (*cell.key, name, planned, len(able), *(int(n) for n in counts))


def _count(cell: Cell, i: int, j: int) -> tuple[int, int, int]:
    """Units, successes and uncertain units of a couple."""
    one, two = cell.visited[i], cell.visited[j]
    open_ends = (one & ~two) * (cell.unassigned[j] > 0) + (two & ~one) * (cell.unassigned[i] > 0)
    return int((one | two).sum()), int((one & two).sum()), int(open_ends.sum())


def _nulls(found: pd.DataFrame, cells: Sequence[Cell], settings: Settings) -> dict[str, pd.Series]:
    told = [c for c in cells if couples(c, same=True) and couples(c, same=False)]
    tables = [(c, counted(c.is_p[c.able], _counter(c), settings.seed)) for c in told]
    nulls = []
    for row in found.to_dict("records"):
        names = str(row["harness"]), str(row["model"])
        mine = [t for c, t in tables if row["comparison"] == "between" and in_row(c, *names)]
        observed = int(row["n_both"]) / max(int(row["n_units"]), 1)
        nulls.append(relabelled(mine, observed, settings.seed, settings.draws))
    return null_columns(nulls, found.index)


def _counter(cell: Cell) -> Callable[[Flags], tuple[float, float]]:
    """Successes and units of all couples of a P and a Q run, by who is called P."""
    seen = cell.visited[cell.able].astype(float)
    both = seen @ seen.T
    either = seen.sum(axis=1)[:, None] + seen.sum(axis=1)[None, :] - both

    def count(is_p: Flags) -> tuple[float, float]:
        return float(both[is_p][:, ~is_p].sum()), float(either[is_p][:, ~is_p].sum())

    return count


def requests_of(made: Made) -> pd.DataFrame:
    """Requests of each harness × model, A/A runs included, and those assigned to nothing."""
    parts = [made.visits]
    if InputSet.AA in made.sets:
        parts.append(made.sets[InputSet.AA].visits)
    rows = pd.concat(parts, ignore_index=True)
    first = np.unique(codes(rows, ["run_id", "request_no"]), return_index=True)[1]
    once = rows[["harness", "model"]].iloc[first]
    kinds = tally(once.assign(none=rows["subproblem"].isna()), ["harness", "model", "none"])
    kinds = pd.concat([kinds, kinds.assign(model=ALL_MODELS)], ignore_index=True)
    marked = kinds.assign(n_requests=kinds["n"], n_unassigned=kinds["n"] * kinds["none"])
    sums = ["n_requests", "n_unassigned"]
    return marked.groupby(["harness", "model"], sort=True)[sums].sum().reset_index()


MAKERS = {VISITS_TABLE: visits_table, AGENDA: agenda}
