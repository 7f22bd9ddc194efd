import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from draligned.measure.imbens_manski import critical, interval

RNG = np.random.Generator(np.random.PCG64(11))
LOW = RNG.uniform(-0.5, 0.3, size=24)
HIGH = LOW + RNG.uniform(0.0, 0.5, size=24)
FAR = (-100.0, 100.0)
"""A range so wide that its ends do not matter."""


def test_critical_value_solves_its_equation() -> None:
    n, width, error = 24, 0.2, 0.1

    def covered(c: float) -> float:
        return float(stats.t.cdf(c + width / error, n - 1) - stats.t.cdf(-c, n - 1) - 0.95)

    assert critical(width, error, n) == pytest.approx(optimize.brentq(covered, 0, 10), abs=1e-9)


def test_interval_by_hand() -> None:
    errors = stats.sem(LOW), stats.sem(HIGH)
    c = critical(HIGH.mean() - LOW.mean(), max(errors), 24)
    expected = (LOW.mean() - c * errors[0], HIGH.mean() + c * errors[1])
    assert interval(LOW, HIGH, FAR) == pytest.approx(expected, abs=1e-4)


def test_the_larger_error_decides_how_many_errors_are_taken() -> None:
    high = 3 * LOW - 2 * LOW.mean() + 0.05
    small, large = stats.sem(LOW), stats.sem(high)
    assert critical(0.05, large, 24) - critical(0.05, small, 24) > 0.05
    expected = LOW.mean() - critical(0.05, large, 24) * small
    found = interval(LOW, high, FAR)
    assert found is not None
    assert found[0] == pytest.approx(expected, abs=1e-3)


def test_near_the_range_each_end_is_a_score_end() -> None:
    c = critical(HIGH.mean() - LOW.mean(), max(stats.sem(LOW), stats.sem(HIGH)), 24)
    found = interval(LOW, HIGH, (-1.0, 1.0))
    assert found is not None
    for mean, error, end in (
        (LOW.mean(), stats.sem(LOW), found[0]),
        (HIGH.mean(), stats.sem(HIGH), found[1]),
    ):
        scale = np.sqrt((1 - end**2) / (1 - mean**2))
        assert abs(end - mean) == pytest.approx(c * error * scale)


def test_all_readable_gives_the_t_interval() -> None:
    expected = stats.t.interval(0.95, 23, LOW.mean(), stats.sem(LOW))
    assert interval(LOW, LOW, FAR) == pytest.approx(expected, abs=1e-4)


def test_wide_bounds_take_the_one_sided_quantile() -> None:
    assert critical(1.0, 0.01, 24) == pytest.approx(stats.t.ppf(0.95, 23))
    assert critical(0.0, 0.01, 24) == pytest.approx(stats.t.ppf(0.975, 23))


def test_a_bound_that_never_varies_has_no_certainty() -> None:
    ones, ends = np.ones(12), (-1.0, 1.0)
    found = interval(ones, ones, ends)
    assert found is not None
    assert found[0] < 0.6
    assert found[1] == 1.0
    assert interval(-ones, ones, ends) == (-1.0, 1.0)
    assert interval(ones[:1], ones[:1], ends) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=2, max_size=12))
def test_contains_the_bounds_and_turns_with_the_sign(pairs: list[tuple[float, float]]) -> None:
    low = np.array([a for a, _ in pairs])
    high = np.minimum(low + np.array([b for _, b in pairs]), 1.0)
    found = interval(low, high, (-1.0, 1.0))
    turned = interval(-high, -low, (-1.0, 1.0))
    assert found is not None
    assert turned is not None
    assert found[0] <= low.mean() + 1e-9
    assert found[1] >= high.mean() - 1e-9
    assert (-turned[1], -turned[0]) == pytest.approx(found, abs=1e-9)


def test_covers_the_planned_mean_wherever_it_lies() -> None:
    """1,000 samples of 12 tasks, a third of pairs hidden by state: the mean is at an end."""
    rng = np.random.Generator(np.random.PCG64(1))
    hits = 0
    for _ in range(1000):
        d = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.3, 0.6], size=(12, 5))
        hidden = (d < 1) & (rng.random((12, 5)) < 0.8)
        low, high = np.where(hidden, d, d), np.where(hidden, 1.0, d)
        found = interval(low.mean(axis=1), high.mean(axis=1), (-1.0, 1.0))
        assert found is not None
        hits += found[0] <= 0.5 <= found[1]
    assert hits >= 940
