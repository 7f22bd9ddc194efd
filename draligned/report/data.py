"""All that a report needs, put together by the API: the page reads no file and no clock."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from draligned.schema.design import Design, Lang, LockEntry
from draligned.schema.events import Event
from draligned.schema.observed import ObservedRun
from draligned.schema.registers import Line
from draligned.schema.trajectory import Trajectory
from draligned.study.spend import SpendRow
from draligned.study.status import BlockStatus


@dataclass(frozen=True, kw_only=True)
class ReadCount:
    """Reads of one evaluator and kind of packet."""

    evaluator: str
    kind: str
    planned: int
    read: int
    void: int
    open: int


@dataclass(frozen=True, kw_only=True)
class EvaluatorFacts:
    """One evaluator: `key` is its value in the tables' column `evaluator`."""

    key: str
    name: str
    requested_model: str
    protocol_sha256: str | None
    mirrored: bool = True
    """Whether it was planned to read with the endpoints swapped too."""


@dataclass(frozen=True, kw_only=True)
class Wire:
    """One way in which the runs of a harness spoke to their providers (DR-28)."""

    harness: str
    api: str
    streamed: bool


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """A model as asked for and as it called itself; an echo verifies nothing (DR-40)."""

    name: str
    role: str
    requested: str
    echoed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReportData:
    """One study, ready to be written up.

    `lang`: the page's own language, whatever the design's. `evaluators`: the primary first;
    `left_out`: blocks of development-only harnesses, which stand in no table. `primary_evaluator`
    is its key, also while it has read nothing. `tables`: frames laid out as
    `measure.columns` says, by name. `trajectories`: by run and factor, as the first evaluator read
    them. `observed`: ended runs that are done. `events_of` and
    `text_of` are asked only for what the page shows. `partial`: runs or reads are open.
    `pilot`: every run so far was asked for by a pilot of at most so many pairs. `first_utc`,
    `last_utc`: dates of the runs, none if nothing ran.
    """

    name: str
    lang: Lang
    design: Design
    locks: tuple[LockEntry, ...]
    blocks: tuple[BlockStatus, ...]
    left_out: tuple[BlockStatus, ...] = ()
    wires: tuple[Wire, ...] = ()
    reads: tuple[ReadCount, ...]
    evaluators: tuple[EvaluatorFacts, ...]
    primary_evaluator: str | None = None
    models: tuple[ModelFacts, ...]
    tables: Mapping[str, pd.DataFrame]
    observed: tuple[ObservedRun, ...]
    events_of: Callable[[ObservedRun], Sequence[Event]]
    text_of: Callable[[str], str]
    tagged: frozenset[str] = frozenset()
    """Keys of harnesses that ask for stage tags."""
    spend: tuple[SpendRow, ...] = ()
    trajectories: Mapping[tuple[str, str], Trajectory] = field(default_factory=dict)
    corrections: tuple[Line, ...] = ()
    """The study's own register of corrections."""
    rehearsal: bool
    partial: bool = False
    pilot: int | None = None
    versions: Mapping[str, str]
    first_utc: str | None = None
    last_utc: str | None = None

    def table(self, name: str) -> pd.DataFrame:
        """A table by name; empty if it was not made."""
        return self.tables.get(name, pd.DataFrame())
