import errno

import pytest

from draligned.schema.errors import (
    ConfigError,
    DamageError,
    ProviderError,
    RateLimited,
    SpendLimit,
)
from draligned.study.work import MIN_STREAK, Streak, WorkSummary, reason_of, work_through


def quiet(_label: str, _done: int, _total: int) -> None:
    """Progress that nobody reads."""


async def through(count: int, error: Exception, *, good: int = 0) -> tuple[WorkSummary, int]:
    """Work through `count` items of which the first `good` succeed; how many were begun."""
    begun = 0

    async def do(item: int) -> None:
        nonlocal begun
        begun += 1
        if item >= good:
            raise error

    made = await work_through(range(count), do, concurrency=2, progress=quiet, label="x")
    return made, begun


async def test_a_provider_that_only_fails_is_given_up_soon() -> None:
    made, begun = await through(100, ProviderError("provider mine: no connection"))
    assert begun == MIN_STREAK
    assert made.stopped == "8 calls failed in a row; the last: provider mine: no connection"
    assert (made.done, made.left_open) == (0, 100)
    assert made.reasons == {"provider mine: no connection": MIN_STREAK}


@pytest.mark.parametrize("error", [DamageError("a file"), RateLimited("wait")])
async def test_other_failures_leave_their_items_open_and_go_on(error: Exception) -> None:
    made, begun = await through(20, error, good=5)
    assert begun == 20
    assert (made.done, made.left_open, made.stopped) == (5, 15, None)


async def test_a_success_between_failures_starts_the_count_anew() -> None:
    streak = Streak(2)
    for error in (ProviderError("x"), None, ProviderError("x")):
        streak.add(error)
    assert streak.broken is None
    streak.add(ProviderError("y"))
    assert streak.broken == "2 calls failed in a row; the last: y"


@pytest.mark.parametrize("error", [ConfigError("no key"), OSError(errno.ENOSPC, "full")])
async def test_what_the_user_must_mend_stops_the_work_and_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        await through(100, error, good=3)
    assert caught.value is error


def test_a_reason_says_what_kind_of_error_it_was_unless_it_is_ours() -> None:
    assert reason_of(DamageError("a file\nis wrong")) == "a file\\nis wrong"
    assert reason_of(OSError(errno.ENOSPC, "full")) == f"OSError: [Errno {errno.ENOSPC}] full"


async def test_a_spending_limit_stops_the_work_and_is_said() -> None:
    made, begun = await through(100, SpendLimit("10 tokens used"), good=3)
    assert begun <= 5
    assert made.stopped == "10 tokens used"
    assert made.left_open == 97
