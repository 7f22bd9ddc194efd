"""What unreadable pairs leave open (DR-88, DESIGN §8).

Coarse: every unreadable planned pair may be anything in the range of d. Sharp: the readable
arm of a half-read pair still limits d. Open: in addition every unresolved request of every arm
may have been anything, so readable values widen too. Coarse contains sharp; open contains sharp
for requests. Arrays over pairs, arms' readouts in [−1, 1].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from draligned.measure.restore import Flags

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Least and greatest value of each pair."""

    low: Floats
    high: Floats


def coarse(values: Floats, readable: Flags, low: float, high: float) -> Limits:
    """Values where readable, else the ends of the range."""
    return Limits(low=np.where(readable, values, low), high=np.where(readable, values, high))


def arm(values: Floats, known: Flags) -> Limits:
    """An arm's readout: itself where known, else anything in [−1, 1]."""
    return Limits(low=np.where(known, values, -1.0), high=np.where(known, values, 1.0))


def open_arm(net: Floats, unresolved: Floats, total: Floats, unlimited: Flags) -> Limits:
    """An arm's mean readout if each unresolved request may be P_ONLY or Q_ONLY.

    `net` = P_ONLY − Q_ONLY among identified; `unlimited` arms (no request seen, or seen in part)
    may be anything.
    """
    size = np.maximum(total, 1)
    free = unlimited | (total == 0)
    low = np.where(free, -1.0, (net - unresolved) / size)
    return Limits(low=low, high=np.where(free, 1.0, (net + unresolved) / size))


def difference(p: Limits, q: Limits, *, sign: bool = False) -> Limits:
    """p − q, or its sign."""
    low, high = p.low - q.high, p.high - q.low
    return Limits(low=np.sign(low), high=np.sign(high)) if sign else Limits(low=low, high=high)


def mean_over(values: Floats, tasks: NDArray[np.intp], n_tasks: int) -> float:
    """Task-equal mean over all pairs given, at least one."""
    sizes = np.bincount(tasks, minlength=n_tasks)
    used = sizes > 0
    sums = np.bincount(tasks, weights=values, minlength=n_tasks)
    return float((sums[used] / sizes[used]).mean())


def tipping_point(
    values: Floats, readable: Flags, tasks: NDArray[np.intp], n_tasks: int
) -> float | None:
    """The mean value that unreadable pairs would need for the planned mean to be zero.

    None when every pair is readable. Outside the range of d it cannot be reached: the sign of
    the planned mean does not depend on what was unreadable.
    """
    sizes = np.bincount(tasks, minlength=n_tasks)
    weight = 1.0 / sizes[tasks]
    missing = float(weight[~readable].sum())
    if missing == 0:
        return None
    return -float((weight * values)[readable].sum()) / missing
