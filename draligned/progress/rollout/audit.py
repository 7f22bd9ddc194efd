"""Audits of the store: an audit set of calls with known verdicts, and recorded refusals (SI-98).

A refusal is suspect where the same call, read leniently, would have been executed: numbers as
text, the user's value with words around it, an identifier in other letters. Suspects are for a
person to judge. Whoever then mends the store raises `world.RULES`, which opens every cell again.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pandas as pd

from draligned.progress.rollout.play import Planned
from draligned.progress.rollout.shelf import Steps
from draligned.progress.rollout.trajectory import Trajectory, after, begun, resumed
from draligned.progress.scenarios import Scenario, ToolUse
from draligned.progress.state import Refusal, TaskState, execute, spoken
from draligned.schema.errors import DralignedError
from draligned.schema.rollout import CallDone, RolloutStep
from draligned.schema.strictjson import loads


class FalseVerdict(DralignedError):
    """The store gives a call of the audit set another verdict than the known one."""


class Known(NamedTuple):
    """One call of the audit set, made in the state that the calls before it left."""

    tool: str
    args: dict[str, str]
    verdict: Refusal | None


def audit_set(scenario: Scenario) -> tuple[Known, ...]:
    """Calls in order; what is refused changes nothing, so that the rest follows the script."""
    one, two, field = scenario.one, scenario.two, scenario.missing.field
    padded = {**one.args, field: f" {one.args[field]} "}
    short = {name: value for name, value in one.args.items() if name != field}
    key = scenario.identifier
    return (
        Known("no_such_tool", {}, Refusal.UNKNOWN_TOOL),
        Known(two.tool, two.args, Refusal.WRONG_IDENTIFIER),
        Known(scenario.lookup.tool, scenario.lookup.args, None),
        Known(scenario.check.tool, scenario.check.args, None),
        Known(one.tool, short, Refusal.MISSING_FIELD),
        Known(one.tool, {**one.args, field: "  "}, Refusal.MISSING_FIELD),
        Known(one.tool, {**one.args, "extra": "x"}, Refusal.UNKNOWN_FIELD),
        Known(one.tool, {**one.args, field: f"~{one.args[field]}~"}, Refusal.PATTERN),
        Known(one.tool, padded, None),
        Known(one.tool, one.args, Refusal.REPEATED),
        Known(two.tool, {**two.args, key: f"{two.args[key]}0"}, Refusal.WRONG_IDENTIFIER),
        Known(two.tool, two.args, None),
        Known(two.tool, two.args, Refusal.REPEATED),
        Known(scenario.lookup.tool, scenario.lookup.args, None),
    )


def require_verdicts(scenarios: Iterable[Scenario]) -> int:
    """Put the audit set to the store; how many calls. Raises `FalseVerdict` for the first that
    comes out otherwise than known."""
    number = 0
    for scenario in scenarios:
        state = spoken(TaskState(), said=True)
        for known in audit_set(scenario):
            found = execute(scenario, state, known.tool, known.args)
            if found.refused is not known.verdict:
                raise FalseVerdict(
                    f"{scenario.scenario_id}: {known.tool} comes to {found.refused}, "
                    f"not {known.verdict}"
                )
            state, number = found.state, number + 1
    return number


def rejections(found: Iterable[Steps], cells: Planned) -> pd.DataFrame:
    """One row a refused call, replayed through the store; `suspect` where a lenient reading would
    be executed. Raises `DamageError` where the store no longer says what is recorded."""
    rows = [row for steps in found for row in _refused(steps, cells)]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    keys = ["deployment", "arm", "scenario_id", "repetition", "sequence"]
    return frame.sort_values(keys, kind="stable", ignore_index=True)


_COLUMNS = [
    "arm", "deployment", "scenario_id", "repetition", "trajectory_id", "sequence", "tool",
    "arguments", "refused", "suspect", "outcome",
]  # fmt: skip


def _refused(steps: Steps, cells: Planned) -> Iterator[dict[str, object]]:
    cell, world = cells[steps[0].cell.trajectory_id]
    resumed(cell, world, steps)
    now = begun(cell, world)
    for step in steps:
        for call in step.calls:
            if call.refused is not None:
                yield _row(now, step, call, steps)
        now = after(now, step)


def _row(now: Trajectory, step: RolloutStep, call: CallDone, steps: Steps) -> dict[str, object]:
    outcome = steps[-1].outcome
    return {
        "arm": step.cell.arm, "deployment": step.cell.deployment,
        "scenario_id": step.cell.scenario_id, "repetition": step.cell.repetition,
        "trajectory_id": step.cell.trajectory_id, "sequence": step.sequence, "tool": call.tool,
        "arguments": call.arguments, "refused": call.refused,
        "suspect": is_suspect(now.world.scenario, now.state, call),
        "outcome": None if outcome is None else outcome.value,
    }  # fmt: skip


def is_suspect(scenario: Scenario, state: TaskState, call: CallDone) -> bool:
    """Whether a refused call would be executed if it were read leniently, in the state before its
    turn."""
    uses = (scenario.lookup, scenario.check, scenario.one, scenario.two)
    use = next((u for u in uses if u.tool == call.tool.strip().lower()), None)
    args = _read(call.arguments)
    if use is None or args is None:
        return False
    lenient = _lenient(scenario, use, args)
    return execute(scenario, state, use.tool, lenient).refused is None


def _read(arguments: str) -> dict[str, Any] | None:
    try:
        found = loads(arguments)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _lenient(scenario: Scenario, use: ToolUse, args: dict[str, Any]) -> dict[str, str]:
    said = {name: str(args[name]).strip() for name in use.fields if args.get(name) is not None}
    field, key = scenario.missing.field, scenario.identifier
    if field in said:
        held = re.search(scenario.missing.pattern, said[field])
        said[field] = held.group() if held else said[field]
    right = scenario.one.result[key]
    if use is scenario.two and right.lower() in said.get(key, "").lower():
        said[key] = right
    return said
