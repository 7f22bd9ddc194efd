"""Stage tags of a study's episodes: read from the logs, made into tables."""

from typing import TYPE_CHECKING

from draligned.api.registers import excluded_of
from draligned.progress.duty import duty_turns
from draligned.progress.duty_tables import DutyRun, build
from draligned.study.attempts import events_key
from draligned.study.log import read_events

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.evaluating import Readings


def duty_runs(readings: "Readings") -> list[DutyRun]:
    """Ended runs of harnesses with the duty, controls among them, in the order of the plan.

    A run that failed or was cut off by a provider counts too: a call without a reply is one of
    its turns. Open runs do not, nor do those that corrections exclude.
    """
    asked = {b.harness.key for b in readings.plan.blocks if b.harness.progress_duty}
    without, store = excluded_of(readings).runs, readings.context.folder.store
    found = []
    for cell in readings.every_cell:
        state = readings.states[cell.run_id]
        if cell.run_id in without:
            continue
        if cell.harness_key in asked and state.end is not None and state.attempt is not None:
            events = read_events(store, events_key(cell.run_id, state.attempt))
            seen = readings.every_run.get(cell.run_id)
            found.append(
                DutyRun(
                    cell=cell,
                    state=state.state,
                    turns=duty_turns(events),
                    n_tags_stripped=None if seen is None else seen.n_tags_stripped,
                )
            )
    return found


def duty_tables(readings: "Readings") -> "dict[str, pd.DataFrame]":
    """The tables of tags; none where no harness of the study asks for any."""
    if not any(b.harness.progress_duty for b in readings.plan.blocks):
        return {}
    return build(duty_runs(readings))
