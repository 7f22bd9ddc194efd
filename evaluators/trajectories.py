"""Trajectories of single runs straight from their reads, before any table is made."""

from collections.abc import Iterable

from draligned.evaluators.collect import collect
from draligned.evaluators.orientation import ReadPlan
from draligned.evaluators.packets import RequestMode, document_units, request_units
from draligned.evaluators.read_columns import as_columns
from draligned.measure.documents import Policy
from draligned.measure.trajectories import Asked, trajectories
from draligned.schema.frames import RUNS, empty
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import EvalUnit, ReadRecord
from draligned.schema.trajectory import Trajectory


def units_of(run: ObservedRun, factor_id: str, mode: RequestMode) -> tuple[EvalUnit, ...]:
    """The packets in which a run is read for a factor, each once."""
    found = (*request_units(run, factor_id, mode), *document_units(run, factor_id))
    return tuple({unit.packet_id: unit for unit in found}.values())


def read_trajectories(
    asked: Iterable[Asked],
    reads: Iterable[ReadRecord],
    *,
    evaluator_id: str,
    evaluator: str,
    plan: ReadPlan,
    mode: RequestMode = "whole_run",
    policy: Policy = "block_none",
) -> tuple[Trajectory, ...]:
    """Trajectories of runs in the order asked for, from the reads that are there.

    `reads` may hold more than these runs' (others are passed over) and less: what was not read
    is UNKNOWN. `plan` and `mode` are those by which `evaluator_id`, named `evaluator`, reads.
    Raises `InventoryError` for reads that are not of these packets as planned.
    """
    wanted = list(asked)
    units = {u.packet_id: u for run, factor in wanted for u in units_of(run, factor, mode)}
    mine = [r for r in reads if r.packet_id in units and r.evaluator_id == evaluator_id]
    factors: dict[str, list[str]] = {}
    for run, factor in wanted:
        factors.setdefault(run.run_id, []).append(factor)
    inputs = collect(
        runs_table=empty(RUNS),
        runs=[run for run, _ in wanted],
        units=units.values(),
        reads=map(as_columns, mine),
        evaluators={evaluator_id: evaluator},
        plan=plan,
        factors_of=lambda run: factors[run.run_id],
    )
    return trajectories(wanted, inputs, evaluator, units=units.values(), reads=mine, policy=policy)
