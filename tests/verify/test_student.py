"""Quantiles made without a library, against one."""

import pytest
from scipy import stats

from draligned.verify.student import t_at, t_below


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 11, 23, 49, 400])
def test_student(freedom: int) -> None:
    for t in (-12.0, -2.5, -0.3, 0.0, 0.7, 1.96, 4.0, 60.0):
        assert t_below(freedom, t) == pytest.approx(stats.t.cdf(t, freedom), abs=1e-13)
    for share in (0.6, 0.95, 0.975, 0.999):
        assert t_at(freedom, share) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-11)
