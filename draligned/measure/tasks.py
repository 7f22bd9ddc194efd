"""D_A and D_F task by task: what the task-equal means are made of (DR-86)."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from draligned.measure import bounds
from draligned.measure import quantities as qs
from draligned.measure.contrasts import groups
from draligned.measure.panel import Panel, Quantity

_NUMBERS = (
    "value", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi", "n_readable", "n_planned",
)  # fmt: skip


def task_means(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per evaluator × harness × model (`all` or a name) × estimand × planned task."""
    parts = [
        _rows(panel, quantity).assign(**names)
        for names, panel in groups(pairs)
        for quantity in _quantities(panel)
    ]
    if not parts:
        names = ["evaluator", "harness", "model", "estimand", "task_id", "status", *_NUMBERS]
        return pd.DataFrame({name: pd.Series(dtype=object) for name in names})
    return pd.concat(parts, ignore_index=True)


def _quantities(panel: Panel) -> Iterator[Quantity]:
    yield qs.d_a(panel)
    yield qs.d_f(panel)


def _rows(panel: Panel, quantity: Quantity) -> pd.DataFrame:
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
    return pd.DataFrame(
        {
            "task_id": np.unique(panel.pairs["task_id"].to_numpy(dtype=str)),
            **means,
            "value": pd.Series(means["value"], dtype="Float64").mask(seen == 0),
            "n_readable": seen,
            "n_planned": planned,
            "status": np.where(seen > 0, "ok", "unknown"),
            "estimand": quantity.estimand,
        }
    )
