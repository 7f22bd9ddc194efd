"""Student's t, from the continued fraction of the incomplete beta function; the normal."""

from functools import lru_cache
from math import exp, lgamma, log, log1p
from statistics import NormalDist

NORMAL = NormalDist()
_TINY = 1e-300


def _fraction(a: float, b: float, x: float) -> float:
    """Lentz's evaluation of the continued fraction of the incomplete beta function."""
    c, d = 1.0, 1.0 / _away(1.0 - (a + b) * x / (a + 1.0))
    found = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for part in (even, odd):
            d, c = 1.0 / _away(1.0 + part * d), _away(1.0 + part / c)
            step = c * d
            found *= step
        if abs(step - 1.0) < 1e-16:
            break
    return found


def _away(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def t_below(freedom: int, t: float) -> float:
    """P(T ≤ t) with so many degrees of freedom."""
    tail = 0.5 * _beta(freedom / 2, 0.5, freedom / (freedom + t * t))
    return tail if t < 0 else 1.0 - tail


@lru_cache(maxsize=4096)
def t_at(freedom: int, share: float) -> float:
    """The t below which `share` (above one half) lies."""
    low, high = 0.0, 1.0
    while t_below(freedom, high) < share:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if t_below(freedom, middle) < share else (low, middle)
    return (low + high) / 2


def both_sides(n_clusters: int) -> float:
    """The two-sided 95 % quantile with n − 1 degrees of freedom."""
    return t_at(n_clusters - 1, 0.975)
