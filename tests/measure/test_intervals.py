"""Intervals against scipy and against independently written references on shared numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from draligned.measure import bootstrap, intervals
from draligned.measure.resample import TaskDraws

SKEWED = np.random.Generator(np.random.PCG64(8)).exponential(0.4, size=24) - 0.1
ONES = np.ones((24, 1))


def drawn(means: np.ndarray, draws: int = 4000) -> bootstrap.Replicates:
    made = TaskDraws(seed=17, draws=draws, n_tasks=len(means))
    return bootstrap.replicate(means[:, None], np.ones((len(means), 1)), made)


@pytest.mark.parametrize("means", [SKEWED, -SKEWED, np.round(10 * SKEWED)])
def test_bca_is_scipys(means: np.ndarray) -> None:
    """scipy draws `rng.integers(0, n, (draws, n))` too, so the draws are the same."""
    redone = drawn(means)
    tails = intervals.bca(redone.value[:, 0], means, np.ones(24))
    theirs = stats.bootstrap(
        (means,), np.mean, n_resamples=4000, method="BCa", vectorized=True,
        rng=np.random.Generator(np.random.PCG64(17)),
    ).confidence_interval  # fmt: skip
    (ours,) = intervals.at(redone.value[:, 0], tails)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_bca_of_a_ratio_leaves_out_whole_tasks() -> None:
    """Acceleration by hand: Σ (mean − θ₋ᵢ)³ / (6 (Σ (mean − θ₋ᵢ)²)^1.5) over tasks."""
    rng = np.random.Generator(np.random.PCG64(3))
    size = rng.integers(0, 6, size=20).astype(float)
    hits = np.minimum(rng.integers(0, 5, size=20), size).astype(float)
    draws = TaskDraws(seed=1, draws=1000, n_tasks=20)
    values = bootstrap.replicate(hits[:, None], size[:, None], draws).value[:, 0]
    some = np.flatnonzero(size)
    left = np.array([np.delete(hits, k).sum() / np.delete(size, k).sum() for k in some])
    d = left.mean() - left
    a = (d**3).sum() / (6 * ((d**2).sum()) ** 1.5)
    value = hits.sum() / size.sum()
    below = np.mean([0.5 * (v < value - 1e-12) + 0.5 * (v <= value + 1e-12) for v in values])
    z0, z = stats.norm.ppf(below), stats.norm.ppf([0.025, 0.975])
    expected = stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
    assert intervals.bca(values, hits, size) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("means", [np.ones(5), np.r_[np.zeros(30), 0.0]])
def test_bca_has_nothing_to_say_without_variation(means: np.ndarray) -> None:
    assert intervals.bca(means, means, np.ones(len(means))) is None


@pytest.mark.parametrize("n", [3, 12, 24, 50])
def test_expanded_tails(n: int) -> None:
    """Hesterberg 2015: α′/2 = Φ(−√(n/(n−1)) t_{α/2, n−1}), less than α/2 for every n."""
    low, high = intervals.expanded(n)
    t = stats.t.ppf(0.025, n - 1)
    assert low == pytest.approx(stats.norm.cdf(np.sqrt(n / (n - 1)) * t))
    assert low < 0.025
    assert low + high == pytest.approx(1.0)


def test_expanded_of_normal_means_is_the_t_interval() -> None:
    """With normal draws of the plug-in error, the expanded percentiles are mean ∓ t · s/√n."""
    means = np.random.Generator(np.random.PCG64(2)).normal(0.2, 0.3, size=12)
    plug_in = means.std() / np.sqrt(12)
    tails = intervals.expanded(12)
    normal = means.mean() + plug_in * stats.norm.ppf(tails)
    exact = stats.t.interval(0.95, 11, means.mean(), stats.sem(means))
    assert tuple(normal) == pytest.approx(exact)


@pytest.mark.parametrize(
    ("estimate", "error", "n"), [(0.83, 0.05, 24), (-0.4, 0.2, 12), (0.0, 0.01, 50), (1.0, 0.0, 9)]
)
def test_score_ends_are_where_the_estimate_is_t_errors_away(
    estimate: float, error: float, n: int
) -> None:
    """Solved by root finding: |s − π| = t √(π(1 − π)/m), s scaled to [0, 1]."""
    found = intervals.score(estimate, error, n, (-1.0, 1.0))
    if error == 0:
        assert found is None
        return
    s, e, t = (estimate + 1) / 2, error / 2, stats.t.ppf(0.975, n - 1)
    m = s * (1 - s) / e**2

    def away(p: float) -> float:
        return (s - p) ** 2 - t**2 * p * (1 - p) / m

    ends = (optimize.brentq(away, 0, s), optimize.brentq(away, s, 1))
    assert found == pytest.approx(tuple(2 * p - 1 for p in ends))


def test_score_is_wilsons_interval_for_a_share_of_many() -> None:
    from draligned.measure.proportions import wilson

    n, hits = 5000, 400
    share = hits / n
    error = np.sqrt(share * (1 - share) / n)
    found = intervals.score(share, error, n, (0.0, 1.0))
    assert found == pytest.approx(wilson(hits, n), abs=2e-5)


def test_ratio_error_is_the_standard_error_of_task_means() -> None:
    assert bootstrap.ratio_error(SKEWED, np.ones(24)) == pytest.approx(stats.sem(SKEWED))
    unread = np.r_[np.ones(20), np.zeros(4)]
    assert bootstrap.ratio_error(SKEWED * unread, unread) == pytest.approx(stats.sem(SKEWED[:20]))
    assert bootstrap.ratio_error(np.array([1.0, 0.0]), np.array([1.0, 0.0])) == 0.0


def test_errors_of_drawn_ratios_are_those_of_the_drawn_tasks() -> None:
    rng = np.random.Generator(np.random.PCG64(4))
    size = rng.integers(0, 5, size=9).astype(float)
    hits = rng.uniform(0, 1, size=9) * size
    numerator, denominator = np.stack([hits, size / 2], 1), np.stack([size, np.ones(9)], 1)
    draws = TaskDraws(seed=6, draws=60, n_tasks=9)
    redone = bootstrap.replicate(numerator, denominator, draws)
    index = np.random.Generator(np.random.PCG64(6)).integers(0, 9, size=(60, 9))
    for k in range(2):
        for b, tasks in enumerate(index):
            top, bottom = numerator[tasks, k], denominator[tasks, k]
            assert redone.value[b, k] == pytest.approx(top.sum() / bottom.sum())
            expected = bootstrap.ratio_error(top, bottom)
            assert redone.error[b, k] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=3, max_size=12),
    st.floats(0.001, 0.4),
)
def test_intervals_of_the_negated_are_the_negated(means: list[float], error: float) -> None:
    def turned(found: tuple[float, float] | None) -> tuple[float, float] | None:
        return None if found is None else (-found[1], -found[0])

    value = np.array(means)
    redone, other = drawn(value, 200).value[:, 0], drawn(-value, 200).value[:, 0]
    ones = np.ones(len(value))
    tails, mirrored = intervals.bca(redone, value, ones), intervals.bca(other, -value, ones)
    plain, wide, corrected = intervals.at(
        redone, intervals.percentile(), intervals.expanded(len(value)), tails
    )
    back = intervals.at(other, intervals.percentile(), intervals.expanded(len(value)), mirrored)
    for a, b in zip((plain, wide, corrected), back, strict=True):
        assert a is None or turned(b) == pytest.approx(a, abs=1e-6)
    ends = (-1.0, 1.0)
    scored = intervals.score(means[0], error, len(value), ends)
    minus = intervals.score(-means[0], error, len(value), ends)
    assert scored is None or turned(minus) == pytest.approx(scored, abs=1e-9)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60),
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
)
def test_quantiles_are_those_of_numpy(values: list[float], shares: list[float]) -> None:
    found = intervals.quantiles(np.array(values), np.array(shares))
    assert found.tolist() == np.quantile(values, shares).tolist()
