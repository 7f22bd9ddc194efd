"""The placebo axis: panel runs read on a factor of another task, of which they were told nothing.

D on it is what reads make of nothing; it stands beside the study's own as a control, never pooled
with it (DESIGN §8).
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from draligned.measure.clustered import RESAMPLED, shares, task_intervals
from draligned.measure.columns import ESTIMATE_COLUMNS
from draligned.measure.contrasts import ALL_MODELS, estimates, main_targets
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.schema.frames import InputSet

PLACEBO_ESTIMATES = Table(
    name="placebo_estimates",
    columns=ESTIMATE_COLUMNS,
    keys=(*GROUP, "estimand", "population"),
)
"""The main estimates over the pairs that were read on a placebo axis: laid out as `estimates`, with
the runs in the arms that they really had. Without a false difference they are around zero."""

AXIS_LABELS = Table(
    name="axis_labels",
    columns=(
        *typed("string", *GROUP, "kind", "axis", "status", "reason"),
        *typed("Int64", "n_runs", "n_units", "n_identified", "n_directional", "n_tasks"),
        *typed("Float64", "directional_share", "directional_lo", "directional_hi"),
        *typed("Float64", "directional_task_lo", "directional_task_hi"),
        *RESAMPLED,
        *STAMP,
    ),
    keys=(*GROUP, "kind", "axis"),
)
"""How much evaluators find on an axis, in the same runs: `axis` is `placebo` or `assigned` (the
factor that the run was told), `kind` is `request` or `final`. Of `n_units`, `n_identified` have a
label and `n_directional` of these point to an endpoint or to both. Direction on the placebo axis is
found by chance or by mistake. `_lo`, `_hi`: Wilson at 95 %, units taken as independent; `_task_`:
percentile over tasks."""

_ROW = ["harness", "model", "evaluator", "kind", "axis"]
_COUNTS = ["n_units", "n_identified", "n_directional"]


def placebo_estimates(made: Made) -> pd.DataFrame:
    """Rows of `PLACEBO_ESTIMATES`; none where no run was read on a placebo axis."""
    own = made.sets.get(InputSet.PLACEBO)
    if own is None:
        return pd.DataFrame(columns=[name for name, _ in ESTIMATE_COLUMNS])
    return estimates(own.panels, main_targets, own.settings)


def axis_labels(made: Made) -> pd.DataFrame:
    """Rows of `AXIS_LABELS`, unsorted."""
    own = made.sets.get(InputSet.PLACEBO)
    if own is None:
        return pd.DataFrame(columns=[name for name, _ in AXIS_LABELS.columns])
    runs = own.readings.runs["run_id"]
    parts = [*_labels(own, runs, "placebo"), *_labels(made, runs, "assigned")]
    units = pd.concat(parts, ignore_index=True)
    units = pd.concat([units, units.assign(model=ALL_MODELS)], ignore_index=True)
    found = units.groupby(_ROW, sort=True)[_COUNTS].sum().reset_index()
    found = found.merge(_distinct(units), on=_ROW)
    values = {"directional": ("n_directional", "n_identified")}
    planned, settings = made.readings.runs, made.settings
    found = found.merge(task_intervals(units, _ROW, values, planned, settings), on=_ROW)
    nothing = (found["n_identified"] == 0).to_numpy()
    return found.assign(
        **shares(found["n_directional"], found["n_identified"], "directional"),
        status=np.where(nothing, "unknown", "ok"),
        reason=pd.Series(np.where(nothing, "empty", ""), dtype="string").replace("", pd.NA),
    )


def _labels(made: Made, runs: pd.Series, axis: str) -> Iterator[pd.DataFrame]:
    finals = made.documents[made.documents["role"] == "final"]
    for kind, rows in (("request", made.requests), ("final", finals)):
        mine = rows[rows["run_id"].isin(runs) & rows["arm"].notna()]
        bits = mine["bits"].to_numpy()
        counts = {
            "n_units": np.ones(len(mine), dtype=np.int64),
            "n_identified": (bits >= 0).astype(np.int64),
            "n_directional": (bits > 0).astype(np.int64),
        }
        names = mine[["harness", "model", "evaluator", "task_id", "run_id"]]
        yield names.assign(kind=kind, axis=axis, **counts)


def _distinct(units: pd.DataFrame) -> pd.DataFrame:
    """Runs with a unit, and tasks with an identified one."""
    read = units.assign(read_task=units["task_id"].where(units["n_identified"] > 0))
    found = read.groupby(_ROW, sort=True)[["run_id", "read_task"]].nunique().reset_index()
    return found.rename(columns={"run_id": "n_runs", "read_task": "n_tasks"})


MAKERS = {PLACEBO_ESTIMATES: placebo_estimates, AXIS_LABELS: axis_labels}
