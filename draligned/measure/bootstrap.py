"""Task bootstrap of many estimates at once.

Every estimate is a ratio Σ numerator / Σ denominator over the tasks drawn: for a task-equal
mean the numerator is the task's mean and the denominator 1 where the task has something
readable, else both are 0, so that a task with nothing readable contributes nothing to a draw.
For a mean over pairs the denominator is the task's number of pairs. A draw without any is empty;
it is counted and left out. What is made of the draws stands in `intervals`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from draligned.measure.resample import TaskDraws

Floats = NDArray[np.float64]
Interval = tuple[float, float]

LEVEL = 0.95

_FLAT = 1e-12
"""A spread below this share of the largest squared residual is rounding, not variation."""


@dataclass(frozen=True, kw_only=True)
class Replicates:
    """Bootstrap values of K estimates, shape (draws, K); undefined where `filled` is false."""

    value: Floats
    error: Floats
    """Standard error within the draw, tasks as clusters (`ratio_error`)."""
    filled: NDArray[np.bool_]


def replicate(numerator: Floats, denominator: Floats, draws: TaskDraws) -> Replicates:
    """Redo K estimates on every draw. `numerator`, `denominator`: shape (n_tasks, K)."""
    parts = _Moments.of(numerator, denominator)
    blocks = [parts.redo(counts) for counts in draws.counts()]
    value, error, filled = (
        own[0] if len(own) == 1 else np.concatenate(own) for own in zip(*blocks, strict=True)
    )
    return Replicates(value=value, error=error, filled=filled.astype(bool))


def ratio_error(numerator: Floats, denominator: Floats) -> float:
    """Standard error of Σ numerator / Σ denominator with tasks as clusters.

    √(n/(n − 1) · Σ (numerator − R · denominator)²) / Σ denominator over the n tasks that have
    something; for a task-equal mean this is the standard deviation over tasks (n − 1) / √n.
    """
    some = denominator > 0
    count = int(some.sum())
    if count < 2:
        return 0.0
    total = float(denominator.sum())
    residual = (numerator - denominator * (numerator.sum() / total))[some]
    return float(np.sqrt(count / (count - 1) * (residual * residual).sum()) / total)


@dataclass(frozen=True, kw_only=True)
class _Moments:
    """Columns whose sums over drawn tasks give value and error of every estimate."""

    columns: Floats
    """Stacked: numerators, denominators, squared numerators; for `ratios` also products, squared
    denominators and marks of tasks that have something."""
    ratios: NDArray[np.intp]
    """Estimates whose denominators are not all 0 or 1."""
    least: Floats

    @classmethod
    def of(cls, numerator: Floats, denominator: Floats) -> "_Moments":
        plain = np.isin(denominator, (0.0, 1.0)).all(axis=0)
        ratios = np.flatnonzero(~plain)
        top, bottom = numerator[:, ratios], denominator[:, ratios]
        some = (bottom > 0).astype(np.float64)
        parts = [numerator, denominator, numerator * numerator, top * bottom, bottom * bottom, some]
        squares = np.maximum(numerator * numerator, denominator * denominator)
        least = np.where(plain, (numerator * numerator).max(axis=0, initial=0.0),
                         squares.max(axis=0, initial=0.0))  # fmt: skip
        return cls(columns=np.concatenate(parts, axis=1), ratios=ratios, least=_FLAT * least)

    def redo(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Values, errors and whether there are any, shape (draws, K)."""
        k, r = len(self.least), len(self.ratios)
        sums = counts @ self.columns
        total, size, spread = sums[:, :k], sums[:, k : 2 * k], sums[:, 2 * k : 3 * k]
        filled = size > 0
        safe = np.where(filled, size, 1.0)
        value = total / safe
        products, bottoms, some = (
            sums[:, 3 * k + place * r : 3 * k + (place + 1) * r] for place in range(3)
        )
        own = value[:, self.ratios]
        of_ratios = spread[:, self.ratios] - own * (2.0 * products - own * bottoms)
        spread -= value * total
        spread[:, self.ratios] = of_ratios
        tasks = safe.copy()
        tasks[:, self.ratios] = np.maximum(some, 1.0)
        spread[spread <= self.least * tasks] = 0.0
        spread *= tasks / np.maximum(tasks - 1.0, 1.0)
        return value, np.sqrt(spread) / safe, filled.astype(np.float64)
