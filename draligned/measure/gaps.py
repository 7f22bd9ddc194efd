"""Re-entry: the own side is expressed, then it is not, then it is again (DR-78, DR-80).

Strict: every unit of the gap is known and at least one of them does not express the own side.
A gap with an unknown unit, or in a run whose units were not all observed, is uncertain. The
earlier, looser rule is retracted.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from draligned.measure.restore import Flags
from draligned.measure.sequences import OWN, Sequences


@dataclass(frozen=True, kw_only=True)
class Gaps:
    """Gaps between one expressed unit of a run and the next expressed one."""

    of: NDArray[np.intp]
    start: NDArray[np.intp]
    end: NDArray[np.intp]
    """Places of the expressed units on both sides."""
    n_absent: NDArray[np.intp]
    """Units in the gap known not to express the own side."""
    n_unknown: NDArray[np.intp]
    strict: Flags


def gaps(found: Sequences) -> Gaps:
    """All gaps of at least one unit, run by run, in order."""
    shown = np.flatnonzero(expressed(found))
    inside = (found.of[shown[1:]] == found.of[shown[:-1]]) & (np.diff(shown) > 1)
    start, end = shown[:-1][inside], shown[1:][inside]
    before = np.concatenate([[0], np.cumsum(found.state < 0)])
    n_unknown = before[end] - before[start + 1]
    of = found.of[start]
    in_full = found.heads["in_full"].to_numpy(dtype=bool)
    return Gaps(
        of=of, start=start, end=end, n_absent=end - start - 1 - n_unknown, n_unknown=n_unknown,
        strict=(n_unknown == 0) & in_full[of],
    )  # fmt: skip


def expressed(found: Sequences) -> Flags:
    """Which units are known to express the own side."""
    return (found.state >= 0) & ((found.state & OWN) > 0)


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What gaps to expect of a run whose labels are put in random order, all orders alike."""

    strict: float
    """Number of strict gaps."""
    uncertain: float
    """Number of gaps with an unknown unit."""
    any_strict: float
    """Chance of at least one strict gap."""


@lru_cache(maxsize=65_536)
def expected(shown: int, absent: int, unknown: int) -> Expected:
    """Exact expectation for `shown` expressed, `absent` and `unknown` units.

    The labels other than the expressed ones fall into the `shown` + 1 places before, between and
    after these; a gap is strict where its place holds an absent label and no unknown one. The
    chance sums, over the number w of inner places without an unknown label, the orders in which
    no absent label falls into those w places.
    """
    if shown < 2:
        return Expected(strict=0.0, uncertain=0.0, any_strict=0.0)
    total = shown + absent + unknown
    clear = shown + unknown
    inner = shown - 1
    strict = inner * shown * (total - clear) / (clear * total)
    none = sum(
        comb(inner, w) * comb(unknown + 1, shown - w) * comb(total - w, absent)
        for w in range(max(0, inner - unknown), shown)
    )
    every = comb(clear, shown) * comb(total, absent)
    return Expected(
        strict=strict,
        uncertain=inner * unknown / clear,
        any_strict=(every - none) / every,
    )


def run_counts(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chance of each number of hits, from none up, of independent events (Poisson binomial)."""
    spread = np.ones(1)
    for chance in chances[chances > 0]:
        spread = np.convolve(spread, (1 - chance, chance))
    return spread
