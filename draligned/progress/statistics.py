"""Shares and their differences with scenarios as the unit (SI-37 … SI-39, SI-42, Q12, Q37).

Repetitions inside a scenario are repeated measures. A bootstrap draw takes scenarios with
replacement and pools their counts; the sign-flip test takes one difference a scenario.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.bootstrap import replicate
from draligned.measure.intervals import t_quantile
from draligned.measure.proportions import wilson, wilson_at
from draligned.measure.resample import TaskDraws
from draligned.measure.signflip import sign_flip

Floats = NDArray[np.float64]
SEED, DRAWS = 20260929, 10_000
_AT_ONCE = 100


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Resampling; scenarios in ascending order of their ids."""

    seed: int = SEED
    draws: int = DRAWS


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Hits and rows of K cells by scenario, shape (scenarios, K); 0 of 0 where a cell has none."""

    scenarios: tuple[str, ...]
    cells: tuple[tuple[Hashable, ...], ...]
    hits: Floats
    rows: Floats


def tabulate(counts: pd.DataFrame, by: Sequence[str]) -> Counts:
    """Arrays from `metrics.counts`; a cell is a tuple of the values of `by`."""
    scenarios = tuple(sorted(counts["scenario_id"].unique()))
    index = pd.MultiIndex.from_frame(counts[list(by)])
    cells = tuple(dict.fromkeys(index.sort_values()))
    shape = (len(scenarios), len(cells))
    place = pd.Index(scenarios).get_indexer(counts["scenario_id"])
    column = pd.Index(cells, tupleize_cols=False).get_indexer(
        pd.Index(list(index), tupleize_cols=False)
    )
    arrays = []
    for name in ("k", "n"):
        array = np.zeros(shape)
        np.add.at(array, (place, column), counts[name].to_numpy(dtype=float))
        arrays.append(array)
    return Counts(scenarios=scenarios, cells=cells, hits=arrays[0], rows=arrays[1])


def shares(counts: Counts, names: Sequence[str], settings: Settings) -> pd.DataFrame:
    """One row a cell: k, n, share; cluster bootstrap; Wilson with n, and with the effective n.

    `n_effective` = n / design effect, the design effect being the between-scenario variance of
    the pooled share over its binomial variance, never below 1. Where every scenario has one share
    there is no variation to draw from: `degenerate`, and the effective n is the number of
    scenarios, the least that the data could be worth. `marked` is where the bootstrap is known to
    cover under 93 % (docs/progress.md); `recommended` names the interval to read.
    """
    middles = _percentiles(counts, settings)
    return pd.DataFrame(
        [
            {**dict(zip(names, cell, strict=True)), **_share(k, n), "ci_lo": low, "ci_hi": high}
            for cell, k, n, (low, high) in zip(
                counts.cells, counts.hits.T, counts.rows.T, middles, strict=True
            )
        ]
    )


def _percentiles(counts: Counts, settings: Settings) -> list[tuple[float, float]]:
    """Percentile interval of every cell, so many cells at a time that memory stays small; cells
    with the same counts, as a metric has in several groups, are drawn once."""
    draws = TaskDraws(seed=settings.seed, draws=settings.draws, n_tasks=len(counts.scenarios))
    both = np.concatenate([counts.hits, counts.rows])
    distinct, which = np.unique(both, axis=1, return_inverse=True)
    hits, rows = np.split(distinct, 2)
    out: list[tuple[float, float]] = []
    for start in range(0, distinct.shape[1], _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        redone = replicate(hits[:, part], rows[:, part], draws)
        for j in range(redone.value.shape[1]):
            out.append(_middle(redone.value[redone.filled[:, j], j]))
    return [out[k] for k in which.ravel()]


def _share(k: Floats, n: Floats) -> dict[str, object]:
    effective, flat = effective_n(k, n)
    share = float(k.sum() / n.sum())
    plain = wilson(float(k.sum()), int(n.sum())) or (None, None)
    scenarios = int((n > 0).sum())
    careful = wilson_of(share, effective, scenarios)
    low = undercovered(share, scenarios)
    return {
        "k": int(k.sum()), "n": int(n.sum()), "share": share, "n_scenarios": scenarios,
        "degenerate": flat, "wilson_lo": plain[0], "wilson_hi": plain[1],
        "n_effective": effective, "effective_lo": careful[0], "effective_hi": careful[1],
        "marked": low, "recommended": EFFECTIVE if low else BOOTSTRAP,
    }  # fmt: skip


EFFECTIVE, BOOTSTRAP, STUDENT = "effective", "bootstrap", "t"
ENOUGH, RARE = 24, 0.1


def undercovered(share: float, scenarios: int) -> bool:
    """Whether the percentile bootstrap covers under 93 % (docs/progress.md): with fewer than 24
    scenarios whatever the share, with more where under a tenth are hits or misses."""
    return scenarios < ENOUGH or min(share, 1 - share) < RARE


def _middle(values: Floats) -> tuple[float, float]:
    """Percentile interval at 95 %."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def effective_n(hits: Floats, rows: Floats) -> tuple[float, bool]:
    """What n rows in scenarios are worth as independent ones, and whether they vary at all."""
    some = rows > 0
    hits, rows = hits[some], rows[some]
    total, scenarios = float(rows.sum()), len(rows)
    share = float(hits.sum()) / total
    residual = hits - share * rows
    flat = bool(np.abs(residual).max() < 1e-9)
    if flat or scenarios < 2:
        return float(scenarios), flat
    between = float((residual**2).sum()) * scenarios / (scenarios - 1) / total**2
    effect = between / (share * (1 - share) / total)
    return total / max(effect, 1.0), False


def wilson_of(share: float, n: float, scenarios: int) -> tuple[float, float]:
    """Wilson interval at 95 % of a share of an effective n that was estimated from so many
    scenarios: with the quantile of Student's t in place of the normal one."""
    return wilson_at(share, n, t_quantile(scenarios) if scenarios > 1 else 1.96)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One difference of pooled shares."""

    value: float
    ci: tuple[float, float]
    p: float
    """Exact sign-flip test over scenarios, two-sided; its floor is 2 / 2^scenarios."""
    n_scenarios: int
    excludes_zero: bool
    """Whether `ci` does, strictly: a bound at zero does not exclude it (SI-38)."""
    degenerate: bool
    t_ci: tuple[float, float]
    """By Student's t from what each scenario adds to the difference."""
    marked: bool
    """Whether the bootstrap is known to cover under 93 %: with fewer than 24 scenarios
    (docs/progress.md). Then `t_ci` is the interval to read."""


def difference(
    counts: Counts, plus: Hashable, minus: Hashable, settings: Settings
) -> Difference | None:
    """Share of cell `plus` less that of `minus`, both over the same scenario draws (Q37).

    None where the two share no scenario.
    """
    weights = {plus: 1.0, minus: -1.0}
    return combination(counts, weights, settings)


def combination(
    counts: Counts, weights: Mapping[Hashable, float], settings: Settings
) -> Difference | None:
    """A weighted sum of pooled shares: a difference, or one of differences (SI-65)."""
    columns = [counts.cells.index(cell) for cell in weights]
    signs = np.array(list(weights.values()))
    hits, rows = counts.hits[:, columns], counts.rows[:, columns]
    there = (rows > 0).all(axis=1)
    if not there.any():
        return None
    draws = TaskDraws(seed=settings.seed, draws=settings.draws, n_tasks=len(counts.scenarios))
    redone = replicate(hits, rows, draws)
    filled = redone.filled.all(axis=1)
    low, high = _middle((redone.value @ signs)[filled])
    own = (hits[there] / rows[there]) @ signs
    test = sign_flip(own, seed=settings.seed, draws=settings.draws)
    value, n_scenarios = float((hits.sum(axis=0) / rows.sum(axis=0)) @ signs), int(there.sum())
    return Difference(
        value=value,
        ci=(low, high),
        t_ci=student(hits, rows, signs),
        marked=n_scenarios < ENOUGH,
        p=1.0 if test is None else test.p,
        n_scenarios=n_scenarios,
        excludes_zero=low > 0 or high < 0,
        degenerate=bool(np.ptp(own) < 1e-12),
    )


def student(hits: Floats, rows: Floats, signs: Floats) -> tuple[float, float]:
    """Interval at 95 % of a weighted sum of pooled shares, linearised by scenario: Student's t with
    scenarios − 1 degrees of freedom, within what such a sum can be at all."""
    totals = rows.sum(axis=0)
    shares_ = hits.sum(axis=0) / totals
    value = float(shares_ @ signs)
    scenarios = int((rows > 0).any(axis=1).sum())
    lowest, highest = float(np.minimum(signs, 0).sum()), float(np.maximum(signs, 0).sum())
    if scenarios < 2:
        return lowest, highest
    added = ((hits - shares_ * rows) / totals) @ signs
    half = t_quantile(scenarios) * sqrt(scenarios / (scenarios - 1) * float((added**2).sum()))
    return max(lowest, value - half), min(highest, value + half)
