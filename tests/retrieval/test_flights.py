"""One call in flight a key, whoever is cancelled."""

import asyncio

import pytest

from draligned.retrieval.flights import Flights, Landed


class Call:
    """A call that ends when it is let, and counts its beginnings."""

    def __init__(self) -> None:
        self.begun = self.cancelled = 0
        self.let = asyncio.Event()

    async def __call__(self) -> int:
        self.begun += 1
        try:
            await self.let.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return self.begun


async def settle() -> None:
    """Let everything that can run, run."""
    for _ in range(10):
        await asyncio.sleep(0)


async def aboard(flights: Flights[int], call: Call, n: int) -> "list[asyncio.Task[Landed[int]]]":
    """`n` askers of one key, waiting."""
    tasks = [asyncio.create_task(flights.share("k", call)) for _ in range(n)]
    await settle()
    return tasks


async def test_one_call_serves_all_and_one_of_them_began_it() -> None:
    flights, call = Flights[int](), Call()
    tasks = await aboard(flights, call, 5)
    call.let.set()
    landed = await asyncio.gather(*tasks)
    assert [one.value for one in landed] == [1] * 5
    assert sorted(one.began for one in landed) == [False] * 4 + [True]
    assert (await flights.share("k", call)).value == 2, "the next flight is a new one"


async def test_keys_do_not_wait_for_each_other() -> None:
    flights, slow, fast = Flights[int](), Call(), Call()
    waiting = await aboard(flights, slow, 1)
    fast.let.set()
    assert (await flights.share("other", fast)).value == 1
    assert not waiting[0].done()
    slow.let.set()
    await waiting[0]


@pytest.mark.parametrize("who", [0, 1, 2])
async def test_who_is_cancelled_leaves_the_flight_to_the_others(who: int) -> None:
    flights, call = Flights[int](), Call()
    tasks = await aboard(flights, call, 3)
    tasks[who].cancel()
    await settle()
    assert tasks[who].cancelled()
    call.let.set()
    rest = [task for n, task in enumerate(tasks) if n != who]
    assert [landed.value for landed in await asyncio.gather(*rest)] == [1, 1]
    assert (call.begun, call.cancelled) == (1, 0)


async def test_the_last_to_be_cancelled_ends_the_flight_and_waits_for_its_end() -> None:
    flights, call = Flights[int](), Call()
    tasks = await aboard(flights, call, 3)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (call.begun, call.cancelled) == (1, 1)
    call.let.set()
    assert (await flights.share("k", call)).value == 2, "a cancelled flight is no answer"


async def test_an_error_reaches_all_and_is_not_kept() -> None:
    flights, failed = Flights[int](), 0

    async def fail() -> int:
        nonlocal failed
        failed += 1
        await asyncio.sleep(0)
        raise ValueError("no")

    found = await asyncio.gather(
        *(flights.share("k", fail) for _ in range(4)), return_exceptions=True
    )
    assert [type(one) for one in found] == [ValueError] * 4
    with pytest.raises(ValueError, match="no"):
        await flights.share("k", fail)
    assert failed == 2
