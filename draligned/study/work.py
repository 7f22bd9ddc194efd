"""Working through many cells at once: bounded, stopping cleanly, losing nothing."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from draligned.schema.base import Record
from draligned.schema.errors import DralignedError, SpendLimit, UserError
from draligned.schema.strictjson import visible

T = TypeVar("T")
HELD = "held by another process"
"""The reason of an item that another process works on."""
POLL_SECONDS = 0.5
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
    `SpendLimit` or a `UserError` stops the start of further items; a `UserError`
    is raised after those under way have ended. Other errors leave the item open.
    """
    queue, held = list(reversed(items)), list[T]()
    reasons: Counter[str] = Counter()
    fatal: list[Exception] = []
    done = 0

    async def worker() -> None:
        nonlocal done
        while (queue or held) and not fatal:
            item = queue.pop() if queue else await _later(held)
            reason = await _attempt(do, item, fatal)
            if reason == HELD:
                held.append(item)
            elif reason is None:
                done += 1
            else:
                reasons[reason] += 1
            progress(label, done, len(items))

    progress(label, 0, len(items))
    await asyncio.gather(*(worker() for _ in range(min(concurrency, len(items)))))
    for error in fatal:
        if isinstance(error, UserError):
            raise error
    return WorkSummary(
        done=done,
        left_open=len(items) - done,
        stopped=str(fatal[0]) if fatal else None,
        reasons=dict(sorted(reasons.items())),
    )


async def _later(held: list[T]) -> T:
    """The item held longest, after a while."""
    item = held.pop(0)
    await asyncio.sleep(POLL_SECONDS)
    return item


async def _attempt(
    do: Callable[[T], Awaitable[str | None]], item: T, fatal: list[Exception]
) -> str | None:
    try:
        return await do(item)
    except (SpendLimit, UserError) as error:
        fatal.append(error)
        return visible(str(error))
    except DralignedError as error:
        return visible(f"{type(error).__name__}: {error}")
