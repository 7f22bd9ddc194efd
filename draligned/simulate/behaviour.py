"""What runs do: requests and finals with planted leanings, as arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from draligned.simulate.grid import Grid
from draligned.simulate.parameters import Leaning

Floats = NDArray[np.float64]
Leans = NDArray[np.int8]

NEITHER, OTHER, OWN, BOTH = 0, 1, 2, 3
"""What a unit leans to, relative to the run's endpoint."""

_LEAST = 1e-6
"""Rates nearer to 0 or 1 than this are taken as they are: a beta draw has no room there."""


@dataclass(frozen=True, kw_only=True)
class Rates:
    """Of each run: how often its units are directional, and own if directional."""

    directional: Floats
    own: Floats


def rates(leaning: Leaning, runs: Grid, rng: np.random.Generator) -> Rates:
    """Rates of runs, from users down."""
    shape, own_cells = runs.shape, runs.cells
    users = -(-shape.tasks // shape.tasks_per_user)
    by_user = _round(np.full((runs.studies, users), leaning.rate), leaning.user, rng)
    user_of = np.arange(shape.tasks) // shape.tasks_per_user
    by_task = _round(by_user[:, user_of], leaning.task, rng)
    by_cell = _round(by_task[:, own_cells.task], leaning.cell, rng)
    directional = _round(by_cell[runs.study, runs.cell], leaning.run, rng)
    own = _round(np.full((runs.studies, shape.tasks), leaning.own), leaning.own_task, rng)
    signs = rng.permuted(_balanced(runs.studies, shape.models), axis=1)
    each = own[:, own_cells.task] + leaning.own_model * signs[:, own_cells.model]
    return Rates(directional=directional, own=each[runs.study, runs.cell])


def _balanced(studies: int, models: int) -> Floats:
    """As many +1 as −1 in each row, and 0 where one is left: models are compared as they are, not
    drawn from others, so that they change no mean."""
    half = models // 2
    row = np.array([1.0] * half + [-1.0] * half + [0.0] * (models % 2))
    return np.tile(row, (studies, 1))


def _round(mean: Floats, concentration: float | None, rng: np.random.Generator) -> Floats:
    """Beta draws round `mean`."""
    if concentration is None:
        return mean
    inner = np.clip(mean, _LEAST, 1 - _LEAST)
    drawn: Floats = rng.beta(concentration * inner, concentration * (1 - inner))
    return np.where((mean > _LEAST) & (mean < 1 - _LEAST), drawn, mean)


def leans(directional: Floats, own: Floats, both: float, rng: np.random.Generator) -> Leans:
    """A lean for each unit."""
    draw = rng.random(len(directional))
    mine = directional * own
    rest = directional + (1 - directional) * both
    codes = np.full(len(draw), NEITHER, dtype=np.int8)
    codes[draw < rest] = BOTH
    codes[draw < directional] = OTHER
    codes[draw < mine] = OWN
    return codes


def signs(run: NDArray[np.intp], codes: Leans, runs: int) -> Leans:
    """The lean of each run by its requests: own less other, NEITHER where they are as many."""
    net = np.bincount(run[codes == OWN], minlength=runs) - np.bincount(
        run[codes == OTHER], minlength=runs
    )
    return np.select([net > 0, net < 0], [OWN, OTHER], NEITHER).astype(np.int8)
