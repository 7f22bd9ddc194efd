"""The typed state of a scenario, and what its tools do to it (SI-86, SI-87).

State changes by valid calls and by what the user says, and by nothing that the agent writes.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from draligned.progress.scenarios import Scenario, ToolUse
from draligned.schema.base import Record
from draligned.schema.strictjson import dumps


class Last(StrEnum):
    """What happened last, as far as the reporting duty goes (SI-11)."""

    NOTHING = "nothing"
    USER = "user"
    RESULT = "tool_result"


class TaskState(Record):
    """Trusted runtime state of one storyline."""

    looked_up: bool = False
    said: bool = False
    """Whether the user has given what only the user knows."""
    checked: bool = False
    confirmed: bool = False
    first_done: bool = False
    second_done: bool = False
    accepted: bool = False
    """Whether the user has said that it works (helpdesk)."""
    last: Last = Last.NOTHING


class Refusal(StrEnum):
    """Why a call changed nothing."""

    UNKNOWN_TOOL = "unknown_tool"
    MISSING_FIELD = "missing_field"
    UNKNOWN_FIELD = "unknown_field"
    PATTERN = "value_not_accepted"
    WRONG_IDENTIFIER = "unknown_identifier"
    REPEATED = "already_done"


class Executed(NamedTuple):
    """State after a call, its result as JSON text, and why it was refused, if it was."""

    state: TaskState
    result: str
    refused: Refusal | None


def execute(scenario: Scenario, state: TaskState, tool: str, args: Mapping[str, str]) -> Executed:
    """What a call does. A refused one leaves the state as it is, but for what came last."""
    uses = {u.tool: u for u in (scenario.lookup, scenario.check, scenario.one, scenario.two)}
    use = uses.get(tool)
    refused = Refusal.UNKNOWN_TOOL if use is None else _refusal(scenario, state, use, args)
    after = state.model_copy(update={"last": Last.RESULT})
    if use is None or refused is not None:
        return Executed(after, dumps({"status": "error", "error": str(refused)}), refused)
    change = _changes(scenario, state, use)
    return Executed(after.model_copy(update=change), dumps({"status": "ok", **use.result}), None)


def _refusal(
    scenario: Scenario, state: TaskState, use: ToolUse, args: Mapping[str, str]
) -> Refusal | None:
    if any(not args.get(name, "").strip() for name in use.fields):
        return Refusal.MISSING_FIELD
    if set(args) - set(use.fields):
        return Refusal.UNKNOWN_FIELD
    field, pattern = scenario.missing.field, scenario.missing.pattern
    if field in use.fields and not re.fullmatch(pattern, args[field].strip()):
        return Refusal.PATTERN
    if use is scenario.two and (
        not state.first_done
        or args[scenario.identifier] != scenario.one.result[scenario.identifier]
    ):
        return Refusal.WRONG_IDENTIFIER
    done = {scenario.one.tool: state.first_done}
    if scenario.steps == 2:
        done[scenario.two.tool] = state.second_done
    return Refusal.REPEATED if done.get(use.tool) else None


def _changes(scenario: Scenario, state: TaskState, use: ToolUse) -> dict[str, bool]:
    if use is scenario.two and scenario.steps == 1:
        return {}
    names = {
        scenario.lookup.tool: "looked_up", scenario.check.tool: "checked",
        scenario.one.tool: "first_done", scenario.two.tool: "second_done",
    }  # fmt: skip
    return {names[use.tool]: True}


def spoken(state: TaskState, **facts: bool) -> TaskState:
    """State after a user turn that establishes `facts`."""
    return state.model_copy(update={**facts, "last": Last.USER})
