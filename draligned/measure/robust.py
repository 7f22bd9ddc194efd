"""How far an estimate hangs on one task, user, factor or model, or on users as clusters."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Readable:
    """Readable pairs: value, task and other clusters (user, factor, model) of each, as codes."""

    values: Floats
    tasks: Codes
    n_tasks: int
    clusters: Mapping[str, Codes]


def without_each(pairs: Readable, codes: Codes) -> tuple[Codes, Floats, NDArray[np.bool_]]:
    """Task-equal mean with all pairs of one cluster left out, for each cluster that has pairs:
    its code, the mean, and whether any pair is left."""
    count = int(codes.max(initial=-1)) + 1
    shape, size = (pairs.n_tasks, count), pairs.n_tasks * count
    cell = pairs.tasks * count + codes
    sums = np.bincount(cell, weights=pairs.values, minlength=size).reshape(shape)
    sizes = np.bincount(cell, minlength=size).reshape(shape)
    found = np.flatnonzero(sizes.any(axis=0))
    sums, sizes = sums[:, found], sizes[:, found]
    left = sizes.sum(axis=1, keepdims=True) - sizes
    total = sums.sum(axis=1, keepdims=True) - sums
    tasks_left = (left > 0).sum(axis=0)
    means = np.where(left > 0, total / np.maximum(left, 1), 0.0).sum(axis=0)
    return found, means / np.maximum(tasks_left, 1), tasks_left > 0


def leave_one_out(pairs: Readable, codes: Codes) -> Interval | None:
    """Least and greatest task-equal mean with one cluster left out.

    None with fewer than two clusters, or where one of them has all readable pairs.
    """
    found, means, some = without_each(pairs, codes)
    if len(found) < 2 or not some.all():
        return None
    return float(means.min()), float(means.max())


def two_way(pairs: Readable, estimate: float, cluster: str = "user") -> Interval | None:
    """Normal 95 % interval with tasks and users as two crossed sets of clusters.

    Variance = V(task) + V(user) − V(task × user), each a clustered sandwich with factor
    G/(G − 1); where the sum is below one of the first two, the larger of these is taken.
    None below two tasks or two users.
    """
    users = pairs.clusters[cluster]
    sizes = np.bincount(pairs.tasks, minlength=pairs.n_tasks)
    n_tasks = int(np.count_nonzero(sizes))
    if n_tasks < 2 or int(np.count_nonzero(np.bincount(users))) < 2:
        return None
    part = (pairs.values - estimate) / (sizes[pairs.tasks] * n_tasks)
    by_task, by_user = _sandwich(part, pairs.tasks), _sandwich(part, users)
    both = _sandwich(part, pairs.tasks * (int(users.max()) + 1) + users)
    half = NormalDist().inv_cdf(0.975) * sqrt(max(by_task + by_user - both, by_task, by_user))
    return estimate - half, estimate + half


def _sandwich(score: Floats, clusters: Codes) -> float:
    sums = np.bincount(clusters, weights=score)
    count = int(np.count_nonzero(np.bincount(clusters)))
    return float((sums * sums).sum()) * count / max(count - 1, 1)
