import numpy as np
import pytest
from scipy import stats

from draligned.measure import bootstrap, intervals
from draligned.measure.resample import TaskDraws

MEANS = np.random.Generator(np.random.PCG64(5)).uniform(-1, 1, size=24)


def draws(n_tasks: int, n: int = 2000) -> TaskDraws:
    return TaskDraws(seed=17, draws=n, n_tasks=n_tasks)


def index(n_tasks: int, n: int = 2000) -> np.ndarray:
    return np.random.Generator(np.random.PCG64(17)).integers(0, n_tasks, size=(n, n_tasks))


def test_same_draws_as_plain_numpy() -> None:
    redone = bootstrap.replicate(MEANS[:, None], np.ones((24, 1)), draws(24))
    samples = MEANS[index(24)]
    assert redone.value[:, 0] == pytest.approx(samples.mean(axis=1))
    assert redone.error[:, 0] == pytest.approx(samples.std(axis=1, ddof=1) / np.sqrt(24))


def test_same_interval_as_scipy() -> None:
    """scipy draws `rng.integers(0, n, (draws, n))` too, so the intervals are the same."""
    ours = bootstrap.replicate(MEANS[:, None], np.ones((24, 1)), draws(24)).value[:, 0]
    theirs = stats.bootstrap(
        (MEANS,), np.mean, n_resamples=2000, method="percentile", vectorized=True,
        rng=np.random.Generator(np.random.PCG64(17)),
    )  # fmt: skip
    interval = (theirs.confidence_interval.low, theirs.confidence_interval.high)
    assert intervals.at(ours, intervals.percentile()) == [pytest.approx(interval)]


def test_tasks_with_nothing_readable_contribute_nothing() -> None:
    has = np.array([1.0, 0.0, 1.0, 0.0, 0.0])
    means = np.array([0.5, 0.0, -1.0, 0.0, 0.0])
    redone = bootstrap.replicate(means[:, None], has[:, None], draws(5, 500))
    for value, filled, row in zip(
        redone.value[:, 0], redone.filled[:, 0], index(5, 500), strict=True
    ):
        kept = [means[task] for task in row if has[task]]
        assert filled == bool(kept)
        if kept:
            assert value == pytest.approx(np.mean(kept))
    assert 0 < (~redone.filled).sum() < 100


def test_studentised_interval_by_hand() -> None:
    values, errors = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([1.0, 0.5, 1.0, 0.5, 2.0])
    t = [-2.0, -2.0, 0.0, 2.0, 1.0]
    low, high = np.quantile(t, [0.025, 0.975])
    assert intervals.studentised(values, errors, 2.0, 0.7) == pytest.approx(
        (2 - 0.7 * high, 2 - 0.7 * low)
    )


def test_flat_draws_have_no_t() -> None:
    values = np.array([1.0, 1.0, 0.5, 0.7])
    assert intervals.studentised(values, np.array([0.0, 0.0, 0.0, 0.1]), 0.8, 0.1) is None
    half = intervals.studentised(values, np.array([0.0, 0.0, 0.1, 0.1]), 0.8, 0.1)
    alone = intervals.studentised(values[2:], np.array([0.1, 0.1]), 0.8, 0.1)
    assert half == alone


@pytest.mark.parametrize("value", [5 / 3, 1.9, 25 / 13, 1.99])
def test_rounding_is_no_variation(value: float) -> None:
    """Draws of one and the same value have error 0 exactly, so that no t blows up."""
    means = np.full((24, 1), value)
    means[0] = 0.0
    redone = bootstrap.replicate(means, np.ones((24, 1)), draws(24))
    flat = ~(index(24) == 0).any(axis=1)
    assert flat.sum() > 500
    assert ((redone.error[:, 0] == 0) == flat).all()


def test_small_differences_are_variation() -> None:
    means = np.full((24, 1), 1.9)
    means[0] += 1e-4
    redone = bootstrap.replicate(means, np.ones((24, 1)), draws(24))
    some = (index(24) == 0).any(axis=1)
    assert ((redone.error[:, 0] > 0) == some).all()


def test_two_tasks_have_no_t() -> None:
    """Every draw of both has their mean: t is 0 and the interval would have no width."""
    means = np.array([[0.2], [0.6]])
    redone = bootstrap.replicate(means, np.ones((2, 1)), draws(2))
    assert redone.error[:, 0].max() > 0
    values, errors = redone.value[:, 0], redone.error[:, 0]
    half = int((errors > 0).sum())
    kept = np.r_[np.flatnonzero(errors > 0), np.flatnonzero(errors == 0)[:half]]
    assert intervals.studentised(values[kept], errors[kept], 0.4, 0.2) is None


def test_union_and_clip() -> None:
    assert intervals.union((0.0, 1.0), (-0.5, 0.5)) == (-0.5, 1.0)
    assert intervals.clip((-3.0, 0.5), -1.0, 1.0) == (-1.0, 0.5)
