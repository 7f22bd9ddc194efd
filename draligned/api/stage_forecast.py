"""What `progress run` and `rollout` would ask and might cost, by what a lane has used so far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from draligned.api.context import Context
from draligned.models.factory import resolve_model
from draligned.progress import lanes
from draligned.progress.ask import PROBES
from draligned.progress.rollout.play import Planned
from draligned.progress.rollout.shelf import ended, trajectories
from draligned.schema.progress import Lane, StageDesign
from draligned.study.forecast import Asked, Forecast, forecast, used_by
from draligned.study.ledger import read_ledger


@dataclass(frozen=True, kw_only=True)
class _Open:
    """A lane, the owners of its finished work, and how much there is in all."""

    lane: Lane
    done: set[str]
    total: int


def forecast_of(context: Context, planned: Sequence[tuple[StageDesign, Lane]]) -> Forecast:
    """Open positions of each lane and their projected use; nothing is called or written.

    A lane that its precheck does not admit has nothing open. Tokens and cost stay unknown for
    a lane without replies.
    """
    store = context.folder.store

    def found() -> Iterator[_Open]:
        for known, lane in planned:
            replies = lanes.iter_replies(store, known.name, lane.model_key)
            done = {r.position.position_id for r in replies}
            yield _Open(lane=lane, done=done, total=len(known.stimuli) * known.repetitions)

    return _projected(context, list(found()))


def rollout_forecast(context: Context, planned: Sequence[tuple[Lane, Planned]]) -> Forecast:
    """The same for trajectories; those under way count as open."""
    found = []
    for lane, cells in planned:
        there = trajectories(context.folder.store, lane.model_key)
        done = {t for t in cells if ended(there.get(t, ())) is not None}
        found.append(_Open(lane=lane, done=done, total=len(cells)))
    return _projected(context, found)


def _projected(context: Context, found: Sequence[_Open]) -> Forecast:
    ledger = list(read_ledger(context.folder.store))
    asked = [
        Asked(
            model_name=part.lane.deployment,
            model=resolve_model(context.config, part.lane.deployment),
            open=0 if part.lane.probes and not part.lane.admitted else part.total - len(part.done),
            done=len(part.done),
            used=used_by(ledger, part.done),
        )
        for part in found
    ]
    made, new = forecast(asked, "progress"), sum(not part.lane.probes for part in found)
    probes = f"Beside these, {PROBES} probes of {new} deployment(s) come first." if new else None
    return replace(made, notes=(*made.notes, probes)) if probes else made
