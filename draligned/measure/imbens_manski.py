"""Intervals of the mean over planned pairs, of which part was not read (DR-88).

Bounds say what unreadable pairs leave open in these tasks; other tasks would have given other
bounds. Imbens and Manski's interval (Econometrica 2004) holds both: it covers the planned mean,
wherever between its bounds it lies, with 95 %.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from draligned.measure.bootstrap import LEVEL, Interval
from draligned.measure.intervals import t_quantile
from draligned.measure.proportions import wilson_scaled

Floats = NDArray[np.float64]

_STEPS = 80
_FLAT = 1e-12


def interval(low: Floats, high: Floats, ends: Interval, level: float = LEVEL) -> Interval | None:
    """Interval of the mean over tasks, from each planned task's least and greatest mean.

    [mean(low) − c·se(low), mean(high) + c·se(high)], where c solves
    F(c + Δ / max(se)) − F(−c) = level, with Δ = mean(high) − mean(low), se over n tasks (n − 1),
    and F Student's t with n − 1 degrees of freedom, cut to `ends`, the range of the values. A
    bound that is the same in all tasks takes Wilson's end, scaled to the range (HARD_CASES 24),
    unless it is the range's own end. None below two tasks.
    """
    n = len(low)
    if n < 2:
        return None
    mean = float(low.mean()), float(high.mean())
    error = float(low.std()) / sqrt(n - 1), float(high.std()) / sqrt(n - 1)
    c = critical(mean[1] - mean[0], max(error), n, level)
    out = [mean[0] - c * error[0], mean[1] + c * error[1]]
    for side in (0, 1):
        cautious = wilson_scaled(mean[side], n, *ends, level)
        if error[side] < _FLAT and cautious is not None:
            out[side] = cautious[side]
    return max(out[0], ends[0]), min(out[1], ends[1])


def critical(width: float, error: float, n: int, level: float = LEVEL) -> float:
    """c of `interval`, by bisection between the one-sided and the two-sided quantile."""
    low, high = float(special.stdtrit(n - 1, level)), t_quantile(n, level)
    if error < _FLAT:
        return low if width > 0 else high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        inside = special.stdtr(n - 1, middle + width / error) - special.stdtr(n - 1, -middle)
        low, high = (low, middle) if inside >= level else (middle, high)
    return high
