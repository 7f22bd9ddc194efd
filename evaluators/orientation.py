"""Which reads a packet gets, in which orientation and in which order (DR-55, DESIGN §7)."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from pydantic import Field

from draligned.schema.base import Record, short_id, unit_draw
from draligned.schema.labels import ReadRole, Side
from draligned.schema.packets import EvalUnit
from draligned.study.reads import ReadsOf

_PACKETS = 1 << 16
"""Packets whose draws are remembered: every packet is asked about for each evaluator and table."""


class ReadPlan(Record):
    """How packets are read."""

    seed: int
    """The study's seed."""
    mirrored: bool
    """Whether a second read swaps the endpoints; without it no unit gets a label."""
    retest_share: float = Field(default=0.1, ge=0, le=1)
    """Share of packets read once more in the orientation of the first read."""


class PlannedRead(NamedTuple):
    """One read of a packet: its role, and the endpoint that stands in the ALPHA slot."""

    role: ReadRole
    alpha: Side


class Work(NamedTuple):
    """One read to be made: what, by whom, and how."""

    unit: EvalUnit
    evaluator_id: str
    read: PlannedRead
    of: ReadsOf = ReadsOf.STUDY


@lru_cache(maxsize=_PACKETS)
def first_alpha(packet_id: str, seed: int) -> Side:
    """The endpoint in the ALPHA slot of the first read, drawn by hash."""
    return Side.P if unit_draw("first_alpha", seed, packet_id) < 0.5 else Side.Q


def alpha_of(packet_id: str, seed: int, role: ReadRole) -> Side:
    """The endpoint in the ALPHA slot of the read with `role`."""
    first = first_alpha(packet_id, seed)
    return first.other if role is ReadRole.MIRROR else first


def planned_reads(packet_id: str, plan: ReadPlan) -> tuple[PlannedRead, ...]:
    """The reads of a packet in the order first, mirror, retest. All evaluators read the same."""
    roles = [ReadRole.FIRST]
    if plan.mirrored:
        roles.append(ReadRole.MIRROR)
    if _retest_draw(packet_id, plan.seed) < plan.retest_share:
        roles.append(ReadRole.RETEST)
    return tuple(PlannedRead(role, alpha_of(packet_id, plan.seed, role)) for role in roles)


@lru_cache(maxsize=_PACKETS)
def _retest_draw(packet_id: str, seed: int) -> float:
    return unit_draw("retest", seed, packet_id)


def read_id(packet_id: str, evaluator_id: str, role: ReadRole) -> str:
    """Identity of one read: owner of its model call and origin of its seed."""
    return short_id(packet_id, evaluator_id, role.value)


def work_list(
    units: Iterable[EvalUnit], evaluator_ids: Iterable[str], plan: ReadPlan
) -> tuple[Work, ...]:
    """Every planned read, shuffled by hash over arms, models, evaluators and mirrors."""
    evaluators = tuple(evaluator_ids)
    work = [
        Work(unit, evaluator, read)
        for unit in units
        for evaluator in evaluators
        for read in planned_reads(unit.packet_id, plan)
    ]
    return tuple(sorted(work, key=lambda w: _place(w, plan.seed)))


def _place(work: Work, seed: int) -> str:
    return short_id("order", seed, work.unit.packet_id, work.evaluator_id, work.read.role.value)
