"""How frameworks decide whether to go on after a turn: records, and what they count (SI-99 … 104).

Facts about frameworks' documentation, as the paper reports them. Nothing here is about a model's
behaviour, and no other table takes it in. The source audit of five runtimes is counted apart.
"""

import tomllib
from collections.abc import Iterable
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from draligned.schema.base import Record
from draligned.schema.errors import DamageError

Signal = Literal["A1", "A2", "B1", "B2", "B3", "B"]
"""Families fixed before collection: A owned by the runtime (A1 edges or typed state, A2 a cap);
B emitted by the model (B1 a textual marker, B2 presence of tool calls, B3 a terminal tool, B with
its sub-type not documented). More than one at once is a hybrid."""
Form = Literal["A1", "A2", "B1", "B2", "B3", "B", "C"]
Owner = Literal["model_emitted", "runtime_owned", "evidence_incomplete"]
OWNERS: tuple[Owner, ...] = ("model_emitted", "runtime_owned", "evidence_incomplete")
MEANING: dict[Form, str] = {
    "A1": "runtime: edges or typed state",
    "A2": "runtime: a cap",
    "B1": "model: marker in its text",
    "B2": "model: whether it calls tools",
    "B3": "model: a tool that ends the run",
    "B": "model: sub-type not documented",
    "C": "hybrid: more than one of these at once",
}
EVIDENCE = "Audit/engineering"


class _Read(Record):
    name: str = Field(min_length=2)
    reads: tuple[Signal, ...] = ()
    """What the loop reads in canonical usage, first what ends a normal run."""
    evidence: str = ""
    """The recorded excerpt in our words."""
    accessed: date | None = None

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.reads)) != len(self.reads):
            raise ValueError(f"{self.name}: a signal stands twice")
        return self


class Framework(_Read):
    """One of the seventeen."""

    also: tuple[Signal, ...] = ()
    """Forms that are offered beside it."""
    identifier: str = ""
    """The shortest name that stands for the excerpt."""
    source: str = ""
    note: str = ""
    later: bool = False
    """Whether it was added at the second point in time."""

    @property
    def owner(self) -> Owner:
        """Whose signal ends a normal run; a missing field is never filled by inference (SI-100)."""
        if self.missing:
            return "evidence_incomplete"
        return "model_emitted" if self.reads[0].startswith("B") else "runtime_owned"

    @property
    def missing(self) -> tuple[str, ...]:
        """Fields that the classification needs and that are not there."""
        needed = ("reads", "evidence", "source", "accessed")
        return tuple(name for name in needed if not getattr(self, name))

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All forms, canonical ones first."""
        return (*self.reads, *(s for s in self.also if s not in self.reads))

    @property
    def forms(self) -> tuple[Form, ...]:
        """The same, and C where there are several."""
        return (*self.signals, "C") if len(self.signals) > 1 else self.signals


class Runtime(_Read):
    """One deployed runtime, read as source at a pinned commit (SI-102)."""

    reads: tuple[Signal, ...] = Field(min_length=1)
    evidence: str = Field(min_length=1)
    accessed: date
    commit: str = Field(pattern=r"^[0-9a-f]{7,40}$")
    places: tuple[str, ...] = Field(min_length=1)
    """file:line."""
    cap: str = ""

    @property
    def family(self) -> str:
        """Its signal, or C with its signals where there are several."""
        return self.reads[0] if len(self.reads) == 1 else f"C ({'+'.join(self.reads)})"


class Survey(Record):
    """Both parts, kept apart."""

    question: str
    selection: str
    boundary: str
    framework: tuple[Framework, ...]
    runtime: tuple[Runtime, ...]

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        for part in (self.framework, self.runtime):
            names = [r.name for r in part]
            if len(set(names)) != len(names):
                raise ValueError("a name stands twice")
        return self


def owners(records: Iterable[Framework]) -> dict[Owner, int]:
    """Frameworks by whose signal ends a normal run; each counts once."""
    found = [r.owner for r in records]
    return {owner: found.count(owner) for owner in OWNERS}


def forms(records: Iterable[Framework]) -> dict[Form, tuple[str, ...]]:
    """Names by form, in alphabetical order. They overlap: these are no counts of prevalence."""
    kept = sorted(records, key=lambda r: r.name.casefold())
    return {form: tuple(r.name for r in kept if form in r.forms) for form in MEANING}


@cache
def load_survey() -> Survey:
    """The survey that comes with the package. Raises `DamageError`."""
    text = (files("draligned.bench_data") / "progress" / "survey.toml").read_text("utf-8")
    return read_survey(text)


def read_survey(text: str) -> Survey:
    """A survey from TOML. Raises `DamageError` for what is no survey."""
    try:
        return Survey.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise DamageError(f"bench_data/progress/survey.toml: {error}") from error
