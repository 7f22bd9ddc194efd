"""Working through many cells at once: bounded, stopping cleanly, losing nothing."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from draligned.schema.base import Record
from draligned.schema.errors import (
    DralignedError,
    ProviderError,
    RateLimited,
    SpendLimit,
    UserError,
)
from draligned.schema.strictjson import visible
from draligned.study.collector import seldom_collecting

T = TypeVar("T")
HELD = "held by another process"
"""The reason of an item that another process works on."""
POLL_SECONDS = 0.5
MIN_STREAK = 8
"""So many failures in a row, at least, before a provider is given up."""
Progress = Callable[[str, int, int], None]
"""Told a label, how many are done, and of how many."""


class WorkSummary(Record):
    """What became of the items."""

    done: int
    left_open: int
    stopped: str | None
    """Why the work stopped early, if it did."""
    reasons: dict[str, int]
    """Why items were left open, counted."""
    failed: dict[str, int] = {}
    """Of those done: ends that are failures, counted by what happened."""


class Streak:
    """Failures of a provider in a row: after `limit` of them it is no use to go on."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._failed = 0
        self.broken: str | None = None
        """Why the work should stop, once it should."""

    def add(self, error: BaseException | None) -> None:
        """Count the end of one item."""
        if error is None:
            self._failed = 0
        elif isinstance(error, ProviderError) and not isinstance(error, RateLimited):
            self._failed += 1
            if self._failed >= self._limit:
                self.broken = visible(f"{self._failed} calls failed in a row; the last: {error}")


async def work_through(
    items: Sequence[T],
    do: Callable[[T], Awaitable[str | None]],
    *,
    concurrency: int,
    progress: Progress,
    label: str,
) -> WorkSummary:
    """Do every item, at most `concurrency` at once.

    `do` returns none when the item is done, or the reason why it stays open. Items that
    are `HELD` are asked about again until the other process has done them or let go. A
    `SpendLimit`, a `UserError`, an `OSError` (a full disk) and a provider that fails again
    and again stop the start of further items; `UserError` and `OSError` are raised after
    those under way have ended. Other errors leave the item open.
    """
    queue, held = list(reversed(items)), list[T]()
    reasons: Counter[str] = Counter()
    stop = _Stop(Streak(max(concurrency, MIN_STREAK)))
    done = 0

    async def worker() -> None:
        nonlocal done
        while (queue or held) and stop.why is None:
            item = queue.pop() if queue else await _later(held)
            reason = await _attempt(do, item, stop)
            if reason == HELD:
                held.append(item)
            elif reason is None:
                done += 1
            else:
                reasons[reason] += 1
            progress(label, done, len(items))

    progress(label, 0, len(items))
    with seldom_collecting():
        await asyncio.gather(*(worker() for _ in range(min(concurrency, len(items)))))
    if stop.error is not None:
        raise stop.error
    return WorkSummary(
        done=done,
        left_open=len(items) - done,
        stopped=stop.why,
        reasons=dict(sorted(reasons.items())),
    )


class _Stop:
    """Why no further item may start."""

    def __init__(self, streak: Streak) -> None:
        self._streak = streak
        self._limit: str | None = None
        self.error: Exception | None = None

    @property
    def why(self) -> str | None:
        """In words; none while the work may go on."""
        return str(self.error) if self.error else self._limit or self._streak.broken

    def add(self, error: Exception | None) -> None:
        """Note how an item ended."""
        self._streak.add(error)
        if isinstance(error, UserError | OSError):
            self.error = self.error or error
        elif isinstance(error, SpendLimit):
            self._limit = self._limit or str(error)


async def _later(held: list[T]) -> T:
    """The item held longest, after a while."""
    item = held.pop(0)
    await asyncio.sleep(POLL_SECONDS)
    return item


async def _attempt(do: Callable[[T], Awaitable[str | None]], item: T, stop: _Stop) -> str | None:
    try:
        reason = await do(item)
    except (DralignedError, OSError) as error:
        stop.add(error)
        return reason_of(error)
    stop.add(None)
    return reason


def reason_of(error: BaseException) -> str:
    """Why an item stays open, on one line that is the same for the same kind of failure."""
    name = "" if isinstance(error, DralignedError) else f"{type(error).__name__}: "
    return visible(f"{name}{error}")
