"""Shares and means of single units with intervals that know their tasks.

Units of one task are alike, so beside Wilson's interval, which takes them as independent,
stands a percentile interval over whole tasks drawn again (`resample`), unit-weighted: a draw's
value is Σ numerator / Σ denominator over the tasks drawn.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.bootstrap import LEVEL
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.estimate import Settings
from draligned.measure.layout import Columns, typed
from draligned.measure.proportions import wilson
from draligned.measure.resample import GENERATOR, ORDER, TaskDraws

Floats = NDArray[np.float64]

FLAT = 1e-12

RESAMPLED: Columns = (
    *typed("string", "boot_generator"),
    *typed("Int64", "boot_seed", "boot_draws", "boot_tasks", "boot_empty"),
    *typed("string", "boot_order"),
)
"""How the task intervals of a row were made. Tasks are all planned tasks of the row's harness ×
model; `boot_empty` draws held no unit and were left out."""


def task_intervals(
    units: pd.DataFrame,
    rows: list[str],
    values: dict[str, tuple[str, str]],
    tasks_of: pd.DataFrame,
    settings: Settings,
) -> pd.DataFrame:
    """One row per group of `units` by `rows`, with `NAME_task_lo`, `NAME_task_hi` for each value.

    `values` names for each value its columns of summands: numerator and denominator. `units` have
    `task_id`, and `rows` begins with harness and model; `tasks_of` (harness, model, task_id) are
    the planned tasks. Fewer than two tasks with a unit give no interval.
    """
    sums = sorted({column for pair in values.values() for column in pair})
    parts = []
    for (harness, model), own in units.groupby(["harness", "model"], sort=True):
        here = tasks_of["harness"] == harness
        here &= (tasks_of["model"] == model) | (model == ALL_MODELS)
        own_tasks = sorted(set(tasks_of.loc[here, "task_id"].astype(str)))
        parts.append(_redone(own, rows, values, sums, own_tasks, settings))
    if not parts:
        names = [*rows, *(f"{v}_task_{end}" for v in values for end in ("lo", "hi"))]
        return pd.DataFrame(columns=[*names, *(name for name, _ in RESAMPLED)])
    return pd.concat(parts, ignore_index=True)


def _redone(
    units: pd.DataFrame,
    rows: list[str],
    values: dict[str, tuple[str, str]],
    sums: list[str],
    tasks: list[str],
    settings: Settings,
) -> pd.DataFrame:
    totals = units.groupby([*rows, "task_id"], sort=True)[sums].sum()
    by_task = {name: totals[name].unstack("task_id").reindex(columns=tasks) for name in sums}
    found = by_task[sums[0]].index.to_frame(index=False)
    draws = TaskDraws(seed=settings.seed, draws=settings.draws, n_tasks=len(tasks))
    table = {name: part.fillna(0.0).to_numpy(dtype=float).T for name, part in by_task.items()}
    empty = np.zeros(len(found), dtype=np.int64)
    for value, (top, bottom) in values.items():
        low, high, empty = ratio_intervals(table[top], table[bottom], draws)
        found[f"{value}_task_lo"], found[f"{value}_task_hi"] = low, high
    return found.assign(
        boot_generator=GENERATOR,
        boot_seed=settings.seed,
        boot_draws=settings.draws,
        boot_tasks=len(tasks),
        boot_empty=empty,
        boot_order=ORDER,
    )


def ratio_intervals(
    numerator: Floats, denominator: Floats, draws: TaskDraws
) -> tuple[pd.Series, pd.Series, NDArray[np.int64]]:
    """Percentile limits of K ratios of sums, shape (n_tasks, K), and their empty draws.

    Null where fewer than two tasks have a unit, and where all draws agree: an interval of no
    width would claim a certainty that nothing shows.
    """
    parts = [(numerator.T @ c.T, denominator.T @ c.T) for c in draws.counts()]
    top, bottom = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    filled = bottom > 0
    ratio = top / np.where(filled, bottom, 1.0)
    enough = (denominator > 0).sum(axis=0) >= 2
    limits = [_limits(row[full]) if ok else None
              for row, full, ok in zip(ratio, filled, enough, strict=True)]  # fmt: skip
    ends = [
        pd.Series([None if limit is None else limit[end] for limit in limits], dtype="Float64")
        for end in (0, 1)
    ]
    return ends[0], ends[1], (~filled).sum(axis=1)


def _limits(values: Floats) -> tuple[float, float] | None:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return (float(low), float(high)) if high - low > FLAT else None


def shares(tops: pd.Series, bottoms: pd.Series, name: str) -> dict[str, pd.Series]:
    """`NAME_share` with Wilson's limits `NAME_lo`, `NAME_hi`; null where nothing counts."""
    rows = [(int(k), int(n)) for k, n in zip(tops, bottoms, strict=True)]
    ends = [wilson(k, n) or (None, None) for k, n in rows]
    return {
        f"{name}_share": pd.Series([k / n if n else None for k, n in rows], dtype="Float64"),
        f"{name}_lo": pd.Series([low for low, _ in ends], dtype="Float64"),
        f"{name}_hi": pd.Series([high for _, high in ends], dtype="Float64"),
    }
