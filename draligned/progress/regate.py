"""A gate applied after the fact: where it would have ended what another gate let run.

Records come from rollouts and from research episodes; of both only replies, calls and the state
are read. A replay shows which replies a gate would have taken for the end. It cannot show what an
agent would have done after another answer: see `BOUNDARY`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from draligned.gates.hard_cap import HARD_CAP
from draligned.gates.marker import DONE, MARKER, STAGES, marker_gate
from draligned.gates.marker_text import read_marker
from draligned.gates.no_tool_call import NO_TOOL_CALL
from draligned.gates.registry import GATES
from draligned.gates.rule import Gate, ReplyFacts
from draligned.progress.rollout.shelf import Steps
from draligned.schema.endings import EndedBy
from draligned.schema.errors import ConfigError
from draligned.schema.events import (
    DelegationClosed,
    DelegationOpened,
    Event,
    ModelTurn,
    RunHeader,
    Submitted,
)
from draligned.schema.progress import WORK_VALUES, WorkStage
from draligned.schema.rollout import RolloutOutcome

BOUNDARY = (
    "Replies are those that the gate which ran has drawn. What an agent would have done after "
    "another answer, a re-prompt or a longer session is not in the record; a record ends where its "
    "own gate ended it, so a gate that had not stopped by then is cut off, not judged. Replies "
    "saved are of these records and no forecast."
)
ROLLOUT, RESEARCH = "rollout", "research"
STRICT = "marker_strict"
NOT_ASKED, SPOKEN, NO_STATE = "not_asked", "word_to_user", "no_submission"
ENDED_FIRST, LOST = "ended_first", "transport"
REASONS: Mapping[str, str] = {
    NOT_ASKED: "what this gate reads was never asked for here",
    SPOKEN: "a spoken reply is taken for the end, also where a user or the next stage answered it",
    NO_STATE: "some episodes have no accepted submission: when their work was done is unknown",
    ENDED_FIRST: "some records end before this gate could have stopped finished work: no later "
    "reply, or fewer replies than the cap; whether it would have is unknown",
    LOST: "some records were broken off by a lost reply: what would have come is unknown",
}
"""What has to be said beside a row."""


def _strict(values: Collection[str], terminal: str) -> Gate:
    """The marker gate as the rollout's B1 has it: a spoken reply without a readable marker ends
    the session too."""

    def stops(reply: ReplyFacts) -> bool:
        if reply.n_calls or reply.text is None:
            return False
        return read_marker(reply.text, values, "xml").value in (None, terminal)

    return Gate(name=STRICT, ended_by=EndedBy.MARKER, stops=stops)


REPLAYED: Mapping[str, Gate] = {**GATES, STRICT: _strict(STAGES, DONE)}
"""The shared gates, and the strict marker gate."""
_SUBMITTED = WorkStage.SUBMITTED.value
_WORK: Mapping[str, Gate] = {
    MARKER.name: marker_gate(WORK_VALUES, _SUBMITTED), STRICT: _strict(WORK_VALUES, _SUBMITTED),
}  # fmt: skip
"""The same for research episodes, whose tags have other values."""


class Verdict(StrEnum):
    """What a gate comes to on one record."""

    RIGHT_STOP = "right_stop"
    FALSE_COMPLETION = "false_completion"
    """It stops while the state says unfinished."""
    MISSED_COMPLETION = "missed_completion"
    """It lets replies pass that came after the state said finished, and never stops."""
    WENT_ON = "went_on"
    """It never stops, and the record ends unfinished."""
    UNKNOWN = "unknown"
    """The record does not say: `reason` has why."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One reply of a record."""

    facts: ReplyFacts
    done: bool | None
    """Whether the work is done after it, by the state; none where that is unknown."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """One record, from whatever source."""

    source: str
    record_id: str
    deployment: str
    under: str
    """Arm or harness that ran."""
    ended_as: str
    decisions: tuple[Decision, ...]
    asked_for: frozenset[str]
    """What the agent was asked to give: `marker`, `terminal_tool`."""
    rehearsal: bool


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What a gate comes to on a record; numbers count replies from 1."""

    record: Recorded
    gate: str
    verdict: Verdict
    stopped_at: int | None
    done_at: int | None
    saved: int | None
    """Replies recorded after the stop; null without one."""
    late: int | None
    """Replies between the end of the work and a right stop."""
    reason: str


def gates_named(names: Sequence[str]) -> tuple[Gate, ...]:
    """Gates by name, all without one; `a,b` names two. Raises `ConfigError`."""
    wanted = [part.strip() for name in names for part in name.split(",") if part.strip()]
    for name in wanted:
        if name not in REPLAYED:
            known = ", ".join(sorted(REPLAYED))
            raise ConfigError(f"there is no gate {name!r} to replay; there are {known}")
    return tuple(REPLAYED[name] for name in dict.fromkeys(wanted or sorted(REPLAYED)))


def replay(record: Recorded, gate: Gate) -> Replayed:
    """Ask a gate after each reply of a record, in order, until it stops."""
    asks = _WORK.get(gate.name, gate) if record.source == RESEARCH else gate
    stop = _first(n for n, d in enumerate(record.decisions, 1) if asks.stops(d.facts))
    done = _first(n for n, d in enumerate(record.decisions, 1) if d.done)
    why = _unknown(record, gate, stop, done)
    verdict = Verdict.UNKNOWN if why else _verdict(stop, done)
    right = verdict is Verdict.RIGHT_STOP and stop is not None and done is not None
    return Replayed(
        record=record,
        gate=gate.name,
        verdict=verdict,
        stopped_at=stop,
        done_at=done,
        saved=None if stop is None else len(record.decisions) - stop,
        late=stop - done if right and stop is not None and done is not None else None,
        reason=_reason(record, gate, stop, why),
    )


def _first(numbers: Iterator[int]) -> int | None:
    return next(numbers, None)


def _unknown(record: Recorded, gate: Gate, stop: int | None, done: int | None) -> str:
    """Why a record says nothing of a gate; empty where it does.

    A gate that has not stopped was passed over only by replies that came after the work was done.
    """
    if any(d.done is None for d in record.decisions):
        return NO_STATE
    if stop is not None:
        return ""
    if done is None:
        lost = record.ended_as == RolloutOutcome.TRANSPORT or not record.decisions
        return LOST if lost else ""
    judged = done < len(record.decisions) and gate.name != HARD_CAP.name
    return "" if judged else ENDED_FIRST


def _verdict(stop: int | None, done: int | None) -> Verdict:
    if stop is None:
        return Verdict.WENT_ON if done is None else Verdict.MISSED_COMPLETION
    in_time = done is not None and done <= stop
    return Verdict.RIGHT_STOP if in_time else Verdict.FALSE_COMPLETION


_READS = {"marker": "marker", STRICT: "marker", "terminal_tool": "terminal_tool"}


def _reason(record: Recorded, gate: Gate, stop: int | None, why: str) -> str:
    """Codes of `REASONS`, with spaces between them."""
    needed = _READS.get(gate.name)
    answered = record.source == ROLLOUT or (stop is not None and stop < len(record.decisions))
    codes = {
        NOT_ASKED: needed is not None and needed not in record.asked_for,
        SPOKEN: gate.name == NO_TOOL_CALL.name and answered,
        why: bool(why),
    }
    return " ".join(code for code, holds in codes.items() if holds)


def of_rollout(steps: Steps, *, rehearsal: bool) -> Recorded:
    """The record of a trajectory: done by its typed state."""
    last, decisions = steps[-1], list[Decision]()
    for step in steps:
        if step.message is None:
            continue
        facts = ReplyFacts(
            text=step.message.text, n_calls=len(step.calls), submitted=step.submitted,
            state_done=step.done, decisions=step.sequence,
        )  # fmt: skip
        decisions.append(Decision(facts=facts, done=step.done))
    reads = "marker" if last.inputs.reporting else "terminal_tool"
    asked = {reads} if RolloutOutcome.PREMATURE in last.possible else set()
    return Recorded(
        source=ROLLOUT, record_id=last.cell.trajectory_id, deployment=last.cell.deployment,
        under=last.cell.arm, ended_as="open" if last.outcome is None else last.outcome.value,
        decisions=tuple(decisions), asked_for=frozenset(asked), rehearsal=rehearsal,
    )  # fmt: skip


def of_episode(header: RunHeader, ended_as: str, events: Sequence[Event]) -> Recorded:
    """The record of a research episode: done once a submission was accepted.

    Replies inside a delegation end the delegation at most; they are no decisions of the loop.
    """
    found = list(_loop_turns(events))
    known = any(submitted for _, submitted in found)
    decisions = []
    for number, (turn, submitted) in enumerate(found, 1):
        facts = ReplyFacts(
            text=turn.message.text, n_calls=len(turn.message.tool_calls), submitted=submitted,
            state_done=submitted, decisions=number,
        )  # fmt: skip
        decisions.append(Decision(facts=facts, done=submitted if known else None))
    return Recorded(
        source=RESEARCH, record_id=header.run_id, deployment=header.model_name,
        under=header.harness_name, ended_as=ended_as, decisions=tuple(decisions),
        asked_for=frozenset({"terminal_tool", *(("marker",) if header.progress_duty else ())}),
        rehearsal=header.rehearsal,
    )  # fmt: skip


def _loop_turns(events: Sequence[Event]) -> Iterator[tuple[ModelTurn, bool]]:
    """Replies of the loop, and whether a submission was accepted by the end of each."""
    turn, submitted, depth = None, False, 0
    for body in (event.body for event in events):
        depth += isinstance(body, DelegationOpened)
        depth -= isinstance(body, DelegationClosed)
        submitted = submitted or isinstance(body, Submitted)
        if isinstance(body, ModelTurn) and depth == 0:
            if turn is not None:
                yield turn, submitted
            turn = body
    if turn is not None:
        yield turn, submitted
