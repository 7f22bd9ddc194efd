"""Intervals at 95 % from a resampling header: draws redone with numpy, read off anew."""

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from draligned.verify.count_tables import wilson
from draligned.verify.student import NORMAL, both_sides, t_at, t_below

Floats = NDArray[np.float64]
Ends = tuple[float, float]
FLAT = 1e-12
Z = NORMAL.inv_cdf(0.975)


@lru_cache(maxsize=4)
def drawn(seed: int, draws: int, n_tasks: int) -> NDArray[np.int64]:
    """One draw of tasks a row, as the header says."""
    generator = np.random.Generator(np.random.PCG64(seed))
    return generator.integers(0, n_tasks, size=(draws, n_tasks))


class Redone:
    """Values and standard errors of Σ numerator / Σ denominator in each draw that has any; with
    `whole` in every draw, and `filled` says which have any."""

    def __init__(
        self, numerator: Floats, denominator: Floats, index: NDArray[np.int64], *,
        whole: bool = False,
    ) -> None:  # fmt: skip
        top, bottom = numerator[index], denominator[index]
        size = bottom.sum(axis=1)
        self.filled = size > 0
        self.empty = int((~self.filled).sum())
        if not whole:
            top, bottom, size = top[self.filled], bottom[self.filled], size[self.filled]
        size = np.where(size > 0, size, 1.0)
        self.values = top.sum(axis=1) / size
        tasks = (bottom > 0).sum(axis=1)
        spread = ((top - bottom * self.values[:, None]) ** 2).sum(axis=1)
        largest = (numerator**2).max(initial=0.0)
        if not np.isin(denominator, (0.0, 1.0)).all():
            largest = max(largest, (denominator**2).max())
        spread[spread <= FLAT * largest * np.maximum(tasks, 1)] = 0.0
        self.errors = np.sqrt(spread * tasks / np.maximum(tasks - 1, 1)) / size

    @property
    def flat(self) -> int:
        """Draws whose tasks all have one value."""
        return int((self.errors == 0).sum())


def error_of(numerator: Floats, denominator: Floats) -> float:
    """Standard error of the ratio, tasks as clusters."""
    some = denominator > 0
    n, total = int(some.sum()), float(denominator.sum())
    rest = numerator[some] - denominator[some] * (float(numerator.sum()) / total)
    return sqrt(n / (n - 1) * float(rest @ rest)) / total if n > 1 else 0.0


def quantiles(values: Floats, low: float, high: float) -> Ends:
    """Linear interpolation between order statistics."""
    ordered = np.sort(values)
    return _at(ordered, low), _at(ordered, high)


def _at(ordered: Floats, share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (place - below))


def percentile(values: Floats) -> Ends:
    """The paper's interval."""
    return quantiles(values, 0.025, 0.975)


def expanded(values: Floats, n: int) -> Ends:
    """Percentiles further out, for few clusters."""
    tail = NORMAL.cdf(-sqrt(n / (n - 1)) * both_sides(n))
    return quantiles(values, tail, 1 - tail)


def bca(values: Floats, numerator: Floats, denominator: Floats) -> Ends | None:
    """Bias-corrected and accelerated; none where a quantile cannot be had."""
    top, bottom = float(numerator.sum()), float(denominator.sum())
    pairs = [(a, b) for a, b in zip(numerator, denominator, strict=True) if b > 0]
    if any(bottom - b <= 0 for _, b in pairs):
        return None
    without = np.array([(top - a) / (bottom - b) for a, b in pairs])
    pull = without.mean() - without
    scale = float((pull**2).sum()) ** 1.5
    value = top / bottom
    near = FLAT * max(1.0, abs(value))
    equal = np.abs(values - value) <= near
    share = float(((values < value - near).sum() + 0.5 * equal.sum()) / len(values))
    if scale <= FLAT**3 or not 0 < share < 1:
        return None
    speed = float((pull**3).sum()) / (6 * scale)
    bias = NORMAL.inv_cdf(share)
    if any(speed * (bias + z) >= 1 for z in (-Z, Z)):
        return None
    low, high = (NORMAL.cdf(bias + (bias + z) / (1 - speed * (bias + z))) for z in (-Z, Z))
    return quantiles(values, low, high)


def student(redone: Redone, value: float, error: float, ends: Ends) -> Ends | None:
    """Bootstrap-t, cut to the range; none where too few draws have a t or all have one."""
    some = redone.errors > 0
    if 2 * int(some.sum()) < len(redone.values):
        return None
    low, high = percentile((redone.values[some] - value) / redone.errors[some])
    if high - low < FLAT:
        return None
    return cut((value - high * error, value - low * error), ends)


def cut(interval: Ends, ends: Ends) -> Ends:
    """The part of an interval inside a range."""
    low, high = ends
    return min(max(interval[0], low), high), max(min(interval[1], high), low)


def score(value: float, error: float, z: float, ends: Ends) -> Ends | None:
    """Wilson's interval at the number of clusters that would have this error, by its roots; `z`
    standard errors wide. None at an end of the range, and without any error."""
    width = ends[1] - ends[0]
    share, scaled = (value - ends[0]) / width, error / width
    if scaled <= 0 or not 0 < share < 1:
        return None
    z2 = z * z / (share * (1 - share) / scaled**2)
    a, b, c = 1 + z2, -(2 * share + z2), share * share
    root = sqrt(max(b * b - 4 * a * c, 0.0))
    low, high = max(0.0, (-b - root) / (2 * a)), min(1.0, (-b + root) / (2 * a))
    return ends[0] + width * low, ends[0] + width * high


def scaled_wilson(value: float, n: int, ends: Ends) -> Ends:
    """Wilson's interval as if each of n values stood at an end of the range."""
    width = ends[1] - ends[0]
    low, high = wilson((value - ends[0]) / width * n, n)
    return ends[0] + width * (low or 0.0), ends[0] + width * (1.0 if high is None else high)


def union(intervals: Sequence[Ends | None]) -> Ends:
    """The least interval that holds all that there are."""
    found = [i for i in intervals if i]
    return min(i[0] for i in found), max(i[1] for i in found)


def imbens_manski(low: Floats, high: Floats, ends: Ends) -> Ends | None:
    """Interval of a mean known to lie between two bounds, tasks as clusters."""
    n = len(low)
    if n < 2:
        return None
    means = float(low.mean()), float(high.mean())
    errors = tuple(sqrt(float(((x - x.mean()) ** 2).mean()) / (n - 1)) for x in (low, high))
    c = _critical(means[1] - means[0], max(errors), n - 1)
    out = []
    for side in (0, 1):
        scored = score(means[side], errors[side], c, ends) if errors[side] >= FLAT else None
        out.append((scored or scaled_wilson(means[side], n, ends))[side])
    return max(out[0], ends[0]), min(out[1], ends[1])


def _critical(width: float, error: float, freedom: int) -> float:
    """c with F(c + width / error) − F(−c) = 0.95, between one-sided and two-sided quantile."""
    low, high = t_at(freedom, 0.95), t_at(freedom, 0.975)
    if error < FLAT:
        return low if width > 0 else high
    while high - low > 1e-15 * high:
        c = (low + high) / 2
        if c in (low, high):
            break
        held = t_below(freedom, c + width / error) - t_below(freedom, -c)
        low, high = (low, c) if held >= 0.95 else (c, high)
    return high


def sign_flip(means: Floats, seed: int, draws: int) -> tuple[float, str]:
    """Two-sided test that exchanging P and Q in a task changes nothing."""
    n = len(means)
    least = abs(float(means.sum())) - FLAT * n
    if n <= 15:
        sums = np.zeros(1)
        for mean in means:
            sums = np.concatenate([sums + mean, sums - mean])
        return float((np.abs(sums) >= least).mean()), "exact"
    flips = np.random.Generator(np.random.PCG64(seed)).integers(0, 2, size=(draws, n))
    sums = np.where(flips == 1, -means, means).sum(axis=1)
    return (1 + int((np.abs(sums) >= least).sum())) / (1 + draws), "monte_carlo"
