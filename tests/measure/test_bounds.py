import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.measure import bounds


def pair_mean(mean: float, readable: int, planned: int, end: float) -> tuple[float, float]:
    flags = np.arange(planned) < readable
    limits = bounds.coarse(np.full(planned, mean), flags, -end, end)
    return limits.low.mean(), limits.high.mean()


def test_coarse_bounds_of_the_papers_panel() -> None:
    """69 and 87 of 110 pairs readable, values 0.83 and 0.15 (DR-88, Q11)."""
    assert pair_mean(0.83, 69, 110, 1.0) == pytest.approx((0.15, 0.89), abs=5e-3)
    assert pair_mean(0.15, 87, 110, 2.0) == pytest.approx((-0.30, 0.54), abs=5e-3)


def arm(value: float | None) -> bounds.Limits:
    return bounds.arm(np.array([value or 0.0]), np.array([value is not None]))


@pytest.mark.parametrize(
    ("p", "q", "plain", "sign"),
    [
        (1.0, None, (0.0, 2.0), (0.0, 1.0)),
        (0.0, None, (-1.0, 1.0), (-1.0, 1.0)),
        (-1.0, None, (-2.0, 0.0), (-1.0, 0.0)),
        (None, 1.0, (-2.0, 0.0), (-1.0, 0.0)),
        (None, None, (-2.0, 2.0), (-1.0, 1.0)),
        (0.5, 0.25, (0.25, 0.25), (1.0, 1.0)),
    ],
)
def test_a_half_read_pair_still_limits_d(
    p: float | None, q: float | None, plain: tuple[float, float], sign: tuple[float, float]
) -> None:
    limits = bounds.difference(arm(p), arm(q))
    assert (limits.low[0], limits.high[0]) == plain
    limits = bounds.difference(arm(p), arm(q), sign=True)
    assert (limits.low[0], limits.high[0]) == sign


def test_unresolved_requests_at_each_extreme() -> None:
    """Three P_ONLY, one NEITHER, two unresolved: between (3 − 2)/6 and (3 + 2)/6."""
    limits = bounds.open_arm(
        net=np.array([3.0, 0.0, 3.0]),
        unresolved=np.array([2.0, 0.0, 2.0]),
        total=np.array([6.0, 0.0, 6.0]),
        unlimited=np.array([False, False, True]),
    )
    assert limits.low.tolist() == pytest.approx([1 / 6, -1.0, -1.0])
    assert limits.high.tolist() == pytest.approx([5 / 6, 1.0, 1.0])


def test_planned_mean_is_task_equal() -> None:
    tasks = np.array([0, 0, 0, 1])
    assert bounds.mean_over(np.array([1.0, 1.0, 1.0, 0.0]), tasks, 3) == 0.5


def test_tipping_point_makes_the_planned_mean_zero() -> None:
    tasks = np.array([0, 0, 1, 1, 1])
    readable = np.array([True, False, True, False, False])
    values = np.array([1.0, 0.0, 0.5, 0.0, 0.0])
    tip = bounds.tipping_point(values, readable, tasks, 2)
    assert tip is not None
    assert bounds.mean_over(np.where(readable, values, tip), tasks, 2) == pytest.approx(0.0)
    assert bounds.tipping_point(values, np.ones(5, dtype=bool), tasks, 2) is None


_VALUE = st.one_of(st.none(), st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]))


@given(_VALUE, _VALUE, st.booleans())
def test_sharp_stands_inside_coarse(p: float | None, q: float | None, sign: bool) -> None:
    limits = bounds.difference(arm(p), arm(q), sign=sign)
    end = 1.0 if sign else 2.0
    assert -end <= limits.low[0] <= limits.high[0] <= end
    if p is not None and q is not None:
        assert limits.low[0] == limits.high[0]
