"""Cohen's kappa beside a worked example and statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa as theirs

from draligned.measure.kappa import cohens_kappa


def test_a_table_worked_by_hand() -> None:
    """35 of 50 alike, 25 by chance: (0.7 − 0.5) / (1 − 0.5)."""
    assert cohens_kappa(np.array([[20.0, 5.0], [10.0, 15.0]])) == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(20))
def test_as_statsmodels_has_it(seed: int) -> None:
    draws = np.random.default_rng(seed).integers(0, 30, (2 + seed % 4,) * 2).astype(float)
    assert cohens_kappa(draws) == pytest.approx(theirs(draws).kappa)


def test_nothing_to_agree_about() -> None:
    assert cohens_kappa(np.zeros((2, 2))) is None
    assert cohens_kappa(np.zeros((0, 0))) is None
    assert cohens_kappa(np.array([[9.0]])) is None
    assert cohens_kappa(np.array([[9.0, 0.0], [0.0, 0.0]])) is None
