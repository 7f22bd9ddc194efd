"""One run as it is on disk now, and what evaluators said of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from draligned.evaluators.orientation import ReadPlan
from draligned.evaluators.trajectories import read_trajectories, units_of
from draligned.schema.config import StudyConfig
from draligned.schema.design import Condition
from draligned.schema.errors import DralignedError, UserError
from draligned.schema.events import Event, RunHeader
from draligned.schema.labels import ReadRole
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import EvalUnit, ReadRecord
from draligned.schema.trajectory import Trajectory
from draligned.store.protocol import Store
from draligned.study.attempts import attempts_of, events_key, read_header
from draligned.study.config import read_config
from draligned.study.folder import StudyFolder
from draligned.study.log import read_so_far
from draligned.study.observe import load_observed
from draligned.study.plan import PlanEvaluator
from draligned.study.reads import read_key
from draligned.study.stored import stored
from draligned.view.index import RunRow, Snapshot


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """One run, as far as it has come."""

    row: RunRow
    condition: Condition
    attempt: int | None
    """The attempt shown; none where none was begun."""
    attempts: tuple[int, ...]
    header: RunHeader | None
    events: Sequence[Event]
    problem: str | None
    """What of the attempt cannot be read."""
    observed: ObservedRun | None
    """As evaluators and measures see it: only of the analysed attempt of a run that is done."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What one evaluator said of one run for one factor."""

    trajectory: Trajectory | None
    units: tuple[EvalUnit, ...]
    reads: tuple[ReadRecord, ...]
    problem: str | None = None
    """Why its reads cannot be put together."""

    def read(self, unit: EvalUnit, role: ReadRole) -> ReadRecord | None:
        """A read of a packet, if it was made."""
        return next(
            (r for r in self.reads if (r.packet_id, r.role) == (unit.packet_id, role)), None
        )


def load_run(folder: StudyFolder, now: Snapshot, row: RunRow, attempt: int | None = None) -> Loaded:
    """A run of the plan, in its analysed attempt (else the last one), or in the one asked for."""
    store = folder.store
    attempts = tuple(attempts_of(store, row.cell.run_id))
    if attempt not in attempts:
        attempt = row.attempt or (attempts[-1] if attempts else None)
    conditions = {c.condition_id: c for c in now.design.every_condition}
    condition = conditions[row.cell.condition_id]
    header, events, problem = None, list[Event](), row.problem or None
    if attempt is not None:
        events, torn = read_so_far(store, events_key(row.cell.run_id, attempt))
        header, problem = _header(store, row.cell.run_id, attempt, problem or torn)
    observed = None
    if attempt is not None and row.state == "done" and attempt == row.attempt:
        try:
            observed = load_observed(store, row.cell.run_id, attempt, condition)
        except DralignedError as error:
            problem = str(error)
    return Loaded(
        row=row,
        condition=condition,
        attempt=attempt,
        attempts=attempts,
        header=header,
        events=events,
        problem=problem,
        observed=observed,
    )


def _header(
    store: Store, run_id: str, attempt: int, problem: str | None
) -> tuple[RunHeader | None, str | None]:
    try:
        return read_header(store, run_id, attempt), problem
    except DralignedError as error:
        return None, str(error)


def settings(folder: StudyFolder) -> StudyConfig:
    """study.toml, or what it would say by default where it cannot be read."""
    try:
        return read_config(folder.store)
    except UserError:
        return StudyConfig()


def said_of(
    folder: StudyFolder,
    now: Snapshot,
    run: ObservedRun,
    factor_id: str,
    evaluator: PlanEvaluator,
) -> Said:
    """What an evaluator said of a run for a factor, so far."""
    config = settings(folder)
    mode = config.evaluate.request_mode
    units = units_of(run, factor_id, mode)
    reads = tuple(_reads(folder.store, units, evaluator.evaluator_id))
    plan = ReadPlan(
        seed=now.design.seed,
        mirrored=evaluator.mirrored,
        retest_share=config.evaluate.retest_share,
    )
    try:
        made = read_trajectories(
            [(run, factor_id)],
            reads,
            evaluator_id=evaluator.evaluator_id,
            evaluator=evaluator.name,
            plan=plan,
            mode=mode,
            policy=config.measure.unresolved_items,
        )
    except DralignedError as error:
        return Said(trajectory=None, units=units, reads=reads, problem=str(error))
    return Said(trajectory=made[0], units=units, reads=reads)


def _reads(store: Store, units: Sequence[EvalUnit], evaluator_id: str) -> Iterator[ReadRecord]:
    for unit in units:
        yield from reads_of_packet(store, evaluator_id, unit.packet_id)


def reads_of_packet(store: Store, evaluator_id: str, packet_id: str) -> Iterator[ReadRecord]:
    """The reads of one packet by one evaluator, in the order first, mirror, retest.

    Raises `DamageError` for a file that holds no read.
    """
    for role in ReadRole:
        key = read_key(evaluator_id, packet_id, role)
        data = store.get(key)
        if data is not None:
            yield stored(ReadRecord, data, key)
