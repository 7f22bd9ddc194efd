"""From targets to rows of the table of estimates: value, status, counts, intervals, bounds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from draligned.measure import bootstrap, bounds, robust
from draligned.measure.panel import Panel, Target
from draligned.measure.proportions import wilson, wilson_scaled
from draligned.measure.resample import GENERATOR, ORDER, TaskDraws
from draligned.measure.restore import Flags
from draligned.measure.signflip import sign_flip

Floats = NDArray[np.float64]
Interval = tuple[float, float]
Cell = str | float | int | bool | None
Row = dict[str, Cell]

PERCENTILE = "percentile"
WILSON = "wilson"
WILSON_TASKS = "wilson_tasks"
UNION = "percentile_and_t"
WILSON_SCALED = "wilson_scaled"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Resampling settings."""

    seed: int
    draws: int


@dataclass(frozen=True, kw_only=True)
class _Sums:
    """A target's numerator and denominator per planned task, and the pairs they stand for."""

    numerator: Floats
    denominator: Floats
    used: Flags

    @property
    def value(self) -> float | None:
        total = float(self.denominator.sum())
        return float(self.numerator.sum()) / total if total else None

    @property
    def task_values(self) -> Floats:
        some = self.denominator > 0
        return self.numerator[some] / self.denominator[some]


def estimate(panel: Panel, targets: Sequence[Target], settings: Settings) -> list[Row]:
    """One row per target. No value is made up: n = 0 gives null and `empty`, one task gives a
    value without interval, an interval of no width is marked degenerate (HARD_CASES 24, 25)."""
    sums = [_sums(panel, target) for target in targets]
    draws = TaskDraws(seed=settings.seed, draws=settings.draws, n_tasks=panel.n_tasks)
    redone = bootstrap.replicate(
        np.stack([s.numerator for s in sums], axis=1),
        np.stack([s.denominator for s in sums], axis=1),
        draws,
    )
    rows = []
    for k, (target, own) in enumerate(zip(targets, sums, strict=True)):
        row = _head(panel, target, own)
        filled = redone.filled[:, k]
        if row["status"] == "ok" and own.used.any():
            values, errors = redone.value[filled, k], redone.error[filled, k]
            row |= _intervals(target, own, values, errors)
            row |= _sensitivity(panel, target, own, settings)
        row |= _bounds(panel, target) | _resampling(draws, int((~filled).sum()))
        rows.append(row)
    return rows


def _sums(panel: Panel, target: Target) -> _Sums:
    used = target.member & target.readable
    tasks = panel.tasks[used]
    sizes = np.bincount(tasks, minlength=panel.n_tasks).astype(np.float64)
    totals: Floats = np.bincount(
        tasks, weights=target.values[used], minlength=panel.n_tasks
    ).astype(np.float64)
    if target.weighting == "pair":
        return _Sums(numerator=totals, denominator=sizes, used=used)
    means = totals / np.maximum(sizes, 1.0)
    return _Sums(numerator=means, denominator=(sizes > 0).astype(np.float64), used=used)


def _head(panel: Panel, target: Target, own: _Sums) -> Row:
    n_pairs, n_readable = int(target.member.sum()), int(own.used.sum())
    n_tasks = int((own.denominator > 0).sum())
    status, reason = "ok", None
    if n_readable == 0:
        status, reason = "unknown", "empty"
    elif target.population == "planned" and n_readable < n_pairs:
        status, reason = "bounded", "unreadable_pairs"
    elif n_tasks < 2:
        reason = "one_task"
    return {
        "estimand": target.estimand,
        "channel": target.channel,
        "operator": target.operator,
        "population": target.population,
        "status": status,
        "reason": reason,
        "value": own.value if status == "ok" else None,
        "n_pairs": n_pairs,
        "n_readable": n_readable if target.n_readable is None else target.n_readable,
        "n_planned": len(panel.pairs),
        "n_tasks": n_tasks,
        "n_tasks_planned": panel.n_tasks,
        "range_lo": target.low,
        "range_hi": target.high,
    }


def _intervals(target: Target, own: _Sums, values: Floats, errors: Floats) -> Row:
    value, task_values = own.value, own.task_values
    n_tasks, n_readable = len(task_values), int(own.used.sum())
    if value is None or n_tasks < 2:
        return {}
    flat = bool(np.ptp(task_values) < 1e-12)
    if target.binomial:
        return _named("ci", wilson(value * n_readable, n_readable)) | {
            "ci_method": WILSON,
            "degenerate": False,
        }
    cautious = wilson_scaled(value, n_tasks, target.low, target.high)
    if flat and (target.low, target.high) == (0.0, 1.0):
        return _named("ci", cautious) | {"ci_method": WILSON_TASKS, "degenerate": True}
    plain = bootstrap.percentile(values)
    row: Row = _named("ci", plain) | {"ci_method": PERCENTILE, "degenerate": flat}
    if flat:
        return row | _named("ci_union", cautious) | {"ci_union_method": WILSON_SCALED}
    if target.weighting == "pair":
        return row
    error = float(task_values.std()) / sqrt(n_tasks - 1)
    student = bootstrap.studentised(values, errors, value, error)
    row["boot_flat"] = int((errors == 0).sum())
    if student is None:
        return row
    student = bootstrap.clip(student, target.low, target.high)
    both = bootstrap.union(plain, student)
    return row | _named("ci_t", student) | _named("ci_union", both) | {"ci_union_method": UNION}


def _sensitivity(panel: Panel, target: Target, own: _Sums, settings: Settings) -> Row:
    """Sign-flip test, leave-one-out ranges, two-way clusters: for task-equal differences."""
    value = own.value
    if not target.contrast or target.weighting != "task" or value is None:
        return {}
    pairs = robust.Readable(
        values=target.values[own.used],
        tasks=panel.tasks[own.used],
        users=panel.users[own.used],
        n_tasks=panel.n_tasks,
        n_users=panel.n_users,
    )
    test = sign_flip(own.task_values, seed=settings.seed, draws=settings.draws)
    tested: Row = {f"signflip_{name}": word for name, word in asdict(test).items()} if test else {}
    return (
        tested
        | _named("loo_task", robust.leave_one_task(pairs))
        | _named("loo_user", robust.leave_one_user(pairs))
        | _named("twoway", robust.two_way(pairs, value))
    )


def _bounds(panel: Panel, target: Target) -> Row:
    """Bounds of the mean over all pairs of the population, readable or not."""
    if target.sharp is None or not target.member.any():
        return {}
    coarse = bounds.coarse(target.values, target.readable, target.low, target.high)
    sharp = bounds.Limits(
        low=np.where(target.readable, target.values, target.sharp.low),
        high=np.where(target.readable, target.values, target.sharp.high),
    )
    row = _named("coarse", _mean(panel, target, coarse))
    row |= _named("sharp", _mean(panel, target, sharp))
    if target.opened is not None:
        row |= _named("open", _mean(panel, target, target.opened))
    if target.contrast and target.weighting == "task":
        inside = target.member
        row["tipping"] = bounds.tipping_point(
            target.values[inside], target.readable[inside], panel.tasks[inside], panel.n_tasks
        )
    return row


def _mean(panel: Panel, target: Target, limits: bounds.Limits) -> Interval:
    inside = target.member
    tasks = panel.tasks[inside]
    if target.weighting == "pair":
        return float(limits.low[inside].mean()), float(limits.high[inside].mean())
    low = bounds.mean_over(limits.low[inside], tasks, panel.n_tasks)
    high = bounds.mean_over(limits.high[inside], tasks, panel.n_tasks)
    return low, high


def _named(name: str, interval: Interval | None) -> Row:
    if interval is None:
        return {}
    return {f"{name}_lo": interval[0], f"{name}_hi": interval[1]}


def _resampling(draws: TaskDraws, empty: int) -> Row:
    return {
        "boot_generator": GENERATOR,
        "boot_seed": draws.seed,
        "boot_draws": draws.draws,
        "boot_tasks": draws.n_tasks,
        "boot_empty": empty,
        "boot_order": ORDER,
    }
