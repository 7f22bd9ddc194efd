"""Frozen histories: the script run through the state store up to a checkpoint (SI-9, SI-10, Q20).

Every duty-active history ends after a tool result. Scripted assistant turns carry no marker, the
same in every arm, so that no arm shows examples of what it asks for.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from draligned.progress.scenarios import Scenario, ToolUse
from draligned.progress.state import Last, TaskState, execute, spoken
from draligned.schema.chat import Message, ToolCall
from draligned.schema.errors import DesignError
from draligned.schema.progress import Point
from draligned.schema.strictjson import dumps, loads

Extra = Mapping[str, str]


class Moment(NamedTuple):
    """The history that a model is shown, without its system messages, and the state behind it."""

    messages: tuple[Message, ...]
    state: TaskState


def moment(scenario: Scenario, point: Point, extra: Extra | None = None) -> Moment:
    """The history of a checkpoint. `extra`: fields added to the last tool result, which say
    nothing of the state (SI-62, SI-64)."""
    if point is Point.SMALL_TALK:
        said = Message(role="user", text=scenario.script.small_talk)
        return Moment((said,), TaskState(last=Last.USER))
    messages: list[Message] = []
    for here, state, new in _walk(scenario):
        messages += new
        if here is point:
            return Moment((*messages[:-1], _with(messages[-1], extra or {})), state)
    raise DesignError(f"{scenario.scenario_id} has no checkpoint {point.value}")


Leg = tuple[Point, TaskState, list[Message]]


def _walk(scenario: Scenario) -> Iterator[Leg]:
    script, state = scenario.script, TaskState()
    state = spoken(state)
    state, called = _call(scenario, state, scenario.lookup, 1)
    yield Point.WAIT, state, [_user(script.request), *called]
    state = spoken(state, said=True)
    state, called = _call(scenario, state, scenario.check, 2)
    turns = [_agent(scenario.missing.asked), _user(scenario.missing.answer), *called]
    yield Point.READY, state, turns
    state = spoken(state, confirmed=True)
    yield Point.CALL, state, [_agent(script.confirm), _user(script.yes)]
    state, called = _call(scenario, state, scenario.one, 3)
    yield Point.STEP, state, called
    state = spoken(state, accepted=scenario.steps == 1)
    state, called = _call(scenario, state, scenario.two, 4)
    yield Point.DONE, state, [_agent(script.between), _user(script.go_on), *called]
    state = spoken(state)
    yield Point.POST_DONE, state, [_agent(script.report), _user(script.thanks)]


def _call(
    scenario: Scenario, state: TaskState, use: ToolUse, number: int
) -> tuple[TaskState, list[Message]]:
    call = ToolCall(call_id=f"call_{number}", name=use.tool, arguments=dumps(use.args))
    done = execute(scenario, state, use.tool, use.args)
    if done.refused is not None:
        raise DesignError(f"{scenario.scenario_id}: the script's {use.tool} is refused: "
                          f"{done.refused.value}")  # fmt: skip
    result = Message(role="tool", text=done.result, tool_call_id=call.call_id)
    return done.state, [Message(role="assistant", tool_calls=(call,)), result]


def _with(message: Message, extra: Extra) -> Message:
    if not extra:
        return message
    if message.role != "tool" or message.text is None:
        raise DesignError("fields are added to a tool result; this history ends with another turn")
    return message.model_copy(update={"text": dumps({**loads(message.text), **extra})})


def _user(text: str) -> Message:
    return Message(role="user", text=text)


def _agent(text: str) -> Message:
    return Message(role="assistant", text=text)
