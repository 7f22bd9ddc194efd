"""The one retry owner, through a scripted provider (HARD_CASES 5, 6)."""

import pytest

from draligned.models.clock import SystemClock
from draligned.models.retry import Failed, RetryOwner
from draligned.schema.chat import CallKey
from draligned.schema.config import AttemptPolicy
from draligned.schema.errors import BadResponse, ProviderError, RateLimited, RequestRefused

from .doubles import OK, Said, request, rig

BUSY = Said(429, b'{"error": {"message": "slow down"}}')


def busy(retry_after: str) -> Said:
    return Said(429, BUSY.body, {"Retry-After": retry_after})


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_passing_failures_are_tried_again(status: int) -> None:
    r = rig(Said(status, b"<html>busy</html>"), OK)
    assert (await r.model.complete(request())).message.text == "fine"
    assert [a.try_no for a in r.attempts] == [1, 2]
    assert r.attempts[0].http_status == status
    assert r.attempts[0].usage is None
    assert r.attempts[1].outcome == "ok"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 451])
async def test_refusals_are_never_tried_again(status: int) -> None:
    r = rig(Said(status, b'{"error": {"message": "no"}}'), OK)
    with pytest.raises(RequestRefused) as caught:
        await r.model.complete(request())
    assert caught.value.status == status
    assert len(r.provider.bodies) == 1
    assert r.clock.sleeps == []


@pytest.mark.parametrize("header", ["75", "Wed, 07 Jan 2026 12:01:15 GMT"])
async def test_it_waits_as_told(header: str) -> None:
    r = rig(busy(header), OK)
    await r.model.complete(request())
    assert r.clock.now == pytest.approx(75)
    assert [a.waited_seconds for a in r.attempts] == pytest.approx([0, 75])
    assert [a.seconds for a in r.attempts] == [0, 0]


@pytest.mark.parametrize("header", ["0", "-5", "abc"])
async def test_a_senseless_wait_falls_back_to_back_off(header: str) -> None:
    told, untold = rig(busy(header), OK), rig(BUSY, OK)
    await told.model.complete(request())
    await untold.model.complete(request())
    assert told.clock.sleeps == untold.clock.sleeps
    assert 0.5 <= told.clock.sleeps[0] <= 1.0


@pytest.mark.parametrize("status", [429, 503])
async def test_a_wait_over_the_cap_leaves_the_cell_open(status: int) -> None:
    r = rig(Said(status, b"", {"Retry-After": "99999"}), OK)
    with pytest.raises(RateLimited, match="99999 s, over the cap of 120 s"):
        await r.model.complete(request())
    assert len(r.attempts) == 1
    assert r.clock.sleeps == []


async def test_a_429_that_outlives_the_policy_is_no_open_cell() -> None:
    r = rig(BUSY)
    with pytest.raises(ProviderError, match=r"slow down.*after 4 tries") as caught:
        await r.model.complete(request())
    assert type(caught.value) is ProviderError
    assert caught.value.status == 429
    assert len(r.attempts) == 4


@pytest.mark.parametrize(
    "said",
    [Said(402, b"pay"), Said(429, b'{"error": {"code": "insufficient_quota", "message": "x"}}')],
)
async def test_no_credit_left_leaves_the_cell_open_at_once(said: Said) -> None:
    r = rig(said, OK)
    with pytest.raises(RateLimited, match="no credit left"):
        await r.model.complete(request())
    assert len(r.attempts) == 1


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"unsupported model: x", "unsupported model: x"),
        (b"", "empty body"),
        (b"<html>\x1b[31mhi", r"<html>\\x1b\[31mhi"),
        (b'{"error": {"message": "overloaded"}}', "overloaded"),
        (b"[1, 2]", "not a JSON object"),
        (b'{"choices": []}', "no message"),
    ],
)
async def test_a_200_that_is_no_completion(body: bytes, shown: str) -> None:
    r = rig(Said(200, body), policy=AttemptPolicy(tries=2))
    with pytest.raises(BadResponse, match=shown):
        await r.model.complete(request())
    assert [a.outcome for a in r.attempts] == ["bad_response"] * 2
    assert [a.http_status for a in r.attempts] == [200, 200]


async def test_a_502_page_is_shown_as_text_and_tried_again() -> None:
    r = rig(Said(502, b"<html>\n<h1>Bad Gateway</h1>"), OK)
    await r.model.complete(request())
    assert r.attempts[0].outcome == "server_error"
    assert r"<html>\n<h1>Bad Gateway" in r.attempts[0].detail


def test_back_off_doubles_to_its_cap_and_is_the_same_every_time() -> None:
    policy = AttemptPolicy(tries=9, backoff_seconds=2, backoff_cap_seconds=10)
    owner = RetryOwner(policy=policy, clock=SystemClock())
    failed = Failed(kind="server_error", status=500, detail="")
    key = CallKey(owner="r", attempt=1, sequence=4)
    waits = [owner.wait_before(failed, key, n) for n in (1, 2, 3, 4, 500)]
    assert waits == [owner.wait_before(failed, key, n) for n in (1, 2, 3, 4, 500)]
    for wait, step in zip(waits, (2, 4, 8, 10, 10), strict=True):
        assert step / 2 <= wait <= step
    other = owner.wait_before(failed, CallKey(owner="r", attempt=1, sequence=5), 1)
    assert other != waits[0]
