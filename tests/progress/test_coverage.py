"""Coverage of the intervals of a share, in cells that say enough."""

import pytest

from draligned.progress.coverage import coverage
from draligned.progress.statistics import wilson_of


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
