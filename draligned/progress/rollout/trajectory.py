"""A trajectory as a fold over its steps: the same while it runs and after a kill."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from draligned.gates.rule import ReplyFacts
from draligned.models.turn import InvalidCall, Turn, TurnKind, ValidCall
from draligned.progress.oracle import gold, stage
from draligned.progress.rollout.moves import Move, move
from draligned.progress.rollout.world import World
from draligned.progress.state import Last, TaskState, execute, spoken
from draligned.schema.chat import Message
from draligned.schema.errors import DamageError
from draligned.schema.progress import Gold, Stage
from draligned.schema.rollout import (
    CallDone,
    RolloutCell,
    RolloutStep,
    Said,
    Stop,
    outcome_of,
)
from draligned.schema.strictjson import dumps, loads

INVALID = "invalid_call"
"""A call that is no call of an offered tool with text parameters: the store never saw it."""


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """Where one trajectory stands."""

    cell: RolloutCell
    world: World
    messages: tuple[Message, ...]
    state: TaskState
    sequence: int = 0
    """Replies so far."""
    used: int = 1
    """The user's turns that were said."""
    reprompts: int = 0
    """In a row, since a call was executed."""
    submitted: bool = False
    ended: bool = False

    @property
    def before(self) -> Gold:
        """What is true now, and whether a report is due."""
        return gold(self.world.scenario, self.state)

    @property
    def done(self) -> bool:
        """Whether both steps are done, by the state."""
        return stage(self.world.scenario, self.state) is Stage.COMPLETED


def begun(cell: RolloutCell, world: World) -> Trajectory:
    """A trajectory before its first reply."""
    return Trajectory(
        cell=cell, world=world, messages=world.opening, state=spoken(TaskState())
    )  # fmt: skip


def resumed(cell: RolloutCell, world: World, steps: Sequence[RolloutStep]) -> Trajectory:
    """Where stored steps lead. Raises `DamageError` where the store says otherwise now."""
    now = begun(cell, world)
    for number, step in enumerate(steps, start=1):
        if step.sequence != number or now.ended:
            raise DamageError(f"trajectory {cell.trajectory_id}: step {number} is out of order")
        now = after(now, step)
        if now.done != step.done:
            raise DamageError(
                f"trajectory {cell.trajectory_id}, step {number}: the store does not come to "
                "what is recorded"
            )
    return now


def stepped(now: Trajectory, turn: Turn) -> RolloutStep:
    """The step that a reply makes: its calls, the gate, and who speaks next."""
    state, submitted, calls = now.state, now.submitted, list[CallDone]()
    for call in _calls(turn):
        state, done = _executed(now.world, state, call)
        submitted = submitted or _submits(now.world, done)
        calls.append(done)
    reached = replace(now, state=state, submitted=submitted)
    found = _move(reached, turn, calls)
    message = turn.reply.message
    kept = message if calls else message.model_copy(update={"tool_calls": ()})
    return RolloutStep(
        **_common(now),
        message=kept,
        stop_reason=turn.reply.stop,
        usage=turn.reply.usage,
        echoed_model=turn.reply.echoed_model,
        request_sha256=turn.reply.request_sha256,
        voided=len(message.tool_calls) - len(kept.tool_calls),
        calls=tuple(calls),
        said=_said(reached, found),
        done=reached.done,
        submitted=submitted,
        stop=found.stop,
        outcome=None if found.stop is None else outcome_of(found.stop, reached.done),
        detail="" if turn.kind in (TurnKind.CALLS, TurnKind.TEXT) else turn.kind.value,
    )  # fmt: skip


def lost(now: Trajectory, detail: str) -> RolloutStep:
    """The step of a reply that never came: the trajectory ends."""
    return RolloutStep(
        **_common(now), done=now.done, submitted=now.submitted, stop=Stop.TRANSPORT,
        outcome=outcome_of(Stop.TRANSPORT, now.done), detail=detail,
    )  # fmt: skip


def after(now: Trajectory, step: RolloutStep) -> Trajectory:
    """Where a step leads."""
    state, messages = now.state, list(now.messages)
    if step.message is not None:
        messages.append(step.message)
    for call in step.calls:
        state = _redone(now.world, state, call)
        messages.append(Message(role="tool", text=call.result, tool_call_id=call.call_id))
    used, reprompts = now.used, now.reprompts
    if any(call.refused is None for call in step.calls):
        reprompts = 0
    if step.said is not None:
        messages.append(Message(role="user", text=step.said.text))
        by_user = step.said.by == "user"
        state = spoken(state, said=True) if by_user else spoken(state)
        used, reprompts = used + by_user, reprompts + (not by_user)
    return replace(
        now, messages=tuple(messages), state=state, sequence=step.sequence, used=used,
        reprompts=reprompts, submitted=step.submitted, ended=step.stop is not None,
    )  # fmt: skip


def _common(now: Trajectory) -> dict[str, object]:
    arm = now.world.arm
    return {
        "cell": now.cell, "inputs": now.world.inputs, "sequence": now.sequence + 1,
        "before": now.before, "possible": tuple(sorted(arm.possible)),
    }  # fmt: skip


def _move(reached: Trajectory, turn: Turn, calls: Sequence[CallDone]) -> Move:
    executed = any(call.refused is None for call in calls)
    facts = ReplyFacts(
        text=turn.reply.message.text,
        n_calls=len(calls),
        submitted=reached.submitted,
        state_done=reached.done,
        decisions=reached.sequence + 1,
        reprompts=0 if executed else reached.reprompts,
    )
    left = len(reached.world.turns) - reached.used
    return move(reached.world.arm, facts, answers=left)


def _said(now: Trajectory, found: Move) -> Said | None:
    if found.next == "user":
        return Said(by="user", text=now.world.turns[now.used])
    return Said(by="runtime", text=now.world.reprompt) if found.next == "runtime" else None


def _calls(turn: Turn) -> list[ValidCall | InvalidCall]:
    """In the order in which the model made them."""
    return sorted((*turn.valid, *turn.invalid), key=lambda call: call.index)


def _executed(
    world: World, state: TaskState, call: ValidCall | InvalidCall
) -> tuple[TaskState, CallDone]:
    if isinstance(call, InvalidCall):
        result = dumps({"status": "error", "error": call.problem})
        done = CallDone(
            call_id=call.call_id, tool=call.name, arguments=call.arguments, refused=INVALID,
            result=result,
        )  # fmt: skip
        return _seen(state), done
    args = dumps(dict(call.args))
    if _is_finish(world, call.name):
        result = dumps({"status": "ok"})
        return _seen(state), CallDone(
            call_id=call.call_id, tool=call.name, arguments=args, refused=None, result=result
        )
    found = execute(world.scenario, state, call.name, call.args)
    refused = None if found.refused is None else found.refused.value
    return found.state, CallDone(
        call_id=call.call_id, tool=call.name, arguments=args, refused=refused, result=found.result
    )


def _redone(world: World, state: TaskState, call: CallDone) -> TaskState:
    """State after a stored call, from the store itself: what it said then it says again."""
    if call.refused == INVALID or _is_finish(world, call.tool):
        return _seen(state)
    found = execute(world.scenario, state, call.tool, arguments_of(call))
    if found.result != call.result:
        raise DamageError(f"the store answers call {call.call_id} otherwise than is recorded")
    return found.state


def arguments_of(call: CallDone) -> dict[str, str]:
    """The parsed arguments of a call that reached the store. Raises `DamageError`."""
    try:
        found = loads(call.arguments)
    except ValueError as error:
        raise DamageError(f"call {call.call_id}: its arguments are not JSON") from error
    return dict(found)


def _seen(state: TaskState) -> TaskState:
    """A result that changed nothing was shown."""
    return state.model_copy(update={"last": Last.RESULT})


def _is_finish(world: World, tool: str) -> bool:
    known = {use.name for use in world.scenario.tools}
    return tool not in known and tool in {t.name for t in world.tools}


def _submits(world: World, call: CallDone) -> bool:
    return call.refused is None and _is_finish(world, call.tool)
