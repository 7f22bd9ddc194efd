"""How far an estimate hangs on one task, one user, or on users as clusters."""

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
    """Readable pairs: value, task and user of each."""

    values: Floats
    tasks: Codes
    users: Codes
    n_tasks: int
    n_users: int


def leave_one_task(pairs: Readable) -> Interval | None:
    """Least and greatest task-equal mean with one task left out; none below two tasks."""
    sizes = np.bincount(pairs.tasks, minlength=pairs.n_tasks)
    used = sizes > 0
    if used.sum() < 2:
        return None
    sums = np.bincount(pairs.tasks, weights=pairs.values, minlength=pairs.n_tasks)
    means = sums[used] / sizes[used]
    without = (means.sum() - means) / (len(means) - 1)
    return float(without.min()), float(without.max())


def leave_one_user(pairs: Readable) -> Interval | None:
    """Least and greatest task-equal mean with all pairs of one user left out."""
    cell = pairs.tasks * pairs.n_users + pairs.users
    shape = (pairs.n_tasks, pairs.n_users)
    sums = np.bincount(cell, weights=pairs.values, minlength=shape[0] * shape[1]).reshape(shape)
    sizes = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    present = sizes.sum(axis=0) > 0
    left = (sizes.sum(axis=1, keepdims=True) - sizes)[:, present]
    total = (sums.sum(axis=1, keepdims=True) - sums)[:, present]
    tasks_left = (left > 0).sum(axis=0)
    if present.sum() < 2 or (tasks_left == 0).any():
        return None
    means = np.where(left > 0, total / np.maximum(left, 1), 0.0).sum(axis=0) / tasks_left
    return float(means.min()), float(means.max())


def two_way(pairs: Readable, estimate: float) -> Interval | None:
    """Normal 95 % interval with tasks and users as two crossed sets of clusters.

    Variance = V(task) + V(user) − V(task × user), each a clustered sandwich with factor
    G/(G − 1); where the sum is below one of the first two, the larger of these is taken.
    None below two tasks or two users.
    """
    if len(np.unique(pairs.tasks)) < 2 or len(np.unique(pairs.users)) < 2:
        return None
    sizes = np.bincount(pairs.tasks, minlength=pairs.n_tasks)
    weight = 1.0 / (sizes[pairs.tasks] * (sizes > 0).sum())
    score = weight * (pairs.values - estimate)
    by_task, by_user = _sandwich(score, pairs.tasks), _sandwich(score, pairs.users)
    both = _sandwich(score, pairs.tasks * pairs.n_users + pairs.users)
    half = NormalDist().inv_cdf(0.975) * sqrt(max(by_task + by_user - both, by_task, by_user))
    return estimate - half, estimate + half


def _sandwich(score: Floats, clusters: Codes) -> float:
    _, code = np.unique(clusters, return_inverse=True)
    sums = np.bincount(code, weights=score)
    count = len(sums)
    return float((sums * sums).sum()) * count / max(count - 1, 1)
