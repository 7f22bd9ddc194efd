"""Two facts in one unit (DR-94): requests and finals of two-factor runs, both factors identified.

Requests and finals are different units: their shares stand side by side, and a difference between
them is no growth. The two comparisons (DR-13) are counted apart.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.arms import COMPARISONS
from draligned.measure.clustered import RESAMPLED, shares, task_intervals
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.schema.labels import Side

COEXPRESSION = Table(
    name="coexpression",
    columns=(
        *typed("string", "comparison", *GROUP, "unit", "status", "reason"),
        *typed("Int64", "n_runs", "n_units", "n_first_only", "n_second_only", "n_unidentified"),
        *typed("Int64", "n_both_identified", "n_own_both", "n_own_first", "n_own_second"),
        *typed("Int64", "n_own_neither", "n_any_both", "n_tasks"),
        *typed("Float64", "own_both_share", "own_both_lo", "own_both_hi"),
        *typed("Float64", "own_both_task_lo", "own_both_task_hi"),
        *RESAMPLED,
        *STAMP,
    ),
    keys=("comparison", *GROUP, "unit"),
)
"""Whether one unit expresses both facts that its run was told. `unit` is `request` or `final`;
`comparison` is `primary` or `complementary`. Of `n_units`, `n_both_identified` have a label for
both factors and alone count; for `n_first_only` and `n_second_only` one factor alone has a label,
for `n_unidentified` neither. Of the counted ones `n_own_both` express the told endpoint of both
(alone or beside the other endpoint), `n_own_first` and `n_own_second` of one alone,
`n_own_neither` of none; `n_any_both`: an endpoint of both, whichever it is. `_lo`, `_hi`: Wilson at
95 %, units taken as independent; `_task_`: percentile over tasks."""

_ROW = ["harness", "model", "evaluator", "unit"]
_FLAGS = [
    "n_first_only", "n_second_only", "n_unidentified", "n_both_identified", "n_own_both",
    "n_own_first", "n_own_second", "n_own_neither", "n_any_both",
]  # fmt: skip


def coexpression(made: Made) -> pd.DataFrame:
    """Rows of `COEXPRESSION`, unsorted; none where no task has two factors."""
    parts = [
        _counted(own).assign(comparison=word)
        for name, word in COMPARISONS.items()
        if (own := made.sets.get(name)) is not None
    ]
    if not parts:
        return pd.DataFrame(columns=[name for name, _ in COEXPRESSION.columns])
    return pd.concat(parts, ignore_index=True)


def _counted(made: Made) -> pd.DataFrame:
    units = pd.concat(list(_units(made)), ignore_index=True)
    units = pd.concat([units, units.assign(model=ALL_MODELS)], ignore_index=True)
    by = units.groupby(_ROW, sort=True)
    found = by[_FLAGS].sum().reset_index().merge(by.size().rename("n_units").reset_index(), on=_ROW)
    counted = units[units["n_both_identified"] == 1].groupby(_ROW, sort=True)["task_id"].nunique()
    runs = by["run_id"].nunique()
    found = found.merge(runs.rename("n_runs").reset_index(), on=_ROW)
    found = found.merge(counted.rename("n_tasks").reset_index(), on=_ROW, how="left")
    values = {"own_both": ("n_own_both", "n_both_identified")}
    planned, settings = made.readings.runs, made.settings
    found = found.merge(task_intervals(units, _ROW, values, planned, settings), on=_ROW)
    nothing = (found["n_both_identified"] == 0).to_numpy()
    return found.assign(
        **shares(found["n_own_both"], found["n_both_identified"], "own_both"),
        n_tasks=found["n_tasks"].fillna(0),
        status=np.where(nothing, "unknown", "ok"),
        reason=pd.Series(np.where(nothing, "empty", ""), dtype="string").replace("", pd.NA),
    )


def _units(made: Made) -> Iterator[pd.DataFrame]:
    """Requests and finals with the labels of both factors side by side."""
    second = made.inputs.second.astype({"run_id": "str", "factor_id": "str", "side": "str"})
    first = made.readings.runs[["run_id", "factor_id", "arm"]].rename(columns={"arm": "side"})
    finals = made.documents[made.documents["role"] == "final"].assign(request_no=0)
    for unit, rows in (("request", made.requests), ("final", finals)):
        sides = [_sided(rows, told, which) for which, told in (("1", first), ("2", second))]
        both = sides[0].merge(sides[1], on=["run_id", "request_no", "evaluator"])
        yield both.assign(unit=unit, **_flags(both))


def _sided(rows: pd.DataFrame, told: pd.DataFrame, which: str) -> pd.DataFrame:
    """Labels on one of the two factors, and which side was told."""
    own = rows.drop(columns="arm").merge(told, on=["run_id", "factor_id"])
    names = ["task_id", "harness", "model"] if which == "1" else []
    own = own[["run_id", "request_no", "evaluator", *names, "bits", "side"]]
    return own.rename(columns={"bits": f"bits{which}", "side": f"side{which}"})


def _flags(both: pd.DataFrame) -> dict[str, NDArray[np.int64]]:
    known = [(both[f"bits{k}"] >= 0).to_numpy() for k in "12"]
    own = [_own(both[f"bits{k}"].to_numpy(), both[f"side{k}"]) for k in "12"]
    some = [(both[f"bits{k}"] > 0).to_numpy() for k in "12"]
    counted = known[0] & known[1]
    flags = {
        "n_first_only": known[0] & ~known[1],
        "n_second_only": known[1] & ~known[0],
        "n_unidentified": ~known[0] & ~known[1],
        "n_both_identified": counted,
        "n_own_both": counted & own[0] & own[1],
        "n_own_first": counted & own[0] & ~own[1],
        "n_own_second": counted & ~own[0] & own[1],
        "n_own_neither": counted & ~own[0] & ~own[1],
        "n_any_both": counted & some[0] & some[1],
    }
    return {name: flag.astype(np.int64) for name, flag in flags.items()}


def _own(bits: NDArray[np.int8], side: pd.Series) -> NDArray[np.bool_]:
    """Whether an identified unit expresses the told endpoint, alone or not."""
    bit = np.where((side == Side.P.value).to_numpy(), rs.P_BIT, rs.Q_BIT)
    return (bits > 0) & ((bits & bit) > 0)


MAKERS = {COEXPRESSION: coexpression}
