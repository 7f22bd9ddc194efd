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
    frame = pd.DataFrame(
        {
            "task_id": panel.pairs["task_id"].to_numpy(),
            "value": np.where(readable, quantity.values, 0.0),
            "coarse_lo": coarse.low,
            "coarse_hi": coarse.high,
            "sharp_lo": quantity.sharp.low,
            "sharp_hi": quantity.sharp.high,
            "n_readable": readable.astype(np.int64),
            "n_planned": 1,
        }
    )
    sums = frame.groupby("task_id", sort=True).sum().reset_index()
    seen = sums["n_readable"] > 0
    means = {name: sums[name] / sums["n_planned"] for name in _NUMBERS[1:5]}
    value = (sums["value"] / sums["n_readable"].clip(lower=1)).astype("Float64").mask(~seen)
    status = np.where(seen.to_numpy(), "ok", "unknown")
    return sums.assign(**means, value=value, status=status, estimand=quantity.estimand)
