"""Task sign-flip test of a mean difference of zero.

Under the null that exchanging P and Q in a task changes nothing, each task's mean may have
either sign. Two-sided; the statistic is |mean over tasks|.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EXACT_UP_TO = 15
_TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class SignFlip:
    """Result of the test."""

    p: float
    method: str
    """`exact`: all 2^n sign vectors; `monte_carlo`: (1 + hits) / (1 + draws)."""


def sign_flip(task_means: Floats, *, seed: int, draws: int) -> SignFlip | None:
    """Test over the tasks with something readable; none when there is no task.

    More than 15 tasks: `draws` sign vectors from
    `Generator(PCG64(seed)).integers(0, 2, (draws, n))`, 1 meaning a flipped sign.
    """
    n = len(task_means)
    if n == 0:
        return None
    observed = abs(float(task_means.sum())) - _TOLERANCE * n
    if n <= EXACT_UP_TO:
        hits = np.abs(_all_signs(n) @ task_means) >= observed
        return SignFlip(p=float(hits.mean()), method="exact")
    hits = np.abs(_drawn_signs(n, seed, draws) @ task_means) >= observed
    return SignFlip(p=(1 + int(hits.sum())) / (1 + draws), method="monte_carlo")


@lru_cache(maxsize=EXACT_UP_TO + 1)
def _all_signs(n: int) -> NDArray[np.float64]:
    flips = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    return (1 - 2 * flips).astype(np.float64)


@lru_cache(maxsize=8)
def _drawn_signs(n: int, seed: int, draws: int) -> NDArray[np.float64]:
    flips = np.random.Generator(np.random.PCG64(seed)).integers(0, 2, size=(draws, n))
    return (1 - 2 * flips).astype(np.float64)
