"""What a gate is: a pure rule over one reply and the state it left."""

from collections.abc import Callable
from dataclasses import dataclass

from draligned.schema.endings import EndedBy


@dataclass(frozen=True, kw_only=True)
class ReplyFacts:
    """All that a gate may know. It is asked after a reply, and again once its calls have run."""

    text: str | None
    """Normalised text of the reply, without reasoning."""
    n_calls: int
    """Tool calls in the reply, executable or not."""
    submitted: bool
    """Whether a terminal call (a submission) has been accepted by now."""
    state_done: bool = False
    """Whether the typed state says that the work is done."""
    decisions: int = 0
    """Model replies so far, this one included."""
    reprompts: int = 0
    """Re-prompts in a row that this reply follows."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A named continue-or-stop rule; `stops` answers for one reply.

    A reply without a call that a gate lets pass needs somebody to speak next. Where
    `injects_user_turns` is set the runtime does, as the user; else the loop ends by
    `no_tool_call`, since no user turn may come (DR-43).
    """

    name: str
    ended_by: EndedBy
    """What an episode that this gate stops was ended by."""
    stops: Callable[[ReplyFacts], bool]
    injects_user_turns: bool = False
