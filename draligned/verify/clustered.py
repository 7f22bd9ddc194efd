"""Shares of units, with Wilson's interval and one over planned tasks drawn again."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from draligned.verify import intervals as iv
from draligned.verify.count_tables import wilson
from draligned.verify.study import ALL, Study

GENERATOR = "numpy.random.Generator(PCG64(seed)).integers(0, tasks, (draws, tasks))"
RESAMPLED = (
    "boot_generator", "boot_seed", "boot_draws", "boot_tasks", "boot_empty", "boot_order",
)  # fmt: skip


def share(top: int, bottom: int) -> tuple[float | None, float | None, float | None]:
    """A share and Wilson's limits; none of nothing."""
    return (top / bottom if bottom else None, *wilson(top, bottom))


def planned_tasks(study: Study, harness: str, model: str) -> list[str]:
    """Tasks of the panel's runs in a harness, by one model or all."""
    return sorted(
        {r.names[0] for r in study.runs
         if r.names[3] == harness and model in (ALL, r.names[2])}
    )  # fmt: skip


class Drawn:
    """Planned tasks of one row, drawn again."""

    def __init__(self, study: Study, harness: str, model: str) -> None:
        self.tasks = planned_tasks(study, harness, model)
        self.seed, self.draws = study.settings.measure.seed, study.settings.measure.draws
        self.empty = 0

    def limits(
        self, tops: Mapping[str, float], bottoms: Mapping[str, float]
    ) -> tuple[float | None, float | None]:
        """Percentile limits of Σ top / Σ bottom, by task; none where they would have no width."""
        index = iv.drawn(self.seed, self.draws, len(self.tasks))
        top = np.array([tops.get(t, 0.0) for t in self.tasks], dtype=np.float64)[index].sum(axis=1)
        sizes = np.array([bottoms.get(t, 0.0) for t in self.tasks], dtype=np.float64)
        bottom = sizes[index].sum(axis=1)
        kept = bottom > 0
        self.empty = max(self.empty, int((~kept).sum()))
        if int((sizes > 0).sum()) < 2:
            return None, None
        low, high = iv.percentile(top[kept] / bottom[kept])
        return (low, high) if high - low > iv.FLAT else (None, None)

    @property
    def header(self) -> tuple[Any, ...]:
        """Cells of `RESAMPLED`."""
        return (GENERATOR, self.seed, self.draws, len(self.tasks), self.empty,
                "task_id ascending")  # fmt: skip


def by_task(rows: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Sums by task."""
    out: dict[str, float] = {}
    for task, value in rows:
        out[task] = out.get(task, 0.0) + value
    return out


def status_of(n_labelled: int, n_tasks: int) -> tuple[str, str | None]:
    """Status and reason of a row."""
    if not n_labelled:
        return "unknown", "empty"
    return "ok", "one_task" if n_tasks == 1 else None
