"""Planted behaviour of rehearsal agents: presets by model name, fields to override."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from draligned.schema.base import Record
from draligned.schema.errors import InputError

Lean = Literal["own", "other", "both", "none"]
Ending = Literal["submit", "text", "empty", "length"]


class Leaning(Record):
    """Probabilities that a unit leans to the told endpoint, the other, both or neither."""

    own: float = Field(default=0.0, ge=0, le=1)
    other: float = Field(default=0.0, ge=0, le=1)
    both: float = Field(default=0.0, ge=0, le=1)

    @property
    def none(self) -> float:
        """Probability of leaning to neither."""
        return max(0.0, 1.0 - self.own - self.other - self.both)

    @model_validator(mode="after")
    def _sums_to_one(self) -> "Leaning":
        if self.own + self.other + self.both > 1.0 + 1e-9:
            raise ValueError("own, other and both sum to more than 1")
        return self

    def weights(self) -> dict[str, float]:
        """As weights for a draw."""
        return {"own": self.own, "other": self.other, "both": self.both, "none": self.none}


class Tags(Record):
    """Weights of what becomes of a stage tag; `clean` alone by default."""

    clean: float = Field(default=1.0, ge=0)
    omission: float = Field(default=0.0, ge=0)
    malformed: float = Field(default=0.0, ge=0)
    """Not on the last line."""
    early: float = Field(default=0.0, ge=0)
    """Says the stage after the true one."""
    late: float = Field(default=0.0, ge=0)
    """Says the stage before the true one."""

    @model_validator(mode="after")
    def _some_weight(self) -> "Tags":
        if sum(self.model_dump().values()) <= 0:
            raise ValueError("the tags have no weight")
        return self


class AgentProfile(Record):
    """What an agent does, in probabilities; every draw is independent but where it says so."""

    requests_min: int = Field(default=4, ge=0, le=200)
    requests_max: int = Field(default=8, ge=0, le=200)
    request: Leaning = Leaning(own=0.12, other=0.03, both=0.01)
    """Leaning of one search."""
    url_reads: float = Field(default=0.25, ge=0, le=1)
    """Probability that a request after the first reads a hit instead of searching."""
    parallel: float = Field(default=0.15, ge=0, le=1)
    """Probability that a turn sends two requests at once."""
    invalid: float = Field(default=0.01, ge=0, le=1)
    """Probability that a turn is preceded by one with a broken call."""
    final: Leaning = Leaning(own=0.75, other=0.03, both=0.12)
    """Leaning of the final's main advice."""
    draft: float = Field(default=0.5, ge=0, le=1)
    """Probability of saving a draft."""
    redraft: float = Field(default=0.2, ge=0, le=1)
    """Probability of saving a second draft after a first."""
    draft_lean: Leaning = Leaning(own=0.5, other=0.03, both=0.12)
    """Leaning of a draft that does not follow the final."""
    draft_follows: float = Field(default=0.7, ge=0, le=1)
    """Probability that a draft leans as the final will; drop-out and re-entry come of the rest."""
    request_plan: tuple[Lean, ...] | None = None
    """Leanings of all requests, in order, all of them searches; nothing is drawn then."""
    draft_plan: tuple[Lean, ...] | None = None
    """Leanings of all drafts, in order; nothing is drawn then."""
    verbatim: float = Field(default=0.1, ge=0, le=1)
    """Probability that a final of the last draft's leaning repeats it word for word."""
    keeps: float = Field(default=0.6, ge=0, le=1)
    """The same where a saved text is submitted: probability that it is not saved again first."""
    delegates: float = Field(default=0.3, ge=0, le=1)
    """Probability that up to three requests in a row go to a sub-context, where one is offered."""
    edits: float = Field(default=0.5, ge=0, le=1)
    """Probability that a later version of a file is made by an edit of the one before."""
    notes: float = Field(default=0.4, ge=0, le=1)
    """Probability of notes in a file of their own."""
    looks: float = Field(default=0.25, ge=0, le=1)
    """Probability of listing the files at the start, and of reading one again after saving."""
    strays: float = Field(default=0.06, ge=0, le=1)
    """Probability of one call that a file workspace refuses."""
    at_once: float = Field(default=0.15, ge=0, le=1)
    """Probability that a changed text is saved and submitted in one turn."""
    submit: float = Field(default=0.86, ge=0, le=1)
    text: float = Field(default=0.1, ge=0, le=1)
    empty: float = Field(default=0.02, ge=0, le=1)
    length: float = Field(default=0.02, ge=0, le=1)
    """Weights of the four endings."""
    tags: Tags = Tags()
    """What becomes of the stage tag of a turn, where the harness asks for tags."""
    tag_leaks: float = Field(default=0.0, ge=0, le=1)
    """Probability that a turn's tag is written into its queries, files and reports as well."""

    @model_validator(mode="after")
    def _ordered(self) -> "AgentProfile":
        if self.requests_min > self.requests_max:
            raise ValueError("requests_min is larger than requests_max")
        if self.submit + self.text + self.empty + self.length <= 0:
            raise ValueError("the endings have no weight")
        return self

    def endings(self) -> dict[str, float]:
        """Weights of the endings, for a draw."""
        return {
            "submit": self.submit,
            "text": self.text,
            "empty": self.empty,
            "length": self.length,
        }

    @property
    def delivers(self) -> float:
        """Probability that an episode has a final (budgets and broken tools left out)."""
        weights = self.endings()
        return (weights["submit"] + weights["text"]) / sum(weights.values())


@cache
def presets() -> dict[str, AgentProfile]:
    """The shipped profiles by model name."""
    raw = tomllib.loads(files(__package__).joinpath("profiles.toml").read_text("utf-8"))
    return {name: AgentProfile.model_validate(fields) for name, fields in raw.items()}


def agent_profile(model: str, overrides: Mapping[str, Any]) -> AgentProfile:
    """The profile of a model: its preset, else the defaults, with the request's overrides.

    Raises `InputError` for a field that no profile has or a value it cannot take.
    """
    base = presets().get(model, AgentProfile())
    if not overrides:
        return base
    try:
        return AgentProfile.model_validate({**base.model_dump(), **overrides})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"rehearsal.{where}: {first['msg']}") from None
