"""The pair scheduler: together, bounded, drawn order, nothing lost."""

import asyncio
from collections.abc import Callable

import pytest

from draligned.harnesses.pairs import CellResult, Launch, launch_order, run_cells
from draligned.schema.labels import Side
from draligned.study.inventory import RunCell


def cell(number: int, arm: Side) -> RunCell:
    return RunCell(
        run_id=f"{number:015d}{arm}",
        condition_id="c" * 16,
        task_id=str(number),
        user_id="User1",
        factor_id="f" * 16,
        arm=arm,
        model_name="m",
        model_key="k",
        harness_name="coupled",
        harness_key="h",
        environment="e",
        replicate=1,
    )


def pairs(number: int) -> list[RunCell]:
    """All P before all Q, as an inventory may list them."""
    return [cell(n, arm) for arm in Side for n in range(number)]


class Watch:
    """Counts what runs at once and notes which cells were running together at the start."""

    def __init__(self, work: Callable[[RunCell], str] = lambda c: c.run_id) -> None:
        self.work = work
        self.running: set[str] = set()
        self.most = 0
        self.twins_met: set[str] = set()

    async def run(self, c: RunCell) -> str:
        self.running.add(c.run_id)
        self.most = max(self.most, len(self.running))
        await asyncio.sleep(0)
        if c.run_id[:-1] + c.arm.other in self.running:
            self.twins_met.add(c.task_id)
        try:
            for _ in range(3 + int(c.task_id) % 4):
                await asyncio.sleep(0)
            return self.work(c)
        finally:
            self.running.discard(c.run_id)


@pytest.mark.parametrize(("concurrency", "most"), [(1, 2), (2, 2), (3, 3), (5, 5), (100, 20)])
async def test_pairs_start_together_and_concurrency_is_bounded(concurrency: int, most: int) -> None:
    watch, launches = Watch(), list[Launch]()
    results = await run_cells(
        pairs(10), watch.run, concurrency=concurrency, on_launch=launches.append
    )
    assert [r.cell for r in results] == pairs(10)
    assert all(r.value == r.cell.run_id for r in results)
    assert watch.most <= most
    assert watch.most >= 2
    assert watch.twins_met == {str(n) for n in range(10)}
    for first, second in zip(launches[::2], launches[1::2], strict=True):
        assert first.pair_id == second.pair_id
        assert (first.place, second.place) == (1, 2)
        assert {first.arm, second.arm} == set(Side)


def test_the_order_within_a_pair_is_drawn_and_lasting() -> None:
    orders = [launch_order([cell(n, Side.P), cell(n, Side.Q)]) for n in range(200)]
    again = [launch_order([cell(n, Side.Q), cell(n, Side.P)]) for n in range(200)]
    assert orders == again
    assert 70 < sum(o[0].arm is Side.P for o in orders) < 130


async def test_a_cell_whose_twin_is_done_starts_alone() -> None:
    launches: list[Launch] = []
    await run_cells([cell(1, Side.Q)], Watch().run, concurrency=2, on_launch=launches.append)
    assert [(x.place, x.started_with) for x in launches] == [(1, 1)]


async def test_a_failure_is_its_own_cells_result() -> None:
    def work(c: RunCell) -> str:
        if c.task_id == "1" and c.arm is Side.P:
            raise KeyError("lost")
        if c.task_id == "2":
            raise asyncio.CancelledError
        return "done"

    seen: list[CellResult[RunCell, str]] = []
    results = await run_cells(pairs(4), Watch(work).run, concurrency=4, progress=seen.append)
    failed = {r.cell.run_id: type(r.error) for r in results if r.error is not None}
    assert failed == {
        cell(1, Side.P).run_id: KeyError,
        cell(2, Side.P).run_id: asyncio.CancelledError,
        cell(2, Side.Q).run_id: asyncio.CancelledError,
    }
    assert sum(r.value == "done" for r in results) == 5
    assert len(seen) == 8


async def test_a_stop_lets_what_runs_finish_and_starts_no_more() -> None:
    done: list[str] = []

    def work(c: RunCell) -> str:
        done.append(c.run_id)
        return c.run_id

    results = await run_cells(
        pairs(10), Watch(work).run, concurrency=4, should_stop=lambda: len(done) >= 4
    )
    assert 4 <= len(results) < 20
    assert {r.cell.run_id for r in results} == set(done)
    assert len(results) % 2 == 0


async def test_cancelling_cancels_and_awaits_every_cell() -> None:
    watch, full = Watch(), asyncio.Event()

    async def forever(c: RunCell) -> str:
        watch.running.add(c.run_id)
        if len(watch.running) == 4:
            full.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            watch.running.discard(c.run_id)
        return ""

    task = asyncio.create_task(run_cells(pairs(5), forever, concurrency=4))
    await full.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert watch.running == set()


async def test_an_error_of_a_callback_is_raised_as_itself_once_all_cells_are_awaited() -> None:
    watch, launches = Watch(), list[Launch]()

    def note(launch: Launch) -> None:
        if len(launches) == 4:
            raise OSError(28, "No space left on device")
        launches.append(launch)

    with pytest.raises(OSError, match="No space"):
        await run_cells(pairs(5), watch.run, concurrency=20, on_launch=note)
    assert watch.running == set()
