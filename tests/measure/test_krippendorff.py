import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.measure.krippendorff import Metric, alpha, alpha_of_two

NO = np.nan
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
        [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
    ]
).T
"""Krippendorff 2011, four observers and twelve units."""


METRICS: dict[Metric, float] = {"nominal": 0.743, "interval": 0.849, "ratio": 0.797}


@pytest.mark.parametrize("metric", METRICS)
def test_published_data(metric: Metric) -> None:
    known = ~np.isnan(PUBLISHED)
    found = alpha(np.where(known, PUBLISHED, 0.0), known, metric)
    assert found == pytest.approx(METRICS[metric], abs=5e-4)


def test_two_readers_nominal_by_hand() -> None:
    """Krippendorff 2011, binary data of two observers without gaps: 0.095."""
    a = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 0], dtype=float)
    b = np.array([1, 1, 1, 0, 0, 1, 0, 0, 0, 0], dtype=float)
    both = np.stack([a, b], axis=1)
    assert alpha(both, np.ones_like(both, dtype=bool)) == pytest.approx(0.095, abs=5e-4)


def test_nothing_to_compare_has_no_alpha() -> None:
    one = np.array([[1.0, 0.0], [2.0, 0.0]])
    assert alpha(one, np.array([[True, False], [True, False]])) is None
    same = np.ones((3, 2))
    assert alpha(same, np.ones((3, 2), dtype=bool)) is None
    assert alpha_of_two(np.zeros((0, 0)), np.zeros(0)) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=2, max_size=30))
def test_two_readers_from_their_table(pairs: list[tuple[int, int]]) -> None:
    values = np.array(pairs, dtype=float)
    levels, codes = np.unique(values, return_inverse=True)
    table = np.zeros((len(levels), len(levels)))
    np.add.at(table, tuple(codes.reshape(-1, 2).T), 1.0)
    whole = alpha(values, np.ones_like(values, dtype=bool))
    found = alpha_of_two(table, levels)
    assert (found is None) == (whole is None)
    if whole is not None:
        assert found == pytest.approx(whole)
        assert alpha(values[:, ::-1], np.ones_like(values, dtype=bool)) == pytest.approx(whole)
