"""Task bootstrap of many estimates at once: percentile, bootstrap-t and their union.

Every estimate is a ratio Σ numerator / Σ denominator over the tasks drawn: for a task-equal
mean the numerator is the task's mean and the denominator 1 where the task has something
readable, else both are 0, so that a task with nothing readable contributes nothing to a draw.
A draw without any is empty; it is counted and left out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from draligned.measure.resample import TaskDraws

Floats = NDArray[np.float64]
Interval = tuple[float, float]

LEVEL = 0.95

_FLAT = 1e-12
"""A spread below this share of the largest squared task mean is rounding, not variation."""


@dataclass(frozen=True, kw_only=True)
class Replicates:
    """Bootstrap values of K estimates, shape (draws, K); undefined where `filled` is false."""

    value: Floats
    error: Floats
    """Standard error of a task-equal mean within the draw."""
    filled: NDArray[np.bool_]


def replicate(numerator: Floats, denominator: Floats, draws: TaskDraws) -> Replicates:
    """Redo K estimates on every draw. `numerator`, `denominator`: shape (n_tasks, K)."""
    squares = numerator * numerator
    least = _FLAT * squares.max(axis=0, initial=0.0)
    parts = [_block(counts, numerator, denominator, squares, least) for counts in draws.counts()]
    value, error, filled = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Replicates(value=value, error=error, filled=filled.astype(bool))


def _block(
    counts: Floats, numerator: Floats, denominator: Floats, squares: Floats, least: Floats
) -> tuple[Floats, Floats, Floats]:
    size = counts @ denominator
    filled = size > 0
    safe = np.where(filled, size, 1.0)
    mean = (counts @ numerator) / safe
    spread = (counts @ squares) / safe - mean * mean
    spread = np.where(spread <= least, 0.0, spread)
    return mean, np.sqrt(spread / np.maximum(safe - 1, 1.0)), filled.astype(np.float64)


def percentile(values: Floats, level: float = LEVEL) -> Interval:
    """Percentile interval of the draws that are not empty (linear interpolation)."""
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def studentised(
    values: Floats, errors: Floats, estimate: float, error: float, level: float = LEVEL
) -> Interval | None:
    """Bootstrap-t interval, unclipped.

    A draw whose tasks all agree (error 0) has no t; such draws are left out, and with fewer
    than half of the draws there is no interval. Nor is there one where every t is the same, as
    with two tasks: it would have no width.
    """
    some = errors > 0
    if 2 * int(some.sum()) < len(values):
        return None
    t = (values[some] - estimate) / errors[some]
    tail = (1 - level) / 2
    low, high = np.quantile(t, [tail, 1 - tail])
    if high - low < _FLAT:
        return None
    return float(estimate - high * error), float(estimate - low * error)


def union(a: Interval, b: Interval) -> Interval:
    """The least interval that contains both."""
    return min(a[0], b[0]), max(a[1], b[1])


def clip(interval: Interval, low: float, high: float) -> Interval:
    """The part of an interval inside the estimate's range."""
    return min(max(interval[0], low), high), max(min(interval[1], high), low)
