"""What `progress run` would ask and might cost, from what earlier replies of a lane used."""

from collections.abc import Sequence
from dataclasses import replace

from draligned.api.context import Context
from draligned.models.factory import resolve_model
from draligned.progress import lanes
from draligned.progress.ask import PROBES
from draligned.schema.progress import Lane, StageDesign
from draligned.study.forecast import Asked, Forecast, forecast, used_by
from draligned.study.ledger import read_ledger


def forecast_of(context: Context, planned: Sequence[tuple[StageDesign, Lane]]) -> Forecast:
    """Open positions of each lane and their projected use; nothing is called or written.

    A lane that its precheck does not admit has nothing open. Tokens and cost stay unknown for
    a lane without replies.
    """
    store, asked, new = context.folder.store, [], 0
    ledger = list(read_ledger(store))
    for known, lane in planned:
        done = {
            r.position.position_id for r in lanes.iter_replies(store, known.name, lane.model_key)
        }
        shut = bool(lane.probes) and not lane.admitted
        new += not lane.probes
        total = len(known.stimuli) * known.repetitions
        asked.append(
            Asked(
                model_name=lane.deployment,
                model=resolve_model(context.config, lane.deployment),
                open=0 if shut else total - len(done),
                done=len(done),
                used=used_by(ledger, done),
            )
        )
    made = forecast(asked, "progress")
    probes = f"Beside these, {PROBES} probes of {new} deployment(s) come first." if new else None
    return replace(made, notes=(*made.notes, probes)) if probes else made
