"""The pair scheduler: P and Q of a pair start together, in an order drawn by hash (DR-45)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from draligned.schema.base import short_id, unit_draw
from draligned.schema.labels import Side
from draligned.study.collector import seldom_collecting


class PairCell(Protocol):
    """What the scheduler must know of a planned run."""

    @property
    def run_id(self) -> str:
        """Identity of the run."""
        ...

    @property
    def arm(self) -> Side:
        """Its side of the primary factor."""
        ...

    @property
    def pair(self) -> tuple[str, ...]:
        """Task, factor, model, harness, environment and replicate: what P and Q share."""
        ...


C = TypeVar("C", bound=PairCell)
R = TypeVar("R")


class Launch(NamedTuple):
    """One start, for the launch log; whoever records it adds the time."""

    pair_id: str
    run_id: str
    arm: Side
    place: int
    """1 for the first of the pair, 2 for the second."""
    started_with: int
    """How many cells of the pair started in this moment: 2, or 1 when its twin was done."""


@dataclass(frozen=True, kw_only=True)
class CellResult(Generic[C, R]):
    """What running one cell brought: a value, or the error that it raised."""

    cell: C
    value: R | None
    error: BaseException | None


class _Slots:
    """Free places; one taker, many givers."""

    def __init__(self, total: int) -> None:
        self._free = total
        self._given = asyncio.Event()

    async def take(self, number: int) -> None:
        while self._free < number:
            self._given.clear()
            await self._given.wait()
        self._free -= number

    def give(self) -> None:
        self._free += 1
        self._given.set()


def pair_id(cell: PairCell) -> str:
    """Identity of the pair a cell belongs to."""
    return short_id("pair", *cell.pair)


def launch_order(cells: Iterable[C]) -> list[C]:
    """Cells of one pair in the order drawn by hash of the pair's id."""
    return sorted(cells, key=lambda c: unit_draw("launch", pair_id(c), c.arm, c.run_id))


async def run_cells(
    cells: Sequence[C],
    run_one: Callable[[C], Awaitable[R]],
    *,
    concurrency: int,
    progress: Callable[[CellResult[C, R]], None] | None = None,
    on_launch: Callable[[Launch], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[CellResult[C, R], ...]:
    """Run cells, at most `concurrency` episodes at once, pairs in the order given.

    Since the cells of a pair always start together, two may run even where
    `concurrency` is 1. An error of one cell becomes its result and never reaches
    another. `should_stop` is asked before each pair: a spending limit stops new starts
    and lets running episodes come to their own stop. Results cover launched cells, in
    the order of `cells`. Cancellation, and an error of a callback, cancel and await every
    running cell and are then raised.
    """
    results: dict[str, CellResult[C, R]] = {}
    slots = _Slots(max(concurrency, 2))

    async def one(cell: C) -> None:
        try:
            result = await _guarded(cell, run_one)
        finally:
            slots.give()
        results[cell.run_id] = result
        if progress is not None:
            progress(result)

    try:
        with seldom_collecting():
            async with asyncio.TaskGroup() as running:
                for group in _pairs(cells):
                    await slots.take(len(group))
                    if should_stop is not None and should_stop():
                        break
                    for launch, cell in _launches(group):
                        if on_launch is not None:
                            on_launch(launch)
                        running.create_task(one(cell))
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    return tuple(results[c.run_id] for c in cells if c.run_id in results)


def _pairs(cells: Sequence[C]) -> list[list[C]]:
    """Cells by pair, pairs in the order of their first cell; never more than two together."""
    groups: dict[tuple[tuple[str, ...], int], list[C]] = {}
    seen: dict[tuple[tuple[str, ...], Side], int] = {}
    for cell in cells:
        nth = seen[cell.pair, cell.arm] = seen.get((cell.pair, cell.arm), 0) + 1
        groups.setdefault((cell.pair, nth), []).append(cell)
    return list(groups.values())


def _launches(group: Sequence[C]) -> list[tuple[Launch, C]]:
    return [
        (Launch(pair_id(cell), cell.run_id, cell.arm, place, len(group)), cell)
        for place, cell in enumerate(launch_order(group), start=1)
    ]


async def _guarded(cell: C, run_one: Callable[[C], Awaitable[R]]) -> CellResult[C, R]:
    """Run one cell; a cancellation that comes from inside it is its own failure."""
    try:
        return CellResult(cell=cell, value=await run_one(cell), error=None)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return CellResult(cell=cell, value=None, error=error)
    except Exception as error:
        return CellResult(cell=cell, value=None, error=error)
