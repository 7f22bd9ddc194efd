"""What a run looks like on the page: its events, one entry each."""

from dataclasses import dataclass

from draligned.report.shown import Shown
from draligned.report.steps import Quote


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the two reads say of a unit, and what follows."""

    first: str
    mirror: str
    restored: str
    label: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One event as shown. `document` marks a draft or final, whose text is opened on demand."""

    seq: int
    kind: str
    title: str
    text: Shown | None
    reading: Reading | None = None
    document: bool = False
    note: str = ""
    quotes: tuple[Quote, ...] = ()
    """Words that carried the label."""


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One run, ready to be laid out."""

    run_id: str
    attempt: int
    model: str
    harness: str
    replicate: int
    outcome: str
    anchor: str
    """How the ids of its events begin."""
    entries: tuple[Entry, ...]
    left_out: int
    """Events of the log that are not listed: call starts, tool results, empty turns."""
    beyond: int = 0
    """Further entries of a run that is too long for a page."""
