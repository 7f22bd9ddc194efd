"""What comes after a reply: a pure rule over the arm, its gates and the facts (SI-89 … SI-93).

Only an arm that reads markers can be stopped by one, or by the lack of one: the branch that
yields `UNMARKED` is entered nowhere else, and `RolloutStep` refuses the outcome (SI-92).
"""

from dataclasses import dataclass
from typing import Literal

from draligned.gates.marker import DONE, STAGES
from draligned.gates.marker_text import read_marker
from draligned.gates.reprompts import stalled
from draligned.gates.rule import ReplyFacts
from draligned.progress.rollout.arms import gates_of
from draligned.schema.rollout import RolloutArm, Stop

Next = Literal["agent", "user", "runtime"]


@dataclass(frozen=True, kw_only=True)
class Move:
    """Who has the word next, or why the loop stops."""

    next: Next | None = None
    stop: Stop | None = None


def move(arm: RolloutArm, facts: ReplyFacts, *, answers: int) -> Move:
    """What follows a reply whose calls have run; `answers` are the user's turns not yet used."""
    stop = _ended(arm, facts)
    if stop is not None:
        return Move(stop=stop)
    found = _after_speech(arm, facts, answers) if facts.n_calls == 0 else Move(next="agent")
    capped = found.stop is None and facts.decisions >= arm.cap
    return Move(stop=Stop.CAP) if capped else found


def _ended(arm: RolloutArm, facts: ReplyFacts) -> Stop | None:
    """Whether a gate ends the session, or speech after the work is done does."""
    for gate in gates_of(arm):
        if gate.name in _STOPS and gate.stops(facts):
            return _STOPS[gate.name]
    return Stop.STATE if facts.n_calls == 0 and facts.state_done else None


_STOPS = {
    "runtime_owned": Stop.STATE, "typed_state": Stop.STATE, "marker": Stop.CLAIMED,
    "terminal_tool": Stop.CLAIMED,
}  # fmt: skip
"""Gates that end a session. `no_tool_call` ends the agent's run and gives the user the word;
`hard_cap` is the arm's own cap."""


def _after_speech(arm: RolloutArm, facts: ReplyFacts, answers: int) -> Move:
    """Who answers a spoken turn while the work is unfinished."""
    if arm.reads_markers and not _says_unfinished(facts.text):
        return Move(stop=Stop.UNMARKED)
    if answers:
        return Move(next="user")
    if not arm.reprompt:
        return Move(stop=Stop.SILENCE)
    if arm.reprompt_limit is not None and stalled(facts, arm.reprompt_limit):
        return Move(stop=Stop.REPROMPTED)
    return Move(next="runtime")


def _says_unfinished(text: str | None) -> bool:
    """Whether there is a readable marker; one that says completed has ended the session."""
    reading = read_marker(text or "", STAGES, "xml")
    return reading.value is not None and reading.value != DONE
