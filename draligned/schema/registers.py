"""Registers: what was corrected, which methods ran, and what limits hold (DR-106 … DR-109)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from draligned.schema.base import Record

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
EntryId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
ShortId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class Standing(StrEnum):
    """What became of a record or a claim (DR-106)."""

    RETRACTED = "RETRACTED"
    CORRECTED = "CORRECTED"
    WITHDRAWN = "WITHDRAWN"
    RECLASSIFIED = "RECLASSIFIED"
    OPEN = "OPEN"
    NOT_TESTED = "NOT TESTED"


class MethodState(StrEnum):
    """How far a method came. A design document alone shows no more than the first (DR-108)."""

    DESIGNED = "designed"
    PILOTED = "piloted"
    RUN = "run"
    RETIRED = "retired"


class Said(Record):
    """The same in Chinese and in English."""

    zh: Words
    en: Words

    def of(self, lang: str) -> str:
        """The words in `lang`, zh or en."""
        return self.zh if lang == "zh" else self.en


class Count(Record):
    """A count behind an entry: `k` of `n`, or `k` alone. Printed, and never fed to an accuracy
    or interval routine (DR-103)."""

    what: Said
    k: int = Field(ge=0)
    n: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _part_of_whole(self) -> Self:
        if self.n is not None and self.k > self.n:
            raise ValueError(f"{self.k} of {self.n}")
        return self


class Exclusion(Record):
    """A record that stays on disk and is left out of every table (DR-106)."""

    kind: Literal["run", "factor", "packet"]
    """A run; every run and read of a factor; every read of a packet."""
    id: ShortId


class Entry(Record):
    """What all entries have."""

    id: EntryId
    title: Said
    text: Said
    source: str | None = None
    """Where in the papers or this project it comes from."""


class Correction(Entry):
    """One entry of the register of corrections. The record it speaks of is kept."""

    standing: tuple[Standing, ...] = Field(min_length=1)
    before: Said | None = None
    """What was said before."""
    counts: tuple[Count, ...] = ()
    excludes: tuple[Exclusion, ...] = ()


class Method(Entry):
    """One method, and how far it came. Outside the primary analysis unless it says otherwise."""

    state: MethodState
    kept_as: Literal["analysis", "control", "negative_result"] = "analysis"
    tables: tuple[str, ...] = ()
    """Tables that hold its results: in a study it has run when one of them has a row that is not
    only a reason why there is none."""
    counts: tuple[Count, ...] = ()


class Limit(Entry):
    """One limit that goes with every result. `title` is short enough for a line of several."""

    holds: Literal["always", "paper"]
    """Always, or of the study that the paper reports."""


class Register(Record):
    """The entries that come with the project; ids occur once."""

    corrections: tuple[Correction, ...] = ()
    methods: tuple[Method, ...] = ()
    limits: tuple[Limit, ...] = ()

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        for kind, entries in self.by_kind().items():
            ids = [entry.id for entry in entries]
            twice = sorted({i for i in ids if ids.count(i) > 1})
            if twice:
                raise ValueError(f"{kind}: two entries are called {', '.join(twice)}")
        return self

    def by_kind(self) -> Mapping[str, tuple[Entry, ...]]:
        """Entries by the register's name."""
        return {"corrections": self.corrections, "methods": self.methods, "limits": self.limits}


class Line(Record):
    """One line of a study's own register: an entry, when it was added, and the hash of the line
    before, so that a line cannot be changed or dropped unseen."""

    seq: int = Field(ge=1)
    added_utc: str
    parent: str | None
    entry: Correction | Method | Limit = Field(union_mode="left_to_right")
