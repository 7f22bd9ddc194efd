"""Intervals of proportions that stay honest at 0 and 1 (HARD_CASES 24)."""

from math import sqrt
from statistics import NormalDist


def wilson(successes: float, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson score interval of `successes` out of `n`; none when n = 0.

    `successes` may be fractional, for shares scaled from another range.
    """
    if n == 0:
        return None
    return wilson_at(successes / n, n, NormalDist().inv_cdf((1 + level) / 2))


def wilson_at(share: float, n: float, z: float) -> tuple[float, float]:
    """The same at a given quantile, of a share of n > 0, which need be no whole number."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def wilson_scaled(
    value: float, n: int, low: float, high: float, level: float = 0.95
) -> tuple[float, float] | None:
    """Wilson interval of a mean of `n` values in [low, high], as if each stood at an end.

    No variable in that range varies more, so it is a cautious interval where the sample
    itself shows no variation at all.
    """
    interval = wilson((value - low) / (high - low) * n, n, level)
    if interval is None:
        return None
    return low + (high - low) * interval[0], low + (high - low) * interval[1]
