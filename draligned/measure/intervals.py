"""Intervals at 95 % from bootstrap draws of one estimate.

`percentile` is the paper's (Q12). `expanded` reads the same percentiles further out, so that few
clusters are paid for (Hesterberg 2015, What Teachers Should Know About the Bootstrap); `bca`
corrects for bias and skewness (Efron 1987); `studentised` is bootstrap-t; `score` is Wilson's
interval at the number of clusters that would have the estimate's standard error. The union of
percentile, bootstrap-t and score is the recommended one (`RECOMMENDED`): bootstrap-t fails where
most tasks have one value, score where values are skewed far from the ends of their range, and
each is wide where the other is short (docs/validity.md).
"""

from math import sqrt

import numpy as np
from scipy import special

from draligned.measure.bootstrap import LEVEL, Floats, Interval

RECOMMENDED = "ci_union"
"""Columns `ci_union_lo` and `ci_union_hi` hold the interval to be used."""

_ROUNDING = 1e-12


def t_quantile(n: int, level: float = LEVEL) -> float:
    """Two-sided quantile of Student's t with n − 1 degrees of freedom."""
    return float(special.stdtrit(n - 1, (1 + level) / 2))


Tails = tuple[float, float]


def at(values: Floats, *tails: Tails | None) -> list[Interval | None]:
    """Intervals between shares of the draws (linear interpolation), found in one pass."""
    wanted = [tail for tail in tails if tail is not None]
    ends = quantiles(values, np.array(wanted))
    found = {
        tail: (float(low), float(high)) for tail, (low, high) in zip(wanted, ends, strict=True)
    }
    return [None if tail is None else found[tail] for tail in tails]


def quantiles(values: Floats, shares: Floats) -> Floats:
    """`numpy.quantile(values, shares)`, linear interpolation, to the last bit; of finite values it
    takes a third of the time."""
    place = shares * (len(values) - 1)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, len(values) - 1)
    ordered = np.partition(values, np.unique([below, above]))
    low, high, part = ordered[below], ordered[above], place - below
    gap = high - low
    return np.where(part >= 0.5, high - gap * (1 - part), low + gap * part)


def percentile(level: float = LEVEL) -> Tails:
    """Tails of the percentile interval."""
    return (1 - level) / 2, (1 + level) / 2


def expanded(n: int, level: float = LEVEL) -> Tails:
    """Φ(∓ √(n/(n − 1)) · t) in place of Φ(∓ z), for n ≥ 2 clusters."""
    tail = float(special.ndtr(-sqrt(n / (n - 1)) * t_quantile(n, level)))
    return tail, 1 - tail


def bca(
    values: Floats, numerator: Floats, denominator: Floats, level: float = LEVEL
) -> Tails | None:
    """Tails of the bias-corrected and accelerated interval of Σ numerator / Σ denominator.

    Acceleration from leaving out each task that has something; bias from the share of draws below
    the estimate, ties counting half (as `scipy.stats.bootstrap`). None where every draw lies on
    one side, where no task moves the estimate, or where a tail leaves (0, 1).
    """
    some = denominator > 0
    top, bottom = float(numerator.sum()), float(denominator.sum())
    rest = bottom - denominator[some]
    if (rest <= 0).any():
        return None
    without = (top - numerator[some]) / rest
    pull = without.mean() - without
    scale = float((pull * pull).sum()) ** 1.5
    near = _ROUNDING * max(1.0, abs(top / bottom))
    below, tied = values < top / bottom - near, np.abs(values - top / bottom) <= near
    share = (below.sum() + 0.5 * tied.sum()) / len(values)
    if scale <= _ROUNDING**3 or not 0 < share < 1:
        return None
    acceleration = float((pull**3).sum()) / (6 * scale)
    bias, tail = special.ndtri(share), special.ndtri((1 + level) / 2)
    ends = bias + np.array([-tail, tail])
    if (acceleration * ends >= 1).any():
        return None
    low, high = special.ndtr(bias + ends / (1 - acceleration * ends))
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
    if not some.all():
        values, errors = values[some], errors[some]
    low, high = quantiles((values - estimate) / errors, np.array(percentile(level)))
    if high - low < _ROUNDING:
        return None
    return float(estimate - high * error), float(estimate - low * error)


def score(
    estimate: float, error: float, n: int, bounds: Interval, level: float = LEVEL
) -> Interval | None:
    """Wilson's interval of a mean within `bounds`, at its effective number of clusters.

    With s the estimate scaled to [0, 1] and e its standard error so scaled, m = s(1 − s)/e²
    clusters would have that error if each stood at an end; Student's t with n − 1 degrees of
    freedom stands for z. Far from the ends it is the t interval. None where e is 0.
    """
    return score_at(estimate, error, t_quantile(n, level), bounds)


def score_at(estimate: float, error: float, z: float, bounds: Interval) -> Interval | None:
    """`score` at a given number of standard errors."""
    low, high = bounds
    share, scaled = (estimate - low) / (high - low), error / (high - low)
    if scaled <= 0 or not 0 < share < 1:
        return None
    size = share * (1 - share) / (scaled * scaled)
    centre = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * sqrt(scaled * scaled + z * z / (4 * size * size))
    inside = max(0.0, centre - half), min(1.0, centre + half)
    return low + (high - low) * inside[0], low + (high - low) * inside[1]


def union(*intervals: Interval | None) -> Interval:
    """The least interval that contains all that there are, at least one."""
    found = [interval for interval in intervals if interval is not None]
    return min(low for low, _ in found), max(high for _, high in found)


def clip(interval: Interval, low: float, high: float) -> Interval:
    """The part of an interval inside the estimate's range."""
    return min(max(interval[0], low), high), max(min(interval[1], high), low)
