"""D_A and D_F with one task, user, factor or model left out, by name (DESIGN §8)."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from draligned.measure import quantities as qs
from draligned.measure import robust
from draligned.measure.contrasts import ALL_MODELS, Group, together
from draligned.measure.layout import STAMP, Table, stacked, typed
from draligned.measure.panel import CLUSTERS, Panel, Quantity

LEAVE_ONE_OUT = Table(
    name="leave_one_out",
    columns=(
        *typed("string", "evaluator", "harness", "model", "estimand", "left_out", "name"),
        *typed("string", "status"),
        *typed("Float64", "value", "without", "change"),
        *typed("Int64", "n_readable", "n_left"),
        *STAMP,
    ),
    keys=("evaluator", "harness", "model", "estimand", "left_out", "name"),
)
"""D_A and D_F over readable pairs, all models, without all pairs of one task, user, factor or model
(`left_out`) that has a readable one. `without` is null, status `unknown`, where no pair is left."""

_COLUMNS = [name for name, _ in LEAVE_ONE_OUT.columns if name != "development"]


def leave_one_out(panels: Iterable[Group]) -> pd.DataFrame:
    """Rows of the table, unsorted."""
    parts = [
        _rows(panel, quantity, kind) | dict(names)
        for names, panel in together(panels)
        for quantity in (qs.d_a(panel), qs.d_f(panel))
        for kind in ("task", *CLUSTERS)
    ]
    if not parts:
        return pd.DataFrame(columns=_COLUMNS)
    found = stacked(parts, "name")
    none = found["status"] == "unknown"
    numbers = {name: found[name].astype("Float64").mask(none) for name in ("without", "change")}
    return found.assign(**numbers)


def _rows(panel: Panel, quantity: Quantity, kind: str) -> dict[str, Any]:
    used = panel.a if quantity.channel == "A" else panel.f
    pairs = robust.Readable(
        values=quantity.values[used], tasks=panel.tasks[used], n_tasks=panel.n_tasks, clusters={}
    )
    codes = panel.tasks if kind == "task" else panel.clusters[kind]
    found, means, some = robust.without_each(pairs, codes[used])
    names = panel.names(CLUSTERS.get(kind, "task_id"))
    sizes = np.bincount(codes[used], minlength=len(names))[found]
    value = _value(pairs)
    return {
        "model": ALL_MODELS,
        "estimand": quantity.estimand,
        "left_out": kind,
        "name": names[found],
        "status": np.where(some, "ok", "unknown"),
        "value": value,
        "without": means,
        "change": means - value,
        "n_readable": int(used.sum()),
        "n_left": int(used.sum()) - sizes,
    }


def _value(pairs: robust.Readable) -> float:
    sizes = np.bincount(pairs.tasks, minlength=pairs.n_tasks)
    sums = np.bincount(pairs.tasks, weights=pairs.values, minlength=pairs.n_tasks)
    return float((sums[sizes > 0] / sizes[sizes > 0]).mean()) if len(pairs.tasks) else 0.0


MAKERS = {LEAVE_ONE_OUT: lambda made: leave_one_out(made.panels)}
