"""Runs of many studies as arrays, in the order study, cell, replicate, arm."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from draligned.simulate.parameters import Shape

Codes = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Planned cells of one study: task and model of each, in ascending order."""

    task: Codes
    model: Codes
    user: Codes

    def __len__(self) -> int:
        return len(self.task)


def cells(shape: Shape) -> Cells:
    """Tasks × models without the excluded cells, which are spread over tasks and models."""
    total = shape.tasks * shape.models
    kept = np.ones(total, dtype=bool)
    step = total / max(shape.excluded, 1)
    kept[[int((k + 0.5) * step) for k in range(shape.excluded)]] = False
    place = np.flatnonzero(kept)
    task = place // shape.models
    return Cells(task=task, model=place % shape.models, user=task // shape.tasks_per_user)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Which study, cell, replicate and arm (0: P, 1: Q) each run is of."""

    shape: Shape
    cells: Cells
    studies: int
    study: Codes
    cell: Codes
    replicate: Codes
    arm: Codes

    @property
    def levels(self) -> tuple[int, int, int, int]:
        """The shape in which an array over runs can be folded."""
        return self.studies, len(self.cells), self.shape.replicates, 2

    def __len__(self) -> int:
        return len(self.study)


def grid(shape: Shape, studies: int) -> Grid:
    """All runs of `studies` studies of one shape."""
    own = cells(shape)
    index = np.indices((studies, len(own), shape.replicates, 2)).reshape(4, -1)
    study, cell, replicate, arm = (axis.astype(np.intp) for axis in index)
    return Grid(
        shape=shape,
        cells=own,
        studies=studies,
        study=study,
        cell=cell,
        replicate=replicate,
        arm=arm,
    )
