"""Gates applied after the fact to what a study has recorded: rollouts and research episodes."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from draligned.api.stage_tables import read_table, write_tables
from draligned.progress import lanes
from draligned.progress.lanes import ROOT
from draligned.progress.regate import REPLAYED, Recorded, gates_named, of_episode, of_rollout
from draligned.progress.rollout.plan import parts
from draligned.progress.rollout.play import worlds
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
GATES = "gates"


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
    write_tables(store, REGATE, {"records": frame, GATES: counted})
    return frame, counted


def regated(store: Store) -> "pd.DataFrame | None":
    """Counts made anew under the gates of the stored table; none where there is none, or nothing
    counts any more."""
    if not _is_stored(store):
        return None
    names = set(read_table(store, REGATE, GATES)["gate"]) & set(REPLAYED)
    try:
        return regate_study(store, sorted(names))[1]
    except InputError:
        return None


def of_rehearsals(store: Store) -> bool:
    """Whether the stored counts hold rehearsals."""
    return _is_stored(store) and bool(read_table(store, REGATE, GATES)["rehearsal"].any())


def _is_stored(store: Store) -> bool:
    return store.exists(f"{ROOT}/{REGATE}/tables/{GATES}.parquet")


def _rollouts(store: Store) -> Iterator[Recorded]:
    """Ended trajectories of admitted deployments; superseded ones are in no number."""
    current = {here.key for part in parts(store) for here in worlds(part)}
    for lane in lanes.load_lanes(store, ROLLOUT):
        if lane.admitted:
            found = trajectories(store, lane.model_key).values()
            yield from (
                of_rollout(steps, rehearsal=lane.rehearsal)
                for steps in found
                if ended(steps) is not None and steps[0].cell.world in current
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
