import numpy as np
import pytest

from draligned.measure import resample
from draligned.measure.resample import TaskDraws


def plain_counts(seed: int, draws: int, n_tasks: int) -> np.ndarray:
    """The statement in the docstring, taken word by word."""
    index = np.random.Generator(np.random.PCG64(seed)).integers(0, n_tasks, size=(draws, n_tasks))
    return np.array([[np.sum(row == task) for task in range(n_tasks)] for row in index])


@pytest.mark.parametrize("cells", [4_000_000, 60, 1])
def test_counts_are_those_of_the_stated_draws(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    monkeypatch.setattr(resample, "_CELLS", cells)
    blocks = list(TaskDraws(seed=11, draws=50, n_tasks=7).counts())
    assert len(blocks) == {4_000_000: 1, 60: 7, 1: 50}[cells]
    assert (np.concatenate(blocks) == plain_counts(11, 50, 7)).all()


def test_every_draw_has_as_many_tasks_as_were_planned() -> None:
    (counts,) = TaskDraws(seed=3, draws=200, n_tasks=24).counts()
    assert (counts.sum(axis=1) == 24).all()
