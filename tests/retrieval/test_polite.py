"""Manners: places, pauses and waits, by a clock of the test's own and over a real connection."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest

from draligned.retrieval.address import AddressPolicy
from draligned.retrieval.polite import HostGate, Refused
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import ReturnStatus

from .web.cases import EN, html
from .web.loopback import reader_of, reply, serving

A = httpx.URL("http://a.example/")
B = httpx.URL("http://b.example/")
PAGE = reply(html(EN * 5).encode())


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self._sleeping: list[tuple[float, asyncio.Event]] = []

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        self._sleeping.append((self.now + seconds, woken))
        await woken.wait()

    async def run(self, *tasks: Awaitable[object]) -> None:
        running = [asyncio.ensure_future(task) for task in tasks]
        while True:
            for _ in range(20):
                await asyncio.sleep(0)
            if not self._sleeping:
                break
            self._sleeping.sort(key=lambda one: one[0])
            self.now, woken = self._sleeping.pop(0)
            woken.set()
        await asyncio.gather(*running)


def gate(clock: Clock, **settings: float) -> HostGate:
    config = ReadingConfig.model_validate({"delay_seconds": 1.0, "per_host": 2} | settings)
    return HostGate(AddressPolicy(), config, clock=lambda: clock.now, sleep=clock.sleep)


def visits(
    manners: HostGate, clock: Clock, starts: list[float], lasting: float
) -> Callable[[httpx.URL], Awaitable[None]]:
    async def visit(url: httpx.URL) -> None:
        async with manners.slot(url):
            starts.append(clock.now - 100.0)
            if lasting:
                await clock.sleep(lasting)

    return visit


async def test_requests_to_one_host_start_a_pause_apart() -> None:
    clock, starts = Clock(), list[float]()
    visit = visits(gate(clock), clock, starts, 0.0)
    await clock.run(*(visit(A) for _ in range(4)))
    assert starts == [0.0, 1.0, 2.0, 3.0]


async def test_hosts_do_not_wait_for_each_other_but_spellings_do() -> None:
    clock, starts = Clock(), list[float]()
    visit = visits(gate(clock), clock, starts, 0.0)
    await clock.run(visit(A), visit(B), visit(httpx.URL("https://A.example.:443/x")))
    assert starts == [0.0, 0.0, 1.0]


async def test_places_are_few() -> None:
    clock, starts = Clock(), list[float]()
    visit = visits(gate(clock, delay_seconds=0.0), clock, starts, 5.0)
    await clock.run(*(visit(A) for _ in range(5)))
    assert starts == [0.0, 0.0, 5.0, 5.0, 10.0]


async def test_a_wait_that_was_asked_for_is_kept() -> None:
    clock, starts = Clock(), list[float]()
    manners = gate(clock)
    visit = visits(manners, clock, starts, 0.0)
    manners.told_to_wait(A, 7.0)
    await manners.admit(A)
    await clock.run(visit(A), visit(B), visit(A))
    assert starts == [0.0, 7.0, 7.0] or starts == [0.0, 7.0, 8.0]


async def test_a_wait_above_the_cap_is_answered_at_once_until_it_is_over() -> None:
    clock = Clock()
    manners = gate(clock)
    manners.told_to_wait(A, 3_600.0)
    with pytest.raises(Refused, match="no request within 3600 s") as caught:
        await manners.admit(A)
    assert caught.value.status is ReturnStatus.RATE_LIMITED
    await manners.admit(B)
    clock.now += 3_571.0
    await manners.admit(A)


async def test_hosts_that_rest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("draligned.retrieval.polite._HOSTS", 10)
    clock = Clock()
    manners = gate(clock, delay_seconds=0.0)
    manners.told_to_wait(A, 3_600.0)
    for number in range(50):
        async with manners.slot(httpx.URL(f"http://h{number}.example/")):
            pass
        clock.now += 1.0
    assert len(manners._hosts) <= 11
    with pytest.raises(Refused):
        await manners.admit(A)


async def test_a_host_that_says_too_many_is_left_alone_for_that_long() -> None:
    busy = reply(b"", 429, "text/html", "Retry-After: 1000")
    async with serving({"/busy": busy, "/page": PAGE}) as site, reader_of(robots=False) as pages:
        first = await pages.read(site.url("/busy"))
        second = await pages.read(site.url("/page"))
    assert (first.status, first.detail) == (ReturnStatus.RATE_LIMITED, "HTTP 429")
    assert second.status is ReturnStatus.RATE_LIMITED
    assert "asks for no request" in second.detail
    assert site.asked == ["/busy"]


@pytest.mark.parametrize("said", ["0", "-5", "abc", "", "0.05"])
async def test_odd_waits_do_no_harm(said: str) -> None:
    busy = reply(b"", 503, "text/html", f"Retry-After: {said}")
    async with serving({"/busy": busy, "/page": PAGE}) as site, reader_of(robots=False) as pages:
        assert (await pages.read(site.url("/busy"))).status is ReturnStatus.ERROR
        assert (await pages.read(site.url("/page"))).status is ReturnStatus.OK


async def test_few_connections_at_once_and_an_honest_name() -> None:
    async with (
        serving({"/page": PAGE}) as site,
        reader_of(robots=False, per_host=2, user_agent="someone/2 (+https://a.example)") as pages,
    ):
        await asyncio.gather(*(pages.read(site.url("/page")) for _ in range(12)))
    assert site.most_open <= 3
    assert all(b"\r\nUser-Agent: someone/2 (+https://a.example)\r\n" in head for head in site.heads)


async def test_waiting_for_a_place_is_not_time_of_the_exchange() -> None:
    async with (
        serving({"/page": PAGE}) as site,
        reader_of(robots=False, per_host=1, delay_seconds=0.15, seconds=0.3) as pages,
    ):
        found = await asyncio.gather(*(pages.read(site.url("/page")) for _ in range(5)))
    assert {answer.status for answer in found} == {ReturnStatus.OK}
