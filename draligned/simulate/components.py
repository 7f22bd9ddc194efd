"""Studies drawn from variance components, as a pilot gives them, instead of planted behaviour."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from draligned.measure.bounds import Limits
from draligned.simulate.grid import cells
from draligned.simulate.panels import RANGE, ChannelName, Floats, Values
from draligned.simulate.parameters import Shape
from draligned.simulate.scenarios import Missing

Flags = NDArray[np.bool_]

_STATE_RATIO = 1.5
"""By state, a pair with d above zero is so much more often readable than another."""


@dataclass(frozen=True, kw_only=True)
class Components:
    """Variances of d between users, tasks, models, and of the rest (runs, requests and reads)."""

    channel: ChannelName
    user: float
    task: float
    model: float
    rest: float
    readability: float
    mean: float
    """Over readable pairs; for show."""
    n_pairs: int
    n_tasks: int


def component_blocks(
    parts: Components, shape: Shape, effect: float, rng: np.random.Generator, missing: Missing
) -> Callable[[int, int], Iterator[tuple[Values, float]]]:
    """A source of trials: pairs of mean `effect` with the components' variances, cut to d's range.

    Each of the shape's replicates is a pair of its own in its cell. What an unreadable pair is
    limited by is not known from components: its bounds are the whole range.
    """

    def source(_start: int, size: int) -> Iterator[tuple[Values, float]]:
        centre = _centres(parts, shape, effect, size, rng)
        d = _values(parts, centre, rng)
        readable = rng.random(d.shape) < _chances(parts.readability, d, missing)
        yield _as_values(parts.channel, d, readable), effect

    return source


def _centres(
    parts: Components, shape: Shape, effect: float, size: int, rng: np.random.Generator
) -> Floats:
    """Expected d of each pair, shape (studies, pairs). Models are compared as they are, not drawn
    from others: their effects sum to 0 in a study."""
    own = cells(shape)
    centre = np.full((size, len(own)), effect)
    for variance, code in (
        (parts.user, own.user),
        (parts.task, own.task),
        (parts.model, own.model),
    ):
        effects = rng.normal(0.0, sqrt(variance), size=(size, int(code.max()) + 1))
        if code is own.model:
            effects = effects - effects.mean(axis=1, keepdims=True)
        centre = centre + effects[:, code]
    top = RANGE[parts.channel]
    each: Floats = np.repeat(np.clip(centre, -top, top), shape.replicates, axis=1)
    return each


def _values(parts: Components, centre: Floats, rng: np.random.Generator) -> Floats:
    """d round its centre: normal for requests, −1, 0 or 1 of that mean for finals, with the
    variance of the rest as nearly as three values can have it."""
    if parts.channel == "A":
        return np.clip(centre + rng.normal(0.0, sqrt(parts.rest), size=centre.shape), -2.0, 2.0)
    size = np.clip(parts.rest + centre**2, np.abs(centre), 1.0)
    draw = rng.random(centre.shape)
    up = (size + centre) / 2
    return np.select([draw < up, draw < size], [1.0, -1.0], 0.0)


def _chances(readability: float, d: Floats, missing: Missing) -> Floats:
    if missing == "random":
        return np.full(d.shape, readability)
    above = d > 0
    share = float(above.mean())
    low = readability / (1 - share + _STATE_RATIO * share)
    return np.where(above, min(1.0, _STATE_RATIO * low), low)


def _as_values(channel: ChannelName, d: Floats, readable: Flags) -> Values:
    top = RANGE[channel]
    limits = Limits(low=np.where(readable, d, -top), high=np.where(readable, d, top))
    return Values(channel=channel, d=d, readable=readable, sharp=limits, opened=None, actual=d)
