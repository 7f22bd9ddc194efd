"""D_A and D_F task by task: what the task-equal means are made of (DR-86)."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from draligned.measure import bounds
from draligned.measure import quantities as qs
from draligned.measure.contrasts import Group
from draligned.measure.layout import stacked
from draligned.measure.panel import Panel, Quantity

_NUMBERS = (
    "value", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi", "n_readable", "n_planned",
)  # fmt: skip


def task_means(panels: Iterable[Group]) -> pd.DataFrame:
    """One row per evaluator × harness × model (`all` or a name) × estimand × planned task."""
    parts = [
        _rows(panel, quantity) | dict(names)
        for names, panel in panels
        for quantity in _quantities(panel)
    ]
    if not parts:
        names = ["evaluator", "harness", "model", "estimand", "task_id", "status", *_NUMBERS]
        return pd.DataFrame({name: pd.Series(dtype=object) for name in names})
    found = stacked(parts, "task_id")
    return found.assign(value=found["value"].astype("Float64").mask(found["n_readable"] == 0))


def _quantities(panel: Panel) -> Iterator[Quantity]:
    yield qs.d_a(panel)
    yield qs.d_f(panel)


def _rows(panel: Panel, quantity: Quantity) -> dict[str, Any]:
    readable = panel.a if quantity.channel == "A" else panel.f
    coarse = bounds.coarse(quantity.values, readable, quantity.low, quantity.high)
    sums = {
        "value": np.where(readable, quantity.values, 0.0),
        "coarse_lo": coarse.low,
        "coarse_hi": coarse.high,
        "sharp_lo": quantity.sharp.low,
        "sharp_hi": quantity.sharp.high,
    }
    planned = np.bincount(panel.tasks, minlength=panel.n_tasks)
    seen = np.bincount(panel.tasks[readable], minlength=panel.n_tasks)
    size = dict.fromkeys(sums, planned) | {"value": np.maximum(seen, 1)}
    means = {
        name: np.bincount(panel.tasks, weights=values, minlength=panel.n_tasks) / size[name]
        for name, values in sums.items()
    }
    return {
        "task_id": panel.names("task_id"),
        **means,
        "n_readable": seen,
        "n_planned": planned,
        "status": np.where(seen > 0, "ok", "unknown"),
        "estimand": quantity.estimand,
    }
