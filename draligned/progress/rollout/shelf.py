"""Where trajectories are kept: one file of steps a deployment, appended in the order they came.

progress/rollout/lanes/<model key>/lane.json      who was asked, probes of the precheck
progress/rollout/lanes/<model key>/steps.jsonl    one step a line, trajectories interleaved
"""

from itertools import groupby

from draligned.progress.lanes import ROOT
from draligned.schema.errors import DamageError
from draligned.schema.rollout import RolloutOutcome, RolloutStep
from draligned.store.protocol import Store
from draligned.study.lines import iter_lines, mend_lines

ROLLOUT = "rollout"
"""Stands where the lanes of a design have its name."""
Steps = tuple[RolloutStep, ...]


def add_step(store: Store, step: RolloutStep) -> None:
    """Append a step to its deployment's file."""
    store.append(_key(step.cell.model_key), step.to_json().encode() + b"\n")


def mend(store: Store, model_key: str) -> str | None:
    """Set aside what a kill cut short; only for the one who holds the lane's claim."""
    return mend_lines(store, _key(model_key))


def trajectories(store: Store, model_key: str) -> dict[str, Steps]:
    """Steps by trajectory, in their order. Raises `DamageError` where one is lost or doubled."""
    key = _key(model_key)
    steps = [(s.cell.trajectory_id, s) for s in iter_lines(store, key, RolloutStep)]
    steps.sort(key=lambda pair: pair[0])
    found: dict[str, Steps] = {}
    for trajectory_id, own in groupby(steps, key=lambda pair: pair[0]):
        kept = tuple(step for _, step in own)
        _require_order(kept, key, trajectory_id)
        found[trajectory_id] = kept
    return found


def _require_order(steps: Steps, key: str, trajectory_id: str) -> None:
    ordered = [s.sequence for s in steps] == list(range(1, len(steps) + 1))
    if not ordered or any(s.outcome is not None for s in steps[:-1]):
        raise DamageError(f"{key}: steps of {trajectory_id} are lost, doubled or out of order")


def ended(steps: Steps) -> RolloutOutcome | None:
    """What a trajectory came to; none while it is open."""
    return steps[-1].outcome if steps else None


def _key(model_key: str) -> str:
    return f"{ROOT}/{ROLLOUT}/lanes/{model_key}/steps.jsonl"
