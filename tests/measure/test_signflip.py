import numpy as np
import pytest
from scipy import stats

from draligned.measure.signflip import sign_flip


@pytest.mark.parametrize(
    ("means", "p"),
    [
        ([1.0, 1.0, 1.0], 2 / 8),
        ([0.5, 0.2, 0.1, 0.1], 2 / 16),
        ([1.0, -1.0], 1.0),
        ([3.0, 1.0, -1.0], 6 / 8),
        ([0.0, 0.0], 1.0),
        ([0.7], 1.0),
    ],
)
def test_exact_by_hand(means: list[float], p: float) -> None:
    test = sign_flip(np.array(means), seed=1, draws=100)
    assert test is not None
    assert (test.p, test.method) == (p, "exact")


def test_same_as_scipy_on_ten_tasks() -> None:
    means = np.random.Generator(np.random.PCG64(4)).normal(0.3, 1, size=10)
    theirs = stats.permutation_test(
        (means,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    ours = sign_flip(means, seed=1, draws=100)
    assert ours is not None
    assert ours.p == pytest.approx(theirs.pvalue)


def test_monte_carlo_as_stated() -> None:
    means = np.random.Generator(np.random.PCG64(4)).normal(0.2, 1, size=20)
    flips = np.random.Generator(np.random.PCG64(9)).integers(0, 2, size=(3000, 20))
    hits = sum(abs(np.where(row == 1, -means, means).sum()) >= abs(means.sum()) for row in flips)
    test = sign_flip(means, seed=9, draws=3000)
    assert test is not None
    assert (test.p, test.method) == ((1 + hits) / 3001, "monte_carlo")


def test_no_task_no_test() -> None:
    assert sign_flip(np.array([]), seed=1, draws=100) is None
