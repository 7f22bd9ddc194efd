"""Coverage of the intervals of a share, in cells that say enough."""

import numpy as np
import pytest
from scipy import stats

from draligned.progress.coverage import coverage, coverage_of_differences
from draligned.progress.statistics import student, wilson_of


def test_the_effective_interval_covers_where_the_bootstrap_does_not() -> None:
    found = next(coverage([0.25], [0.1], studies=600, draws=600))
    assert found.effective > 0.92 > found.wilson
    assert found.bootstrap < found.effective
    extreme = next(coverage([0.02], [0.2], studies=600, draws=600))
    assert extreme.marked
    assert extreme.effective > extreme.bootstrap + 0.1


def test_independent_replies_need_no_correction() -> None:
    found = next(coverage([0.5], [0.0], studies=600, draws=600))
    assert found.wilson == pytest.approx(0.95, abs=0.03)


def test_with_many_scenarios_it_is_wilsons_own() -> None:
    """81 of 263 (Newcombe): 0.2553 to 0.3662."""
    assert wilson_of(81 / 263, 263.0, 10**6) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_students_interval_of_a_difference_covers_where_the_bootstrap_does_not() -> None:
    found = next(coverage_of_differences([(0.25, 0.75)], [0.1], studies=600, draws=600))
    assert found.student == pytest.approx(0.95, abs=0.025)
    assert found.bootstrap < found.student


def test_an_interval_of_equal_scenarios_is_students_of_their_differences() -> None:
    """Where every scenario has as many replies: the mean difference and its standard error."""
    hits = np.array([[8, 2], [6, 3], [9, 1], [7, 5]], dtype=float)
    own = (hits[:, 0] - hits[:, 1]) / 10
    mean, error = stats.tmean(own), stats.sem(own)
    found = student(hits, np.full((4, 2), 10.0), np.array([1.0, -1.0]))
    assert found == pytest.approx(stats.t.interval(0.95, 3, mean, error))
    wide = student(hits[:2], np.full((2, 2), 10.0), np.array([1.0, -1.0]))
    assert wide[1] == 1, "no difference of two shares is above 1"
