"""Limits per provider: at once, per minute, tokens per minute; waiting is told apart."""

import asyncio

import pytest

from draligned.models.encode import encode_request
from draligned.models.limits import Limiter
from draligned.models.tokens import estimate_tokens
from draligned.schema.config import AttemptPolicy, ModelConfig, ProviderConfig
from draligned.schema.errors import ProviderError

from .doubles import OK, FakeClock, Said, request, rig


async def starts(limiter: Limiter, clock: FakeClock, tokens: list[int]) -> list[float]:
    """When each of the calls is let through, one after the other."""
    out = []
    for n in tokens:
        async with limiter.slot(n) as slot:
            out.append(slot.started)
    return out


async def test_requests_per_minute_slide() -> None:
    clock = FakeClock()
    limiter = Limiter(concurrency=9, requests_per_minute=2, clock=clock)
    assert await starts(limiter, clock, [0] * 5) == [0, 0, 60, 60, 120]


async def test_tokens_per_minute_count_the_estimate() -> None:
    clock = FakeClock()
    limiter = Limiter(concurrency=9, tokens_per_minute=100, clock=clock)
    assert await starts(limiter, clock, [60, 40, 1]) == [0, 0, 60]


async def test_tokens_are_corrected_after_the_call() -> None:
    clock = FakeClock()
    limiter = Limiter(concurrency=9, tokens_per_minute=100, clock=clock)
    async with limiter.slot(90) as first:
        first.correct(10)
    async with limiter.slot(80) as second:
        assert second.waited_seconds == 0


async def test_a_call_over_the_whole_limit_goes_through_alone() -> None:
    clock = FakeClock()
    limiter = Limiter(concurrency=9, tokens_per_minute=100, clock=clock)
    assert await starts(limiter, clock, [500, 1]) == [0, 60]


async def test_waiting_is_recorded_apart_from_working() -> None:
    r = rig(OK, requests_per_minute=1)
    await r.model.complete(request())
    await r.model.complete(request())
    assert [a.waited_seconds for a in r.attempts] == [0, 60]
    assert [a.seconds for a in r.attempts] == [0, 0]


async def test_a_told_wait_holds_the_whole_provider_back() -> None:
    busy = Said(429, b"", {"Retry-After": "30"})
    r = rig(busy, OK, policy=AttemptPolicy(tries=1))
    with pytest.raises(ProviderError):
        await r.model.complete(request())
    await r.model.complete(request())
    assert [a.waited_seconds for a in r.attempts] == [0, 30]


async def test_the_client_corrects_its_estimate() -> None:
    config = ModelConfig(provider="p", model="wanted")
    sent = encode_request(request(), config, ProviderConfig(kind="rehearsal"))
    estimate = estimate_tokens(sent.body.decode())
    assert estimate > 10, "the reported usage must be smaller for this test to say anything"
    r = rig(OK, tokens_per_minute=estimate + 10)
    await r.model.complete(request())
    await r.model.complete(request())
    assert r.clock.now == 0


@pytest.mark.parametrize("limit", [1, 3])
async def test_no_more_calls_at_once_than_allowed(limit: int) -> None:
    r = rig(OK, concurrency=limit)
    seen, running = [], 0

    async def serving() -> None:
        nonlocal running
        running += 1
        seen.append(running)
        await asyncio.sleep(0.001)
        running -= 1

    r.provider.while_serving = serving
    await asyncio.gather(*(r.model.complete(request()) for _ in range(8)))
    assert max(seen) == limit
