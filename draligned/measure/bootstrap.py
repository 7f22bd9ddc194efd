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

_ONE_THREAD = 250_000
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
    value, error = (np.empty((numerator.shape[1], draws.draws)) for _ in range(2))
    filled = np.empty(value.shape, dtype=np.bool_)
    start = 0
    for counts in draws.counts():
        here = slice(start, start + len(counts))
        parts.redo(counts, value[:, here], error[:, here], filled[:, here])
        start += len(counts)
    return Replicates(value=value.T, error=error.T, filled=filled.T)


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

    def redo(self, counts: Floats, value: Floats, error: Floats, filled: NDArray[np.bool_]) -> None:
        """Fill in values, errors and whether there are any, shape (K, draws): an estimate's draws
        lie side by side."""
        k, r = len(self.least), len(self.ratios)
        sums = drawn_sums(self.columns, counts)
        place = {estimate: 3 * k + i for i, estimate in enumerate(self.ratios)}
        for i in range(k):
            total, size, spread = sums[i], sums[k + i], sums[2 * k + i]
            np.greater(size, 0, out=filled[i])
            safe = size if filled[i].all() else np.where(filled[i], size, 1.0)
            np.divide(total, safe, out=value[i])
            tasks = safe
            if i in place:
                products, bottoms, some = (sums[place[i] + part * r] for part in range(3))
                spread -= value[i] * (2.0 * products - value[i] * bottoms)
                tasks = np.maximum(some, 1.0)
            else:
                spread -= value[i] * total
            spread[spread <= self.least[i] * tasks] = 0.0
            spread *= tasks / np.maximum(tasks - 1.0, 1.0)
            np.divide(np.sqrt(spread, out=spread), safe, out=error[i])


def drawn_sums(columns: Floats, counts: Floats) -> Floats:
    """`columns.T @ counts.T`, in parts that linear algebra does not hand out to threads: waiting
    for one another costs them more than the sums do."""
    width, draws = columns.shape[1], len(counts)
    out = np.empty((width, draws))
    step = max(1, _ONE_THREAD // max(1, columns.size))
    for start in range(0, draws, step):
        here = slice(start, start + step)
        out[:, here] = columns.T @ counts[here].T
    return out
