"""One trajectory as text: what was said and done, what was true, how it ended."""

from collections.abc import Iterator

from draligned.api.context import Context
from draligned.api.stage_show import said
from draligned.progress import lanes
from draligned.progress.rollout.shelf import ROLLOUT, Steps, trajectories
from draligned.schema.errors import InputError
from draligned.schema.rollout import RolloutStep
from draligned.schema.strictjson import visible

_ALL = 1_000_000


def trajectory_lines(context: Context, beginning: str) -> tuple[str, ...]:
    """Lines about the trajectory whose id begins so, control characters escaped; none where no
    trajectory has such an id. Raises `InputError` where several have."""
    store = context.folder.store
    found = [
        steps
        for lane in lanes.load_lanes(store, ROLLOUT)
        for trajectory_id, steps in trajectories(store, lane.model_key).items()
        if trajectory_id.startswith(beginning)
    ]
    if not beginning or not found:
        return ()
    if len(found) > 1:
        raise InputError(f"{len(found)} trajectories have an id that begins with {beginning!r}")
    return tuple(visible(line, _ALL) for line in _lines(found[0]))


def _lines(steps: Steps) -> Iterator[str]:
    cell, last = steps[0].cell, steps[-1]
    yield f"trajectory {cell.trajectory_id}: gate {cell.arm}, {cell.deployment}"
    yield f"scenario {cell.scenario_id} ({cell.lang}), repetition {cell.repetition}"
    for step in steps:
        yield from _step(step)
    stop = "under way" if last.stop is None else f"stopped by {last.stop.value}"
    outcome = "none yet" if last.outcome is None else last.outcome.value
    yield f"outcome: {outcome} ({stop}); both steps done: {'yes' if last.done else 'no'}"


def _step(step: RolloutStep) -> Iterator[str]:
    due = "" if step.before.duty else ", not on a tool result"
    yield f"{step.sequence}. true: {step.before.stage.wire}{due}"
    yield from said("agent", None if step.message is None else step.message.text)
    for call in step.calls:
        yield f"  calls {call.tool} {call.arguments}"
        yield f"  {f'refused ({call.refused})' if call.refused else 'done'}: {call.result}"
    if step.said is not None:
        yield from said(step.said.by, step.said.text)
    if step.detail:
        yield f"  {step.detail}"
