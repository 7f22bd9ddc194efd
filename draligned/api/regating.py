"""Gates applied after the fact to what a study has recorded: rollouts and research episodes."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from draligned.api.stage_tables import write_tables
from draligned.progress import lanes
from draligned.progress.regate import Recorded, gates_named, of_episode, of_rollout
from draligned.progress.rollout.shelf import ROLLOUT, ended, trajectories
from draligned.schema.errors import DamageError, InputError
from draligned.store.protocol import Store
from draligned.study.attempts import events_key, read_header
from draligned.study.inventory import cell_state
from draligned.study.log import read_events

if TYPE_CHECKING:
    import pandas as pd

REGATE = "regate"
"""Stands where a design has its name: progress/regate/tables/."""


def regate_study(store: Store, names: Sequence[str]) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """A row a record and gate, and counts; both are stored. Raises `ConfigError` for a gate that
    is none, `InputError` where nothing was recorded."""
    from draligned.progress.regate_tables import regate, summary

    gates = gates_named(names)
    frame = regate((*_rollouts(store), *_episodes(store)), gates)
    if frame.empty:
        raise InputError(
            "nothing was recorded here: no rollout and no research episode has ended; "
            "`draligned progress rollout` or `draligned run` comes first"
        )
    counted = summary(frame)
    write_tables(store, REGATE, {"records": frame, "gates": counted})
    return frame, counted


def _rollouts(store: Store) -> Iterator[Recorded]:
    """Ended trajectories of admitted deployments, those of earlier states of the package too."""
    for lane in lanes.load_lanes(store, ROLLOUT):
        if lane.admitted:
            found = trajectories(store, lane.model_key).values()
            yield from (
                of_rollout(steps, rehearsal=lane.rehearsal)
                for steps in found
                if ended(steps) is not None
            )


def _episodes(store: Store) -> Iterator[Recorded]:
    """Analysed attempts that have ended, in the order of their ids. Raises `DamageError`."""
    for run_id in store.folders("runs"):
        state = cell_state(store, run_id)
        if state.end is None or state.attempt is None:
            continue
        header = read_header(store, run_id, state.attempt)
        if header is None:
            raise DamageError(f"runs/{run_id}/a{state.attempt}/header.json is missing")
        events = read_events(store, events_key(run_id, state.attempt))
        yield of_episode(header, state.end.outcome.value, events)
