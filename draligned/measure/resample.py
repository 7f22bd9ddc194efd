"""Task draws of the bootstrap, stated so that another program can redo them (DR-87, Q12).

With T planned tasks in ascending order of task_id as text ("10" before "2"),
`numpy.random.Generator(PCG64(seed)).integers(0, T, size=(draws, T))` holds one draw a row:
the indices of the tasks drawn, with replacement. Estimates over the same tasks share the draws.
Only how often each task was drawn is kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

GENERATOR = "numpy.random.Generator(PCG64(seed)).integers(0, tasks, (draws, tasks))"
ORDER = "task_id ascending"

_CELLS = 4_000_000
_STEP = 12_000


@dataclass(frozen=True, kw_only=True)
class TaskDraws:
    """Bootstrap draws over `n_tasks` tasks."""

    seed: int
    draws: int
    n_tasks: int

    def counts(self) -> Iterator[NDArray[np.float64]]:
        """Blocks of rows: how often each task was drawn, shape (rows, n_tasks)."""
        if self.draws * self.n_tasks <= _CELLS:
            yield _whole(self.seed, self.draws, self.n_tasks)
        else:
            yield from _blocks(self.seed, self.draws, self.n_tasks)


@lru_cache(maxsize=8)
def _whole(seed: int, draws: int, n_tasks: int) -> NDArray[np.float64]:
    blocks = list(_blocks(seed, draws, n_tasks))
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _blocks(seed: int, draws: int, n_tasks: int) -> Iterator[NDArray[np.float64]]:
    generator = np.random.Generator(np.random.PCG64(seed))
    rows = max(1, _CELLS // max(1, n_tasks))
    for start in range(0, draws, rows):
        size = min(rows, draws - start)
        index = generator.integers(0, n_tasks, size=(size, n_tasks))
        yield count_rows(index, n_tasks)


def count_rows(index: NDArray[np.int64], n_tasks: int) -> NDArray[np.float64]:
    """How often each task occurs in each row of `index`.

    A few hundred rows at a time: what is in between stays small, and is not fetched anew from
    the system each time, which costs more than the counting.
    """
    rows, step = len(index), max(1, _STEP // max(1, n_tasks))
    out = np.empty((rows, n_tasks))
    base = np.arange(step)[:, None] * n_tasks
    for start in range(0, rows, step):
        part = index[start : start + step]
        flat = (part + base[: len(part)]).ravel()
        tally = np.bincount(flat, minlength=len(part) * n_tasks)
        out[start : start + step] = tally.reshape(len(part), n_tasks)
    return out
