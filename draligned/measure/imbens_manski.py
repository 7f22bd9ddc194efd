"""Intervals of the mean over planned pairs, of which part was not read (DR-88).

Bounds say what unreadable pairs leave open in these tasks; other tasks would have given other
bounds. Imbens and Manski's interval (Econometrica 2004) holds both: it covers the planned mean,
wherever between its bounds it lies, with 95 %.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.special.cython_special import stdtr

from draligned.measure.bootstrap import LEVEL, Interval
from draligned.measure.intervals import score_at, t_quantile
from draligned.measure.proportions import wilson_scaled

Floats = NDArray[np.float64]

_STEPS = 48
_FLAT = 1e-12


def interval(low: Floats, high: Floats, ends: Interval, level: float = LEVEL) -> Interval | None:
    """Interval of the mean over tasks, from each planned task's least and greatest mean.

    From the lower end for mean(low) to the upper end for mean(high), each Wilson's at its effective
    number of tasks (`intervals.score`) with c in place of t; away from `ends`, the range of the
    values, that is mean(low) − c·se(low) and mean(high) + c·se(high). c solves
    F(c + Δ / max(se)) − F(−c) = level, with Δ = mean(high) − mean(low), se over n tasks (n − 1),
    and F Student's t with n − 1 degrees of freedom. A bound that is the same in all tasks takes
    Wilson's end at n tasks, scaled to the range (HARD_CASES 24). None below two tasks.
    """
    n = len(low)
    if n < 2:
        return None
    mean = float(low.mean()), float(high.mean())
    error = float(low.std()) / sqrt(n - 1), float(high.std()) / sqrt(n - 1)
    c = critical(mean[1] - mean[0], max(error), n, level)
    found = [_around(mean[k], error[k], c, n, ends, level) for k in (0, 1)]
    return max(found[0][0], ends[0]), min(found[1][1], ends[1])


def _around(mean: float, error: float, c: float, n: int, ends: Interval, level: float) -> Interval:
    scored = score_at(mean, error, c, ends) if error >= _FLAT else None
    return scored or wilson_scaled(mean, n, *ends, level) or (mean, mean)


def critical(width: float, error: float, n: int, level: float = LEVEL) -> float:
    """c of `interval`, by bisection between the one-sided and the two-sided quantile."""
    low, high = float(special.stdtrit(n - 1, level)), t_quantile(n, level)
    if error < _FLAT:
        return low if width > 0 else high
    freedom = float(n - 1)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        inside = stdtr(freedom, middle + width / error) - stdtr(freedom, -middle)
        low, high = (low, middle) if inside >= level else (middle, high)
    return high
