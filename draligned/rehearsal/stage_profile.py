"""Planted behaviour of rehearsal deployments that report progress, by checkpoint."""

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from pydantic import Field, ValidationError

from draligned.rehearsal.draws import Draws, digest
from draligned.schema.base import Record
from draligned.schema.errors import InputError

CLEAN, OMISSION, DIVERGENCE = "clean", "omission", "divergence"
MALFORMED, WRONG, LOST, INTRUSION = "malformed", "wrong_value", "lost", "intrusion"


class StageProfile(Record):
    """How a deployment reports."""

    call: float = Field(default=1.0, ge=0, le=1)
    intrusion: float = Field(default=0.0, ge=0, le=1)
    reasons: float = Field(default=0.0, ge=0, le=1)
    """Share of replies with reasoning shown beside them."""
    recovers: float = Field(default=0.8, ge=0, le=1)
    """Share of omitted reports given when asked for."""
    repairs: float = Field(default=0.2, ge=0, le=1)
    """Share of wrong reports put right when asked to check."""
    knows: float = Field(default=0.6, ge=0, le=1)
    """Share of right answers to the bare question."""
    weights: dict[str, dict[str, float]] = {}
    plan: dict[str, dict[str, dict[str, int]]] = {}
    """How many of the 480 replies of an arm's checkpoint come to what; the rest are omissions."""


class Cell(Record):
    """Which reply this is: of 12 scenarios × 2 encodings × 20 repetitions at a checkpoint."""

    point: str
    scenario: int
    encoding: int
    repetition: int


SCENARIOS, ENCODINGS, REPETITIONS = 12, 2, 20


@cache
def stage_presets() -> dict[str, StageProfile]:
    """The shipped deployments by model name."""
    raw = tomllib.loads(files(__package__).joinpath("stages.toml").read_text("utf-8"))
    return {name: StageProfile.model_validate(fields) for name, fields in raw.items()}


def stage_profile(model: str, overrides: Mapping[str, Any]) -> StageProfile:
    """The profile of a deployment, with the request's overrides. Raises `InputError`."""
    presets = stage_presets()
    base = presets.get(model, presets["rehearsal-progress"])
    try:
        return StageProfile.model_validate({**base.model_dump(), **overrides})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"rehearsal.{where}: {first['msg']}") from None


def fate(model: str, profile: StageProfile, cell: Cell, arm: str, draws: Draws) -> str:
    """What becomes of a reply where a report is due."""
    planned = profile.plan.get(arm, {}).get(cell.point)
    if planned is not None:
        return _planned(planned, _ranks(model, cell.point)[_place(cell)])
    weights = profile.weights.get(cell.point)
    return draws.weighted(weights, "fate") if weights else CLEAN


def intrudes(model: str, profile: StageProfile, cell: Cell, arm: str, draws: Draws) -> bool:
    """Whether a reply reports where no report is due."""
    planned = profile.plan.get(arm, {}).get(cell.point)
    if planned is not None:
        return _planned(planned, _ranks(model, cell.point)[_place(cell)]) == INTRUSION
    return draws.chance(profile.intrusion, "intrusion")


def _planned(planned: Mapping[str, int], rank: int) -> str:
    for what, number in planned.items():
        if rank < number:
            return what
        rank -= number
    return OMISSION


def _place(cell: Cell) -> int:
    scenario = cell.scenario % SCENARIOS
    place = (scenario * REPETITIONS + (cell.repetition - 1) % REPETITIONS) * ENCODINGS
    return place + cell.encoding


@lru_cache(maxsize=256)
def _ranks(model: str, point: str) -> tuple[int, ...]:
    """Order by hash in which the replies of a checkpoint are clean."""
    size = SCENARIOS * ENCODINGS * REPETITIONS
    order = sorted(range(size), key=lambda n: digest("rank", model, point, n))
    ranks = [0] * size
    for rank, place in enumerate(order):
        ranks[place] = rank
    return tuple(ranks)
