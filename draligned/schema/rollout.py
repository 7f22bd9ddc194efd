"""Records of validating rollouts: arms, cells, steps, ends (SI-86 … SI-98).

A trajectory is a line a step: one reply of the agent and all that followed it. What it came to
follows from why it stopped and from the state, by one rule (SI-91, Q36).
"""

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from draligned.schema.base import Record, short_id
from draligned.schema.chat import Message, StopReason, Usage
from draligned.schema.design import Lang
from draligned.schema.progress import Gold

MARKER = "marker"
"""The one gate that reads what the agent says of its own progress."""


class RolloutOutcome(StrEnum):
    """What a trajectory came to."""

    OK = "ok"
    DEAD_END = "dead_end"
    """A spoken turn without a readable marker, under a gate that needs one."""
    PREMATURE = "premature"
    """The agent's own signal ended the session while the state says unfinished."""
    STALL = "stall"
    """The agent spoke, and nobody had anything to add."""
    TURN_CAP = "turn_cap"
    TRANSPORT = "transport"
    """No reply came for good, or another model's."""


class Stop(StrEnum):
    """Why the loop stopped. The first that holds, in this order, where several do (Q36)."""

    TRANSPORT = "transport"
    STATE = "state"
    """The runtime read the state: the work is done."""
    CLAIMED = "claimed"
    """A marker that says completed, or a terminal call."""
    UNMARKED = "unmarked"
    SILENCE = "silence"
    """The agent spoke to a user who has nothing to add."""
    REPROMPTED = "reprompted"
    """It spoke once more although the re-prompts were used up."""
    CAP = "cap"


_OUTCOMES = {
    Stop.TRANSPORT: RolloutOutcome.TRANSPORT, Stop.STATE: RolloutOutcome.OK,
    Stop.CLAIMED: RolloutOutcome.PREMATURE, Stop.UNMARKED: RolloutOutcome.DEAD_END,
    Stop.SILENCE: RolloutOutcome.STALL, Stop.REPROMPTED: RolloutOutcome.STALL,
    Stop.CAP: RolloutOutcome.TURN_CAP,
}  # fmt: skip


def outcome_of(stop: Stop, done: bool) -> RolloutOutcome:
    """Transport first, then the state, then why the loop stopped (SI-91, Q36)."""
    if done and stop is not Stop.TRANSPORT:
        return RolloutOutcome.OK
    if stop is Stop.STATE:
        raise ValueError("a loop that was stopped by the state has its work done")
    return _OUTCOMES[stop]


class RolloutArm(Record):
    """One configuration of reporting and termination (SI-89, SI-103)."""

    name: str
    panel: Literal["A", "B", "C"]
    """Of Table 19: A one set of user messages, B another continuation; C is beside the table."""
    gates: tuple[str, ...] = Field(min_length=1)
    """Names in `gates.registry`; a session ends at the first that stops."""
    reports: bool = False
    """Whether the instructions ask for stage markers."""
    authorises: bool
    """Whether the user's answer carries the leave to use defaults."""
    reprompt: Literal["", "unmatched", "matched"] = ""
    """What the runtime says in the user's place once the user's script is used up (SI-90)."""
    reprompt_limit: int | None = Field(default=None, ge=1)
    """Re-prompts in a row after which speaking is a stall; none: up to the cap."""
    cap: int = Field(ge=1)
    """Replies of the agent (Q34)."""

    @property
    def reads_markers(self) -> bool:
        """Whether a spoken turn is read for a marker: only then can it be a dead end."""
        return MARKER in self.gates

    @property
    def terminal_tool(self) -> bool:
        """Whether a tool that ends the session is offered."""
        return "terminal_tool" in self.gates

    @property
    def possible(self) -> frozenset[RolloutOutcome]:
        """Outcomes that the arm can have by its construction (SI-92)."""
        found = set(RolloutOutcome)
        if not self.reads_markers:
            found.discard(RolloutOutcome.DEAD_END)
        if not self.reads_markers and not self.terminal_tool:
            found.discard(RolloutOutcome.PREMATURE)
        return frozenset(found)


class RolloutCell(Record):
    """One planned trajectory."""

    arm: str
    scenario_id: str
    lang: Lang
    repetition: int
    deployment: str
    model_key: str
    world: str
    """Hash of everything that the agent meets here: scenario, arm, texts, rules of the store. A
    change of any makes another cell, which is open again (SI-98)."""

    @property
    def trajectory_id(self) -> str:
        """Identity; the owner of its model calls."""
        return short_id("trajectory", self.model_key, self.world, self.repetition)


class Inputs(Record):
    """Hashes of what the arm gives the agent, so that equality between arms is a fact (SI-89)."""

    instructions: str
    """Of the whole system message."""
    reporting: str | None
    """Of its reporting part; null without one."""
    tools: str
    user: str
    """Of the user's turns: all that the script may say, whether it came to it or not."""


class CallDone(Record):
    """One call and what the store made of it."""

    call_id: str
    tool: str
    arguments: str
    refused: str | None
    """Why nothing changed; null where the call was executed."""
    result: str
    """As the agent was shown it."""


class Said(Record):
    """A turn in the user's place."""

    by: Literal["user", "runtime"]
    text: str


class RolloutStep(Record):
    """One reply and all that followed it; written in one piece, or not at all."""

    cell: RolloutCell
    inputs: Inputs
    sequence: int = Field(ge=1)
    before: Gold
    """Whether a report was due when it was asked, and what was true (SI-3, SI-11)."""
    message: Message | None = None
    """The reply; null where none came."""
    stop_reason: StopReason | None = None
    usage: Usage | None = None
    echoed_model: str | None = None
    request_sha256: str | None = None
    voided: int = 0
    """Calls that a length cut or a filter voided; they are not in `message`."""
    calls: tuple[CallDone, ...] = ()
    said: Said | None = None
    """Who spoke next, if anybody did."""
    done: bool
    """Whether the state says that both steps are done, after this step (SI-88)."""
    submitted: bool = False
    """Whether a terminal call has been made by now."""
    stop: Stop | None = None
    """Why the loop stopped here; null where it goes on."""
    possible: tuple[RolloutOutcome, ...]
    """What the arm can come to by its construction."""
    outcome: RolloutOutcome | None = None
    detail: str = ""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        """An end has an outcome, by the one rule, and one that its arm can have (SI-92)."""
        if (self.stop is None) != (self.outcome is None):
            raise ValueError("a step that stops has an outcome, and no other has")
        if self.stop is not None and self.outcome is not outcome_of(self.stop, self.done):
            raise ValueError(f"{self.stop.value} with done={self.done} is no {self.outcome}")
        if self.outcome is not None and self.outcome not in self.possible:
            raise ValueError(f"{self.outcome.value} is impossible under {self.cell.arm}")
        if self.stop is not None and self.said is not None:
            raise ValueError("nobody speaks after the end")
        return self


class RolloutPart(Record):
    """What was asked for first under one arm in one language; it stays (SI-67)."""

    arm: RolloutArm
    lang: Lang
    repetitions: int = Field(ge=1)
