"""Playing a lane: every step stored once, whatever ends the process and whenever (SI-94, SI-98)."""

import asyncio
from pathlib import Path

import pytest

from draligned.progress.rollout import play as playing
from draligned.progress.rollout.arms import ARMS
from draligned.progress.rollout.play import Planned, planned, play
from draligned.progress.rollout.shelf import ended, trajectories
from draligned.progress.rollout.world import world
from draligned.schema.chat import ChatReply, ChatRequest
from draligned.schema.errors import ConfigError, DamageError, ProviderError, RateLimited
from draligned.schema.rollout import RolloutPart
from draligned.store.local import LocalStore
from draligned.store.protocol import Store
from draligned.study.claims import Claims
from draligned.study.work import WorkSummary
from tests.progress.rollout.acting import (
    CHECK,
    LANE,
    LOOK,
    ONE,
    SCENARIO,
    TWO,
    Scripted,
    Turn,
    cell_of,
    tag,
)

TURNS: list[Turn] = [
    LOOK, tag("needs_information"), CHECK, ONE, TWO, tag("completed"),
]  # fmt: skip
KEY = "progress/rollout/lanes/model-1/steps.jsonl"


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path)


@pytest.fixture(scope="module")
def cells() -> Planned:
    """Four arms of one scenario, two repetitions: 8 trajectories."""
    found = {}
    for arm in ("B1", "B2", "A", "A-matched"):
        for repetition in (1, 2):
            cell, here = cell_of(arm, repetition)
            found[cell.trajectory_id] = (cell, here)
    return found


async def on(store: Store, cells: Planned, model: object, limit: int | None = None) -> WorkSummary:
    return await play(
        store, Claims(store), LANE, cells, model, limit=limit, concurrency=3,  # type: ignore[arg-type]
        progress=lambda *_: None,
    )  # fmt: skip


async def test_every_call_is_made_once_and_its_owner_is_the_trajectory(
    store: LocalStore, cells: Planned
) -> None:
    model = Scripted(TURNS)
    assert (await on(store, cells, model)).done == 8
    assert len(model.asked) == len(set(model.asked)) == 8 * 6 - 4
    assert {owner for owner, _ in model.asked} == set(cells)
    assert {r.seed for r in model.shown} == {1, 2}
    assert (await on(store, cells, model)).done == 0
    assert len(model.asked) == 44


class Dies(Scripted):
    """A process that is killed when it has been asked so often: nothing after that is done."""

    def __init__(self, turns: list[Turn], after: int) -> None:
        super().__init__(turns)
        self.after = after

    async def complete(self, request: ChatRequest) -> ChatReply:
        if len(self.asked) >= self.after:
            raise asyncio.CancelledError
        return await super().complete(request)


async def test_a_kill_at_any_call_loses_and_doubles_nothing(tmp_path: Path, cells: Planned) -> None:
    """The same steps, to the byte, as of a lane that nobody killed; no stored reply is asked for
    again."""
    calm = LocalStore(tmp_path / "calm")
    await on(calm, cells, Scripted(TURNS))
    wanted = sorted((calm.get(KEY) or b"").splitlines())
    for after in range(0, 44, 3):
        store = LocalStore(tmp_path / str(after))
        dying = Dies(TURNS, after)
        with pytest.raises(asyncio.CancelledError):
            await on(store, cells, dying)
        model = Scripted(TURNS)
        await on(store, cells, model)
        assert sorted((store.get(KEY) or b"").splitlines()) == wanted
        assert len(model.asked) <= 44 - after + 3


async def test_a_line_that_a_kill_tore_is_set_aside_and_asked_again(
    store: LocalStore, cells: Planned
) -> None:
    await on(store, cells, Scripted(TURNS))
    file = store.path(KEY)
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    for keep in (1, 17, len(lines) - 1):
        torn = b"".join(lines[:keep]) + lines[keep][: len(lines[keep]) // 2]
        file.write_bytes(torn)
        model = Scripted(TURNS)
        await on(store, cells, model)
        assert sorted(file.read_bytes().splitlines()) == sorted(whole.splitlines())
        assert len(model.asked) == len(lines) - keep
    assert len(list(file.parent.glob("steps.jsonl.torn-*"))) == 3


async def test_a_step_that_is_lost_or_doubled_is_damage(store: LocalStore, cells: Planned) -> None:
    await on(store, cells, Scripted(TURNS))
    file = store.path(KEY)
    lines = file.read_bytes().splitlines(keepends=True)
    for broken in (lines[1:], [*lines, lines[0]], [*lines, lines[-1]]):
        file.write_bytes(b"".join(broken))
        with pytest.raises(DamageError, match="lost, doubled or out of order"):
            trajectories(store, LANE.model_key)


async def test_a_store_that_says_otherwise_than_is_recorded_is_damage(
    store: LocalStore, cells: Planned
) -> None:
    with pytest.raises(asyncio.CancelledError):
        await on(store, cells, Dies(TURNS, 20))
    file = store.path(KEY)
    file.write_bytes(file.read_bytes().replace("三楼南会议室".encode(), "别处".encode()))
    summary = await on(store, cells, Scripted(TURNS))
    assert any("answers call" in reason for reason in summary.reasons)


async def test_transport_is_final_only_after_a_reply(store: LocalStore, cells: Planned) -> None:
    """Out of reach before the first reply, a trajectory stays open; after one it is lost."""
    gone = ProviderError("gone")
    first = await on(store, cells, Scripted([gone]))
    assert (first.done, first.left_open) == (0, 8)
    assert trajectories(store, LANE.model_key) == {}
    await on(store, cells, Scripted([LOOK, gone]))
    ends = {ended(steps) for steps in trajectories(store, LANE.model_key).values()}
    assert ends == {"transport"}


@pytest.mark.parametrize(
    "error", [RateLimited("wait", status=429), ProviderError("wait", status=429)]
)
async def test_a_rate_limit_leaves_a_trajectory_open(
    store: LocalStore, cells: Planned, error: ProviderError
) -> None:
    summary = await on(store, cells, Scripted([LOOK, tag("needs_information"), error]))
    assert summary.done == 0
    assert {ended(steps) for steps in trajectories(store, LANE.model_key).values()} == {None}
    assert (await on(store, cells, Scripted(TURNS))).done == 8


async def test_another_model_that_answers_is_a_loss(store: LocalStore, cells: Planned) -> None:
    model = Scripted(TURNS)
    model.echo = "m-2"
    await on(store, cells, model)
    found = trajectories(store, LANE.model_key)
    assert {(ended(s), s[-1].detail) for s in found.values()} == {
        ("transport", "the provider says 'm-2' answered")
    }


async def test_begun_trajectories_come_first_and_a_limit_counts_trajectories(
    store: LocalStore, cells: Planned
) -> None:
    with pytest.raises(asyncio.CancelledError):
        await on(store, dict(reversed(cells.items())), Dies(TURNS, 3))
    begun = set(trajectories(store, LANE.model_key))
    assert begun.isdisjoint(list(cells)[: len(begun)])
    summary = await on(store, cells, Scripted(TURNS), limit=len(begun))
    assert (summary.done, summary.left_open) == (len(begun), 8 - len(begun))
    assert set(trajectories(store, LANE.model_key)) == begun


async def test_a_lane_that_another_plays_is_left_alone(store: LocalStore, cells: Planned) -> None:
    model = Scripted(TURNS)
    async with Claims(store).held("rollout-model-1") as mine:
        assert mine
        with pytest.raises(ConfigError, match="m: another process is running its rollout"):
            await on(store, cells, model)
    assert model.asked == []


def test_a_changed_world_opens_its_own_cells_again_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the agent meets is part of a cell's identity (SI-98)."""
    parts = [RolloutPart(arm=ARMS[a], lang="zh", repetitions=6) for a in ("B1", "B2")]
    before = set(planned(LANE, parts))
    assert len(before) == 12 * 6 * 2
    other = SCENARIO.missing.model_copy(update={"pattern": r"\d{4}-\d{2}-\d{2} \d{2}:00|.*14:30"})
    changed = SCENARIO.model_copy(update={"missing": other})

    def swapped(scenario, arm, lang):  # type: ignore[no-untyped-def]
        return world(changed if scenario is SCENARIO else scenario, arm, lang)

    monkeypatch.setattr(playing, "world", swapped)
    after = set(planned(LANE, parts))
    assert len(after) == len(before)
    assert len(before - after) == 12
