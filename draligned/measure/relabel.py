"""The null of agenda and allocation: which runs of a cell are called P is drawn anew (DESIGN §8).

Inside a cell all runs had the same task, user and model. If what the user is does not matter,
its runs can be relabelled; a half is not the right null, since shares of few runs differ anyway.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.bootstrap import LEVEL

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST = 2_000
"""Labellings of a cell that are looked at; of larger cells so many are drawn."""


class Null(NamedTuple):
    """A share under relabelling: its mean, central 95 % of draws, and how often it is as large."""

    share: float
    low: float
    high: float
    p: float


def counted(is_p: Flags, count: Callable[[Flags], tuple[float, float]], seed: int) -> Floats:
    """Successes and units of a cell under each labelling, shape (labellings, 2).

    All ways of calling as many runs P as there are, in lexical order of their places; where there
    are more than `MOST`, so many permutations of `Generator(PCG64(seed))`.
    """
    return np.array([count(flags) for flags in _labellings(is_p, seed)], dtype=float)


def _labellings(is_p: Flags, seed: int) -> Iterator[Flags]:
    n, n_p = len(is_p), int(is_p.sum())
    if comb(n, n_p) > MOST:
        generator = np.random.Generator(np.random.PCG64(seed))
        yield from (generator.permutation(is_p) for _ in range(MOST))
        return
    for chosen in combinations(range(n), n_p):
        flags = np.zeros(n, dtype=bool)
        flags[list(chosen)] = True
        yield flags


def relabelled(cells: Sequence[Floats], observed: float, seed: int, draws: int) -> Null | None:
    """The share Σ successes / Σ units with each cell's labels drawn anew, `draws` times.

    `cells` from `counted`, in a fixed order. Each draw takes one of a cell's labellings,
    `integers(0, labellings, draws)` cell by cell from `Generator(PCG64(seed))`.
    p = (1 + draws at least as large as observed) / (1 + draws). None without a cell.
    """
    if not cells:
        return None
    generator = np.random.Generator(np.random.PCG64(seed))
    top, bottom = np.zeros(draws), np.zeros(draws)
    for found in cells:
        chosen = generator.integers(0, len(found), size=draws)
        top += found[:, 0].take(chosen)
        bottom += found[:, 1].take(chosen)
    shares: Floats = top[bottom > 0] / bottom[bottom > 0]
    if not len(shares):
        return None
    low, high = np.quantile(shares, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    hits = int((shares >= observed - 1e-12).sum())
    return Null(float(shares.mean()), float(low), float(high), (1 + hits) / (1 + len(shares)))


def null_columns(nulls: Sequence[Null | None], index: pd.Index) -> dict[str, pd.Series]:
    """`null_share`, `null_lo`, `null_hi`, `null_p`; null where there is none."""
    names = {"null_share": "share", "null_lo": "low", "null_hi": "high", "null_p": "p"}
    return {
        name: pd.Series(
            [None if null is None else getattr(null, key) for null in nulls],
            dtype="Float64",
            index=index,
        )
        for name, key in names.items()
    }
