"""How well features tell two classes apart: cross-validated AUC and a permutation test of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

FOLDS, PERMUTATIONS, SEED, RIDGE = 5, 299, 20260929, 1e-3


@dataclass(frozen=True, kw_only=True)
class Telling:
    """`auc` 0.5: nothing is told. `p`: share of permuted classes that give as much or more."""

    auc: float
    p: float
    n: int


def telling(features: Floats, classes: Codes, tasks: Codes, units: Codes) -> Telling | None:
    """Ridge regression on the other folds' tasks, scored on each fold's own.

    `classes` 0 or 1. `units`: rows of one run share a class, and keep it together when classes
    are exchanged within a task. None with fewer than two tasks or one class.
    """
    if len(np.unique(tasks)) < 2 or len(np.unique(classes)) < 2:
        return None
    generator = np.random.Generator(np.random.PCG64(SEED))
    told = [classes, *(_permuted(classes, tasks, units, generator) for _ in range(PERMUTATIONS))]
    aucs = _aucs(_scores(features, np.stack(told, axis=1), tasks), np.stack(told, axis=1))
    hits = int((aucs[1:] >= aucs[0] - 1e-12).sum())
    return Telling(auc=float(aucs[0]), p=(1 + hits) / (1 + PERMUTATIONS), n=len(classes))


def _permuted(classes: Codes, tasks: Codes, units: Codes, generator: np.random.Generator) -> Codes:
    """Classes of units shuffled within each task."""
    _, first, back = np.unique(units, return_index=True, return_inverse=True)
    own, task = classes[first], tasks[first]
    order = np.lexsort((generator.random(len(own)), task))
    shuffled = np.empty_like(own)
    shuffled[np.argsort(task, kind="stable")] = own[order]
    found: Codes = shuffled[back]
    return found


def _scores(features: Floats, told: Codes, tasks: Codes) -> Floats:
    """Out-of-fold scores, one column a labelling."""
    spread = features.std(axis=0)
    x = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    y = told - told.mean(axis=0)
    _, codes = np.unique(tasks, return_inverse=True)
    fold = codes % FOLDS
    scores = np.zeros(y.shape)
    for k in np.unique(fold):
        out, rest = fold == k, fold != k
        gram = x[rest].T @ x[rest] + RIDGE * len(x) * np.eye(x.shape[1])
        scores[out] = x[out] @ np.linalg.solve(gram, x[rest].T @ y[rest])
    return scores


def _aucs(scores: Floats, told: Codes) -> Floats:
    """Area under the curve of each column, ties counting half."""
    out = np.empty(scores.shape[1])
    for column in range(scores.shape[1]):
        _, back, size = np.unique(
            np.round(scores[:, column], 12), return_inverse=True, return_counts=True
        )
        ranks = (np.cumsum(size) - (size - 1) / 2)[back]
        ones = told[:, column] == 1
        n1, n0 = int(ones.sum()), int((~ones).sum())
        out[column] = (ranks[ones].sum() - n1 * (n1 + 1) / 2) / max(n1 * n0, 1)
    return out
