"""Shares and means of single units with intervals that know their tasks.

Units of one task are alike, so beside Wilson's interval, which takes them as independent,
stands a percentile interval over whole tasks drawn again (`resample`), unit-weighted: a draw's
value is Σ numerator / Σ denominator over the tasks drawn.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.bootstrap import LEVEL, drawn_sums
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.estimate import Settings
from draligned.measure.intervals import quantiles
from draligned.measure.layout import Columns, typed
from draligned.measure.proportions import wilson
from draligned.measure.resample import GENERATOR, ORDER, TaskDraws

Floats = NDArray[np.float64]

FLAT = 1e-12
_NONE = (float("nan"), float("nan"))
_COLUMNS = 64
"""Ratios that are drawn at once."""

RESAMPLED: Columns = (
    *typed("string", "boot_generator"),
    *typed("Int64", "boot_seed", "boot_draws", "boot_tasks", "boot_empty"),
    *typed("string", "boot_order"),
)
"""How the task intervals of a row were made. Tasks are all planned tasks of the row's harness ×
model; at most `boot_empty` draws held no unit of a value and were left out."""


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
    totals = units.groupby([*rows, "task_id"], sort=True)[sums].sum().reset_index()
    totals = totals.merge(_places(tasks_of), on=["harness", "model", "task_id"])
    totals["row"] = totals.groupby(rows, sort=True).ngroup()
    found = totals.drop_duplicates("row")[[*rows, "boot_tasks"]].reset_index(drop=True)
    limits = {f"{value}_task_{end}": np.full(len(found), np.nan)
              for value in values for end in ("lo", "hi")}  # fmt: skip
    empty = np.zeros(len(found), dtype=np.int64)
    for size, own in totals.groupby("boot_tasks", sort=True):
        draws = TaskDraws(seed=settings.seed, draws=settings.draws, n_tasks=int(str(size)))
        for value, (top, bottom) in values.items():
            at, sides = _by_task(own, (top, bottom), draws.n_tasks)
            low, high, none = ratio_intervals(*sides, draws)
            limits[f"{value}_task_lo"][at], limits[f"{value}_task_hi"][at] = low, high
            empty[at] = np.maximum(empty[at], none)
    bounds = {n: pd.Series(v, dtype="Float64").mask(np.isnan(v)) for n, v in limits.items()}
    return found.assign(
        **bounds,
        boot_generator=GENERATOR,
        boot_seed=settings.seed,
        boot_draws=settings.draws,
        boot_empty=empty,
        boot_order=ORDER,
    )


def _places(tasks_of: pd.DataFrame) -> pd.DataFrame:
    """Place of each planned task of a harness × model in ascending order, and their number."""
    planned = tasks_of[["harness", "model", "task_id"]].astype("str")
    both = pd.concat([planned, planned.assign(model=ALL_MODELS)]).drop_duplicates()
    ordered = both.sort_values(["harness", "model", "task_id"], kind="stable")
    group = ordered.groupby(["harness", "model"], sort=True)["task_id"]
    return ordered.assign(place=group.cumcount(), boot_tasks=group.transform("size"))


def _by_task(
    totals: pd.DataFrame, columns: tuple[str, str], n_tasks: int
) -> tuple[NDArray[np.int64], tuple[Floats, Floats]]:
    """The rows, and their sums of two columns by task, shape (n_tasks, rows)."""
    rows, at = np.unique(totals["row"].to_numpy(), return_inverse=True)
    sides = []
    for column in columns:
        side = np.zeros((n_tasks, len(rows)))
        side[totals["place"].to_numpy(), at] = totals[column].to_numpy(dtype=float)
        sides.append(side)
    return rows.astype(np.int64), (sides[0], sides[1])


def ratio_intervals(
    numerator: Floats, denominator: Floats, draws: TaskDraws
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Percentile limits of K ratios of sums, shape (n_tasks, K), and their empty draws.

    Undefined (NaN) where fewer than two tasks have a unit, and where all draws agree: an interval
    of no width would claim a certainty that nothing shows.
    """
    parts = [_block(numerator[:, k : k + _COLUMNS], denominator[:, k : k + _COLUMNS], draws)
             for k in range(0, numerator.shape[1], _COLUMNS)]  # fmt: skip
    low, high, empty = (np.concatenate(part) for part in zip(*parts, strict=True))
    return low, high, empty.astype(np.int64)


def _block(
    numerator: Floats, denominator: Floats, draws: TaskDraws
) -> tuple[Floats, Floats, Floats]:
    k = numerator.shape[1]
    both = np.concatenate([numerator, denominator], axis=1)
    drawn = np.concatenate([drawn_sums(both, counts) for counts in draws.counts()], axis=1)
    filled = drawn[k:] > 0
    ratio = drawn[:k] / np.where(filled, drawn[k:], 1.0)
    enough = (denominator > 0).sum(axis=0) >= 2
    limits = np.array([_limits(r[f]) if ok else _NONE
                       for r, f, ok in zip(ratio, filled, enough, strict=True)])  # fmt: skip
    return limits[:, 0], limits[:, 1], (~filled).sum(axis=1).astype(np.float64)


def _limits(values: Floats) -> tuple[float, float]:
    low, high = quantiles(values, np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    return (float(low), float(high)) if high - low > FLAT else _NONE


def shares(tops: pd.Series, bottoms: pd.Series, name: str) -> dict[str, pd.Series]:
    """`NAME_share` with Wilson's limits `NAME_lo`, `NAME_hi`; null where nothing counts."""
    rows = [(int(k), int(n)) for k, n in zip(tops, bottoms, strict=True)]
    ends = [wilson(k, n) or (None, None) for k, n in rows]
    return {
        f"{name}_share": pd.Series([k / n if n else None for k, n in rows], dtype="Float64"),
        f"{name}_lo": pd.Series([low for low, _ in ends], dtype="Float64"),
        f"{name}_hi": pd.Series([high for _, high in ends], dtype="Float64"),
    }
