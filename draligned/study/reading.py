"""What has been observed of a study: ended runs, and which runs could be read at all."""

from collections.abc import Mapping

import pandas as pd

from draligned.schema.design import Condition, Design
from draligned.schema.frames import RUNS
from draligned.schema.labels import Channel, Observes
from draligned.schema.observed import ObservedRun
from draligned.store.protocol import Store
from draligned.study.inventory import CellState, RunCell
from draligned.study.observe import load_observed


def observed_runs(
    store: Store,
    design: Design,
    cells: tuple[RunCell, ...],
    states: Mapping[str, CellState],
) -> tuple[ObservedRun, ...]:
    """The analysed attempts of all ended runs that are `done`, in the order of the cells."""
    conditions: dict[str, Condition] = {c.condition_id: c for c in design.every_condition}
    out = []
    for cell in cells:
        state = states[cell.run_id]
        if state.state == "done" and state.attempt is not None:
            condition = conditions[cell.condition_id]
            out.append(load_observed(store, cell.run_id, state.attempt, condition))
    return tuple(out)


def runs_table(
    cells: tuple[RunCell, ...],
    states: Mapping[str, CellState],
    observed: Mapping[str, ObservedRun],
) -> pd.DataFrame:
    """`frames.RUNS`: one row per planned run, whatever became of it."""
    rows = [_row(cell, states[cell.run_id], observed.get(cell.run_id)) for cell in cells]
    table = pd.DataFrame(rows, columns=list(RUNS), dtype=object)
    return table.sort_values("run_id", ignore_index=True)


def _row(cell: RunCell, state: CellState, run: ObservedRun | None) -> dict[str, object]:
    return {
        "run_id": cell.run_id,
        "task_id": cell.task_id,
        "user_id": cell.user_id,
        "factor_id": cell.factor_id,
        "arm": cell.arm.value,
        "model": cell.model_name,
        "harness": cell.harness_name,
        "environment": cell.environment,
        "replicate": cell.replicate,
        "state": state.state,
        "outcome": state.end.outcome.value if state.end else None,
        "observes_a": _observes(run, Channel.ACQUISITION),
        "observes_w": _observes(run, Channel.WORKSPACE),
        "observes_f": _observes(run, Channel.FINALIZATION),
        "development": cell.development,
        "submits_saved": cell.submits_saved,
        **_delegation(cell, run),
    }


def _delegation(cell: RunCell, run: ObservedRun | None) -> dict[str, object]:
    """Offered is a fact of the harness, invoked one of the run; requests inside count (DR-25)."""
    if run is None:
        unseen = dict.fromkeys(("delegations", *_COUNTED), None)
        return {"delegation_offered": cell.delegation_offered, **unseen}
    offered = {
        "delegation_offered": run.delegation_offered or cell.delegation_offered,
        "delegations": run.delegations,
    }
    if run.observes.get(Channel.ACQUISITION) is not Observes.FULL and not run.requests:
        return offered | dict.fromkeys(_COUNTED, None)
    return offered | {
        "requests": len(run.requests),
        "requests_delegated": sum(r.parent is not None for r in run.requests),
        "last_request_seq": max((r.seq for r in run.requests), default=None),
    }


_COUNTED = ("requests", "requests_delegated", "last_request_seq")


def _observes(run: ObservedRun | None, channel: Channel) -> str:
    """How far a channel was observed; nothing is observed of a run that is not `done`."""
    found = run.observes.get(channel) if run else None
    return (found or Observes.NONE).value
