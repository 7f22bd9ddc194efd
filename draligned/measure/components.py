"""Variance components of crossed levels from differences between observations.

Half the squared difference of two observations estimates the sum of the variances of the levels
in which they differ (Koch 1967, Technometrics; in balanced designs the estimators of analysis of
variance). Averages by the set of levels that differ are equations in the components, solved by
least squares with the number of couples as weight. Levels that always differ together cannot be
told apart: only their sum has a value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class Component:
    """Variance of one level, or of several that always differ together."""

    levels: tuple[str, ...]
    variance: float | None
    """As estimated, negative where chance made it so; none if it cannot be estimated."""
    reason: str | None
    couples: int
    """Couples of observations that differ in it."""


def components(values: Floats, levels: Mapping[str, Codes]) -> list[Component]:
    """Components of `values`, by the code of each observation in each level.

    Reasons: `one_value` (no two observations differ in the level), `not_separable` (it always
    differs together with others: see their sum), `not_identified` (the equations do not tell it
    from the other levels).
    """
    names = tuple(levels)
    patterns, halves, counts = _semivariances(values, [levels[name] for name in names])
    merged: dict[bytes, list[int]] = {}
    for k in range(len(names)):
        merged.setdefault(patterns[:, k].tobytes(), []).append(k)
    groups = [group for group in merged.values() if patterns[:, group[0]].any()]
    solved = _solve(patterns[:, [group[0] for group in groups]], halves, counts)
    out = []
    for group, variance in zip(groups, solved, strict=True):
        couples = int(counts[patterns[:, group[0]]].sum())
        reason = None if variance is not None else "not_identified"
        found = tuple(names[k] for k in group)
        out.append(Component(levels=found, variance=variance, reason=reason, couples=couples))
        if len(group) > 1:
            out += [_apart(names[k], "not_separable", couples) for k in group]
    flat = {name for k, name in enumerate(names) if not patterns[:, k].any()}
    return out + [_apart(name, "one_value", 0) for name in names if name in flat]


def _apart(name: str, reason: str, couples: int) -> Component:
    return Component(levels=(name,), variance=None, reason=reason, couples=couples)


def _semivariances(
    values: Floats, codes: Sequence[Codes]
) -> tuple[NDArray[np.bool_], Floats, NDArray[np.intp]]:
    """Patterns of differing levels (patterns × levels), mean half squared difference, couples."""
    size = 1 << len(codes)
    sums, counts = np.zeros(size), np.zeros(size, dtype=np.intp)
    for i in range(len(values) - 1):
        apart = np.zeros(len(values) - i - 1, dtype=np.intp)
        for k, code in enumerate(codes):
            apart |= (code[i + 1 :] != code[i]).astype(np.intp) << k
        half = 0.5 * (values[i + 1 :] - values[i]) ** 2
        sums += np.bincount(apart, weights=half, minlength=size)
        counts += np.bincount(apart, minlength=size)
    seen = np.flatnonzero(counts)
    bits = (seen[:, None] >> np.arange(len(codes))) & 1
    return bits.astype(bool), sums[seen] / counts[seen], counts[seen]


def _solve(
    patterns: NDArray[np.bool_], halves: Floats, counts: NDArray[np.intp]
) -> list[float | None]:
    """Least squares; none for what the equations do not identify."""
    weight = np.sqrt(counts.astype(np.float64))
    design = patterns * weight[:, None]
    if not design.size:
        return []
    solution = np.linalg.lstsq(design, halves * weight, rcond=None)[0]
    rank = np.linalg.matrix_rank(design)
    known = [
        np.linalg.matrix_rank(np.delete(design, k, axis=1)) < rank for k in range(design.shape[1])
    ]
    return [float(v) if ok else None for v, ok in zip(solution, known, strict=True)]
