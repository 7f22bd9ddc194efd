"""Pairs of drawn studies as arrays, and as targets of measure's own estimating function.

All studies of a draw share one panel; each study is a target of it, so that measure's intervals,
bounds and tests are computed by measure itself, thousands at a time.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import bounds
from draligned.measure.bounds import Limits
from draligned.measure.pairs import Pairing
from draligned.measure.panel import Columns, Panel, Target, make_panel
from draligned.simulate.behaviour import OTHER, OWN, Leans
from draligned.simulate.drawn import Drawn
from draligned.simulate.grid import cells
from draligned.simulate.parameters import Shape
from draligned.simulate.reading import Flags, Reads

Floats = NDArray[np.float64]
ChannelName = Literal["A", "F"]

RANGE = {"A": 2.0, "F": 1.0}
"""d_A lies in ±2, d_F in ±1 (Q11)."""


@dataclass(frozen=True, kw_only=True)
class Values:
    """Of each study (rows) and pair: its value, whether it is readable, what limits the rest."""

    channel: ChannelName
    d: Floats
    readable: Flags
    sharp: Limits
    opened: Limits | None
    actual: Floats
    """What d is, whether or not it was read."""


@dataclass(frozen=True, kw_only=True)
class _Arms:
    """Readouts of runs, P for +1, as they are and as they were read."""

    actual: Floats
    read: Floats
    known: Flags
    opened: Limits | None = None


def request_values(drawn: Drawn, reads: Reads, pairing: Pairing = "first") -> Values:
    """d_A = m_P − m_Q, m = (P_ONLY − Q_ONLY) / identified requests."""
    said = reads.identified
    size = len(drawn.runs)
    identified = _per_run(drawn, said >= 0, size)
    total = _per_run(drawn, np.ones(len(said), dtype=bool), size)
    net = _net(drawn, said, size) * drawn.sign
    opened = bounds.open_arm(net, total - identified, total, np.zeros(size, dtype=bool))
    arms = _Arms(
        actual=_net(drawn, drawn.requests, size) * drawn.sign / np.maximum(total, 1),
        read=net / np.maximum(identified, 1),
        known=identified > 0,
        opened=opened,
    )
    return _values("A", arms, drawn, pairing)


def _per_run(drawn: Drawn, chosen: Flags, size: int) -> Floats:
    return np.bincount(drawn.run[chosen], minlength=size).astype(np.float64)


def _net(drawn: Drawn, codes: Leans, size: int) -> Floats:
    net: Floats = _per_run(drawn, codes == OWN, size) - _per_run(drawn, codes == OTHER, size)
    return net


def final_values(drawn: Drawn, reads: Reads, pairing: Pairing = "first") -> Values:
    """d_F = sign(x_P − x_Q) of the finals."""
    said = reads.identified
    arms = _Arms(actual=_x(drawn.finals) * drawn.sign, read=_x(said) * drawn.sign, known=said >= 0)
    return _values("F", arms, drawn, pairing)


def _x(codes: Leans) -> Floats:
    x: Floats = (codes == OWN).astype(np.float64) - (codes == OTHER).astype(np.float64)
    return x


def _values(channel: ChannelName, arms: _Arms, drawn: Drawn, pairing: Pairing) -> Values:
    sign = channel == "F"
    known_p, known_q = _sides(arms.known, drawn, pairing)
    read_p, read_q = _sides(arms.read, drawn, pairing)
    actual_p, actual_q = _sides(arms.actual, drawn, pairing)
    limits = bounds.difference(bounds.arm(read_p, known_p), bounds.arm(read_q, known_q), sign=sign)
    d, actual = read_p - read_q, actual_p - actual_q
    return Values(
        channel=channel,
        d=np.sign(d) if sign else d,
        readable=known_p & known_q,
        sharp=limits,
        opened=None if arms.opened is None else _opened(arms.opened, drawn, pairing),
        actual=np.sign(actual) if sign else actual,
    )


def _opened(arms: Limits, drawn: Drawn, pairing: Pairing) -> Limits:
    low_p, low_q = _sides(arms.low, drawn, pairing)
    high_p, high_q = _sides(arms.high, drawn, pairing)
    return bounds.difference(Limits(low=low_p, high=high_p), Limits(low=low_q, high=high_q))


def _sides(runs: NDArray[Any], drawn: Drawn, pairing: Pairing) -> tuple[NDArray[Any], NDArray[Any]]:
    """The P and the Q run of each pair, shape (studies, pairs)."""
    folded: NDArray[Any] = runs.reshape(drawn.runs.levels)
    if pairing == "first":
        return folded[:, :, 0, 0], folded[:, :, 0, 1]
    studies, cells, replicates, _ = drawn.runs.levels
    shape = (studies, cells, replicates, replicates)
    p = np.broadcast_to(folded[:, :, :, None, 0], shape).reshape(studies, -1)
    q = np.broadcast_to(folded[:, :, None, :, 1], shape).reshape(studies, -1)
    return p, q


def panel_of(shape: Shape, each: int = 1) -> Panel:
    """Planned pairs of one study, `each` to a cell, named as in its label tables."""
    own = cells(shape)
    tasks = [str(task + 1) for task in np.repeat(own.task, each)]
    names = pd.DataFrame({"task_id": tasks, "factor_id": tasks})
    return make_panel(
        Columns(
            frame=names.assign(
                user_id=[f"user {user + 1}" for user in np.repeat(own.user, each)],
                model=[f"model {model + 1}" for model in np.repeat(own.model, each)],
                a_status="readable",
                f_status="readable",
            )
        )
    )


def target(values: Values, study: int, population: str = "readable") -> Target:
    """One study's D̂ over `readable` or `planned` pairs."""
    top = RANGE[values.channel]
    return Target(
        estimand=f"D_{values.channel}",
        channel=values.channel,
        operator=None,
        population=population,
        low=-top,
        high=top,
        values=values.d[study],
        readable=values.readable[study],
        member=np.ones(values.d.shape[1], dtype=bool),
        contrast=True,
        sharp=_row(values.sharp, study),
        opened=None if values.opened is None else _row(values.opened, study),
    )


def _row(limits: Limits, study: int) -> Limits:
    return Limits(low=limits.low[study], high=limits.high[study])
