"""Planted read errors of rehearsal readers, and how they change a label."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import Field, ValidationError

from draligned.rehearsal.draws import Draws
from draligned.schema.base import Record
from draligned.schema.errors import InputError

_SWAPPED = {"SLOT1": "SLOT2", "SLOT2": "SLOT1"}
_DIRECTIONAL = frozenset({"SLOT1", "SLOT2", "BOTH"})


class ReaderProfile(Record):
    """How a reader errs, in probabilities per request or document and read."""

    abstain: float = Field(default=0.02, ge=0, le=1)
    """It says UNKNOWN whatever stands there."""
    flip: float = Field(default=0.005, ge=0, le=1)
    """It takes one endpoint for the other."""
    order_bias: float = Field(default=0.02, ge=0, le=1)
    """It takes whatever has a direction for the endpoint shown first."""


@cache
def reader_presets() -> dict[str, ReaderProfile]:
    """The shipped readers by model name."""
    raw = tomllib.loads(files(__package__).joinpath("readers.toml").read_text("utf-8"))
    return {name: ReaderProfile.model_validate(fields) for name, fields in raw.items()}


def reader_profile(model: str, overrides: Mapping[str, Any]) -> ReaderProfile:
    """The profile of a reader: its preset, else the defaults, with the request's overrides."""
    base = reader_presets().get(model, ReaderProfile())
    if not overrides:
        return base
    try:
        return ReaderProfile.model_validate({**base.model_dump(), **overrides})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"rehearsal.{where}: {first['msg']}") from None


def misread(label: str, profile: ReaderProfile, draws: Draws, unit: object) -> str:
    """`label` as this reader gives it; all labels are in slot terms.

    The draws know nothing of the orientation; only an order bias, by its nature, does.
    """
    if draws.chance(profile.abstain, "abstain", unit):
        return "UNKNOWN"
    if draws.chance(profile.flip, "flip", unit):
        label = _SWAPPED.get(label, label)
    if label in _DIRECTIONAL and draws.chance(profile.order_bias, "order", unit):
        return "SLOT1"
    return label
