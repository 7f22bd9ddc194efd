"""What an agent can be planned to do: steps, and what the plan depends on."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "requests", "broken_call", "delegate", "list", "notes", "read_back", "stray",
    "write", "submit", "text", "closing", "hand_over", "empty", "length_cut",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PlannedRequest:
    """One request: `lean` and the index of its factor; reads follow what was found."""

    number: int
    tool: Literal["search", "read"]
    lean: str
    factor: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """One assistant turn."""

    kind: Kind
    requests: tuple[PlannedRequest, ...] = ()
    version: str = ""
    """For documents: which wording, `draft1`, `draft2` or `final`."""
    leans: tuple[str, ...] = ()
    """For documents: leaning for every factor."""
    in_one: int = 0
    """For delegations: how many of the requests go to the first sub-task; 0: all."""
    notes: bool = False
    """For requests: notes are saved in the same turn. For hand-overs: the notes are the reply."""
    edit: bool = False
    """For documents: made by an edit of the version before."""
    saves: bool = False
    """For submissions: the text is saved in the same turn."""
    repeats: bool = False
    """For submissions after a hand-over: a draft that leans the same is submitted as it is."""
    path: str = ""
    """For files: which one; for strays: what is wrong with the call."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What the harness offers, as far as the plan depends on it."""

    search: bool
    read: bool
    draft: bool
    submit: Literal["text", "saved", "none"]
    """Submission of a text, of what was saved, or none at all."""
    delegate: bool = False
    files: frozenset[str] = frozenset()
    """Which of the file tools there are; empty where one document is saved without a name."""
    hands_over: bool = False
    """The stage's work goes to another stage; nothing is submitted."""
    handed: bool = False
    """A stage before this one handed something over."""
