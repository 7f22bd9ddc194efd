"""How often intervals of a share cover the truth, over θ and intra-cluster correlation.

Scenarios are few, so a percentile bootstrap over them covers too little, least near 0 and 1. Where
it covers under 93 % the tables mark the share and give the Wilson interval with the effective n.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from draligned.measure.proportions import wilson
from draligned.measure.resample import TaskDraws
from draligned.progress.statistics import effective_n, student, wilson_of

Floats = NDArray[np.float64]
LEAST = 0.93
THETAS = (0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98)
CORRELATIONS = (0.0, 0.05, 0.1, 0.2, 0.4)


class Covered(NamedTuple):
    """Shares of simulated studies whose interval holds θ, at 95 %."""

    theta: float
    correlation: float
    bootstrap: float
    wilson: float
    """With n rows taken as independent."""
    effective: float
    """Wilson with the effective n."""
    studies: int

    @property
    def marked(self) -> bool:
        """Whether the bootstrap covers under 93 %."""
        return self.bootstrap < LEAST


def coverage(
    thetas: Sequence[float] = THETAS,
    correlations: Sequence[float] = CORRELATIONS,
    *,
    scenarios: int = 12,
    rows: int = 40,
    studies: int = 2_000,
    draws: int = 2_000,
    seed: int = 20260929,
) -> Iterator[Covered]:
    """Beta-binomial scenarios of `rows` replies each: mean θ, correlation between replies."""
    for i, theta in enumerate(thetas):
        for j, correlation in enumerate(correlations):
            rng = np.random.Generator(np.random.PCG64([seed, i, j]))
            hits = _hits(rng, theta, correlation, (studies, scenarios), rows)
            yield Covered(
                theta=theta,
                correlation=correlation,
                bootstrap=_held(_bootstrap(hits, rows, draws, seed), theta),
                wilson=_held(_independent(hits, rows), theta),
                effective=_held(_effective(hits, rows), theta),
                studies=studies,
            )


def _hits(
    rng: np.random.Generator, theta: float, correlation: float, shape: tuple[int, int], rows: int
) -> Floats:
    if correlation == 0:
        return rng.binomial(rows, theta, shape).astype(float)
    weight = 1 / correlation - 1
    own = rng.beta(theta * weight, (1 - theta) * weight, shape)
    return rng.binomial(rows, own).astype(float)


def _bootstrap(hits: Floats, rows: int, draws: int, seed: int) -> Floats:
    counts = np.concatenate(list(TaskDraws(seed=seed, draws=draws, n_tasks=hits.shape[1]).counts()))
    values = counts @ hits.T / (rows * hits.shape[1])
    ends: Floats = np.quantile(values, [0.025, 0.975], axis=0).T
    return ends


def _effective(hits: Floats, rows: int) -> Floats:
    size = np.full(hits.shape[1], float(rows))
    shares = hits.sum(axis=1) / size.sum()
    ends = [
        wilson_of(float(share), effective_n(own, size)[0], len(own))
        for share, own in zip(shares, hits, strict=True)
    ]
    return np.array(ends)


def _independent(hits: Floats, rows: int) -> Floats:
    total = rows * hits.shape[1]
    return np.array([wilson(float(k), total) for k in hits.sum(axis=1)])


def _held(ends: Floats, theta: float) -> float:
    return float(((ends[:, 0] <= theta) & (theta <= ends[:, 1])).mean())


class CoveredGap(NamedTuple):
    """Shares of simulated studies whose interval of a difference holds the truth, at 95 %."""

    plus: float
    minus: float
    correlation: float
    bootstrap: float
    student: float


def coverage_of_differences(
    pairs: Sequence[tuple[float, float]],
    correlations: Sequence[float] = CORRELATIONS,
    *,
    scenarios: int = 12,
    rows: int = 40,
    studies: int = 2_000,
    draws: int = 2_000,
    seed: int = 20260930,
) -> Iterator[CoveredGap]:
    """Two cells of the same scenarios, drawn apart: the share of one less that of the other."""
    for i, (plus, minus) in enumerate(pairs):
        for j, correlation in enumerate(correlations):
            rng = np.random.Generator(np.random.PCG64([seed, i, j]))
            shape = (studies, scenarios)
            own = [_hits(rng, theta, correlation, shape, rows) for theta in (plus, minus)]
            truth = plus - minus
            yield CoveredGap(
                plus=plus,
                minus=minus,
                correlation=correlation,
                bootstrap=_held(_bootstrap(own[0] - own[1], rows, draws, seed), truth),
                student=_held(_student(own[0], own[1], rows), truth),
            )


def _student(plus: Floats, minus: Floats, rows: int) -> Floats:
    size, signs = np.full((plus.shape[1], 2), float(rows)), np.array([1.0, -1.0])
    both = np.stack([plus, minus], axis=2)
    return np.array([student(hits, size, signs) for hits in both])
