"""What tells two arms apart is seen, and what does not is not."""

import numpy as np

from draligned.verify.auc import telling

RNG = np.random.Generator(np.random.PCG64(1))
TASKS = np.repeat(np.arange(12), 10)
ARMS = np.tile([0, 1], 60)
UNITS = np.arange(120)


def test_noise_tells_nothing() -> None:
    found = telling(RNG.normal(size=(120, 3)), ARMS, TASKS, UNITS)
    assert found is not None
    assert abs(found.auc - 0.5) < 0.15
    assert found.p > 0.05


def test_a_feature_that_goes_with_the_arm_is_seen() -> None:
    found = telling((ARMS + RNG.normal(size=120) * 0.5)[:, None], ARMS, TASKS, UNITS)
    assert found is not None
    assert found.auc > 0.85
    assert found.p < 0.01


def test_one_task_says_nothing() -> None:
    assert telling(RNG.normal(size=(120, 1)), ARMS, TASKS * 0, UNITS) is None
