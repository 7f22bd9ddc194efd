"""What a gate is: a pure rule over one reply."""

from collections.abc import Callable
from dataclasses import dataclass

from draligned.schema.endings import EndedBy


@dataclass(frozen=True, kw_only=True)
class ReplyFacts:
    """All that a gate may know of a reply."""

    text: str | None
    """Normalised text of the reply, without reasoning."""
    n_calls: int
    """Tool calls in the reply, executable or not."""
    submitted: bool
    """Whether a submission was accepted before this reply."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A named continue-or-stop rule; `stops` answers for one reply."""

    name: str
    ended_by: EndedBy
    """What an episode that this gate stops was ended by."""
    stops: Callable[[ReplyFacts], bool]
