"""Filling a lane: every planned position asked once, resumable, one process at a time."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from draligned.models.factory import close_models
from draligned.models.protocol import ChatModel
from draligned.progress.ask import NEEDED, PROBES, ask, probe
from draligned.progress.lanes import add_reply, iter_replies, mend, put_lane
from draligned.schema.base import short_id
from draligned.schema.errors import ConfigError, DralignedError, ProviderError, SpendLimit
from draligned.schema.progress import Lane, Position, StageDesign, Stimulus
from draligned.store.protocol import Store
from draligned.study.claims import Claims
from draligned.study.work import Progress, WorkSummary, reason_of, work_through

COMPLETE = 0.95
"""Share of planned positions with a reply below which a lane has no numbers (SI-45)."""


def positions(design: StageDesign, lane: Lane) -> tuple[Position, ...]:
    """Every planned position of a lane, shuffled by hash over cells and repetitions."""
    planned = (
        Position(
            design=design.name, deployment=lane.deployment, model_key=lane.model_key,
            stimulus_id=stimulus_id, repetition=repetition,
        )
        for stimulus_id in (s.stimulus_id for s in design.stimuli)
        for repetition in range(1, design.repetitions + 1)
    )  # fmt: skip
    return tuple(sorted(planned, key=lambda p: short_id("order", p.position_id)))


def open_positions(store: Store, design: StageDesign, lane: Lane) -> list[Position]:
    """Those without a reply yet."""
    there = {r.position.position_id for r in iter_replies(store, design.name, lane.model_key)}
    return [p for p in positions(design, lane) if p.position_id not in there]


async def precheck(store: Store, lane: Lane, model: ChatModel) -> Lane:
    """The lane with its probes, asked once a study and frozen (SI-44)."""
    probes = [await probe(model, lane, number) for number in range(1, PROBES + 1)]
    return put_lane(store, lane.model_copy(update={"probes": tuple(probes), "needed": NEEDED}))


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is to be done in one lane."""

    lane: Lane
    model: ChatModel
    """Who answers the precheck."""
    total: int
    """Cells of the lane."""
    work: Callable[[Lane], Awaitable[WorkSummary]]


async def through(
    store: Store, jobs: Sequence[Job], models: Iterable[ChatModel]
) -> dict[str, WorkSummary | None]:
    """One lane after the other, by deployment; at the end the connections of `models` are closed.

    None for a deployment that the precheck does not admit: nothing is asked of it.
    """
    try:
        return {job.lane.deployment: await _admitted(store, job) for job in jobs}
    finally:
        await close_models(models)


async def _admitted(store: Store, job: Job) -> WorkSummary | None:
    """What a job comes to, its lane prechecked first where it never was."""
    lane = job.lane
    if not lane.probes:
        try:
            lane = await precheck(store, lane, job.model)
        except (ProviderError, SpendLimit) as error:
            return unasked(job.total, error)
    return await job.work(lane) if lane.admitted else None


def unasked(total: int, error: DralignedError) -> WorkSummary:
    """A precheck that could not be done says nothing of identity: all stays open."""
    reasons = {f"precheck: {reason_of(error)}": total}
    return WorkSummary(done=0, left_open=total, stopped=None, reasons=reasons)


async def fill(
    store: Store,
    claims: Claims,
    design: StageDesign,
    lane: Lane,
    models: Mapping[str, ChatModel],
    *,
    limit: int | None,
    concurrency: int,
    progress: Progress,
) -> WorkSummary:
    """Ask the open positions of an admitted lane.

    `models` by level of the factor `thinking`, "" without one. Raises `ConfigError` where
    another process fills the lane.
    """
    cell = f"progress-{design.name}-{lane.model_key}"
    async with claims.held(cell) as mine:
        if not mine:
            raise ConfigError(f"{lane.deployment}: another process is filling {design.name}")
        mend(store, design.name, lane.model_key)
        still = open_positions(store, design, lane)
        stimuli = {s.stimulus_id: s for s in design.stimuli}
        todo = still[:limit]
        asked = await _ask_all(store, lane, todo, stimuli, models, concurrency, progress)
        return with_rest(asked, len(still) - len(todo), limit)


def with_rest(asked: WorkSummary, rest: int, limit: int | None) -> WorkSummary:
    """What lies beyond the limit is open too."""
    if not rest:
        return asked
    stopped = asked.stopped or f"the limit of {limit} is reached"
    return asked.model_copy(update={"left_open": asked.left_open + rest, "stopped": stopped})


async def _ask_all(
    store: Store,
    lane: Lane,
    todo: Sequence[Position],
    stimuli: Mapping[str, Stimulus],
    models: Mapping[str, ChatModel],
    concurrency: int,
    progress: Progress,
) -> WorkSummary:
    async def one(position: Position) -> None:
        stimulus = stimuli[position.stimulus_id]
        model = models[stimulus.factors.get("thinking", "")]
        add_reply(store, await ask(model, lane, stimulus, position))

    return await work_through(
        todo, one, concurrency=concurrency, progress=progress, label=lane.deployment
    )
