"""Playing the trajectories of a lane: each step stored as it comes, one process at a time."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from draligned.models.protocol import ChatModel
from draligned.models.turn import take_turn
from draligned.progress.ask import MAX_OUTPUT_TOKENS, is_known, require_an_answer
from draligned.progress.filling import with_rest
from draligned.progress.rollout.arms import ARMS
from draligned.progress.rollout.shelf import Steps, add_step, ended, mend, trajectories
from draligned.progress.rollout.trajectory import Trajectory, after, lost, resumed, stepped
from draligned.progress.rollout.world import World, world
from draligned.progress.scenarios import load_scenarios
from draligned.schema.base import short_id
from draligned.schema.chat import CallKey, ChatRequest
from draligned.schema.errors import (
    BadResponse,
    ConfigError,
    ProviderError,
    RateLimited,
    RequestRefused,
)
from draligned.schema.progress import Lane
from draligned.schema.rollout import RolloutCell, RolloutPart, RolloutStep
from draligned.store.protocol import Store
from draligned.study.claims import Claims
from draligned.study.work import Progress, WorkSummary, work_through

REPETITIONS = 6
"""Of each scenario and arm (SI-94)."""
_TOO_MANY = 429
Planned = Mapping[str, tuple[RolloutCell, World]]


def worlds(part: RolloutPart) -> tuple[World, ...]:
    """What the cells of a part meet, as the package stands now."""
    arm = ARMS[part.arm.name]
    return tuple(world(scenario, arm, part.lang) for scenario in load_scenarios("main", part.lang))


def planned(lane: Lane, parts: Iterable[RolloutPart]) -> Planned:
    """Every cell of a lane by its trajectory's id, shuffled by hash over scenarios and arms."""
    found = {}
    for part in parts:
        for here, repetition in product(worlds(part), range(1, part.repetitions + 1)):
            cell = RolloutCell(
                arm=part.arm.name, scenario_id=here.scenario.scenario_id, lang=part.lang,
                repetition=repetition, deployment=lane.deployment, model_key=lane.model_key,
                world=here.key,
            )  # fmt: skip
            found[cell.trajectory_id] = (cell, here)
    return dict(sorted(found.items(), key=lambda item: short_id("order", item[0])))


async def play(
    store: Store,
    claims: Claims,
    lane: Lane,
    cells: Planned,
    model: ChatModel,
    *,
    limit: int | None,
    concurrency: int,
    progress: Progress,
) -> WorkSummary:
    """Go on with the open trajectories of an admitted lane, begun ones first.

    Raises `ConfigError` where another process plays the lane.
    """
    async with claims.held(f"rollout-{lane.model_key}") as mine:
        if not mine:
            raise ConfigError(f"{lane.deployment}: another process is running its rollout")
        mend(store, lane.model_key)
        there = trajectories(store, lane.model_key)
        open_ = [t for t in cells if ended(there.get(t, ())) is None]
        open_.sort(key=lambda t: t not in there)
        todo = open_[:limit]
        done = await _play_all(store, lane, todo, cells, there, model, concurrency, progress)
        return with_rest(done, len(open_) - len(todo), limit)


async def _play_all(
    store: Store,
    lane: Lane,
    todo: Sequence[str],
    cells: Planned,
    there: Mapping[str, Steps],
    model: ChatModel,
    concurrency: int,
    progress: Progress,
) -> WorkSummary:
    async def one(trajectory_id: str) -> None:
        cell, here = cells[trajectory_id]
        now = resumed(cell, here, there.get(trajectory_id, ()))
        while not now.ended:
            step = await _step(model, lane, now)
            add_step(store, step)
            now = after(now, step)

    return await work_through(
        todo, one, concurrency=concurrency, progress=progress, label=lane.deployment
    )


async def _step(model: ChatModel, lane: Lane, now: Trajectory) -> RolloutStep:
    """The next step. Raises `ProviderError` where the trajectory is to stay open: rate limits,
    settings, and a provider out of reach before the first reply."""
    request = ChatRequest(
        key=CallKey(owner=now.cell.trajectory_id, attempt=1, sequence=now.sequence + 1),
        messages=now.messages,
        tools=now.world.tools,
        max_output_tokens=MAX_OUTPUT_TOKENS,
        seed=now.cell.repetition,
    )
    try:
        turn = await take_turn(model, request)
    except RateLimited:
        raise
    except (RequestRefused, BadResponse) as error:
        require_an_answer(error)
        return lost(now, f"{type(error).__name__}: {error}")
    except ProviderError as error:
        if error.status == _TOO_MANY or now.sequence == 0:
            raise
        return lost(now, f"{type(error).__name__}: {error}")
    if not is_known(turn.reply, lane):
        return lost(now, f"the provider says {turn.reply.echoed_model!r} answered")
    return stepped(now, turn)
