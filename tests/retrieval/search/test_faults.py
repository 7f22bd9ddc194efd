"""Whatever a provider, a proxy or a broken line may send, through the real client."""

import gzip
import json
from typing import Any

import pytest

from draligned.schema.errors import ConfigError
from draligned.schema.retrieval import ReturnStatus

from .doubles import KEY, KINDS, VARIABLE, around, found, http, searching

ERROR, BLOCKED = ReturnStatus.ERROR, ReturnStatus.BLOCKED
LIMITED, REFUSED = ReturnStatus.RATE_LIMITED, ReturnStatus.REFUSED
CAPTCHA = "<html><body>Please complete the captcha</body></html>"
HTML = {"Content_Type": "text/html; charset=utf-8"}
GOOD = ("t", "https://example.org/", "s")

pytestmark = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def bomb() -> bytes:
    packed = gzip.compress(b"[" * 60_000_000, 9)
    return http(packed, Content_Encoding="gzip", Content_Type="application/json")


def twice() -> bytes:
    packed = gzip.compress(gzip.compress(b" " * 30_000_000, 9), 9)
    return http(packed, Content_Encoding="gzip, gzip")


def two_answers() -> str:
    """Every list that a provider may give, once empty and once not."""
    hits = '[{"title": "t", "url": "https://a.example/", "link": "https://a.example/"}]'
    both = f'"results": [], "results": {hits}'
    return f'{{{both}, "organic": [], "organic": {hits}, "type": "search", "web": {{{both}}}}}'


FAULTS: dict[str, tuple[bytes | None, ReturnStatus]] = {
    "captcha with 200": (http(CAPTCHA, **HTML), BLOCKED),
    "captcha said to be JSON": (http(CAPTCHA, Content_Type="application/json"), BLOCKED),
    "challenge with 403": (http(CAPTCHA, 403, **HTML), BLOCKED),
    "challenge with 503": (http(CAPTCHA, 503, **HTML), BLOCKED),
    "202": (http({"status": "queued"}, 202), BLOCKED),
    "204": (http(b"", 204), ERROR),
    "empty body": (http(b""), ERROR),
    "plain text": (http("unsupported"), ERROR),
    "a number": (http("7"), ERROR),
    "null": (http("null"), ERROR),
    "a list": (http("[]"), ERROR),
    "another shape": (http({"items": []}), ERROR),
    "cut JSON": (http('{"results": ['), ERROR),
    "cut body": (http('{"results": []}', length=900), ERROR),
    "no HTTP": (b"hello\r\n\r\n", ERROR),
    "silence": (b"", ERROR),
    "wrong gzip": (http(b"no gzip", Content_Encoding="gzip"), ERROR),
    "unasked coding": (http(b"{}", Content_Encoding="br"), ERROR),
    "bomb": (bomb(), ERROR),
    "bomb in a bomb": (twice(), ERROR),
    "huge": (http(b"[" + b" " * 3_000_000 + b"]"), ERROR),
    "nested": (http("[" * 100_000), ERROR),
    "a key twice": (http(two_answers()), ERROR),
    "error in a 200": (http({"error": "internal"}), ERROR),
    "rate limit in a 200": (http({"error": {"message": "Too many requests"}}), LIMITED),
    "429": (http({"message": "slow down"}, 429), LIMITED),
    "429 as HTML": (http("<h1>429</h1>", 429, **HTML), LIMITED),
    "500": (http("<h1>oops</h1>", 500, **HTML), ERROR),
    "502": (http("bad gateway", 502), ERROR),
    "408": (http(b"", 408), ERROR),
    "query too long": (http({"detail": {"error": "Query is too long."}}, 400), REFUSED),
    "422 of q": (http({"detail": [{"loc": ["query", "q"], "msg": "max 400"}]}, 422), REFUSED),
    "414": (http("URI too long", 414), REFUSED),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_has_its_own_outcome_and_is_never_empty(kind: str, fault: str) -> None:
    answer, status = FAULTS[fault]
    async with searching(kind, answer, http(found(kind, GOOD))) as (backend, _):
        outcome = await backend.search("茶")
        assert (outcome.status, outcome.hits) == (status, ())
        assert outcome.detail
        assert outcome.detail.isprintable()
        assert len(outcome.detail) < 450
        assert (await backend.search("茶")).status is ReturnStatus.OK


@pytest.mark.parametrize("fault", ["huge", "bomb", "bomb in a bomb"])
async def test_a_cap_that_is_reached_is_said(kind: str, fault: str) -> None:
    async with searching(kind, FAULTS[fault][0]) as (backend, _):
        outcome = await backend.search("茶")
    assert (outcome.detail, outcome.http_status) == ("the answer exceeds the size limit", 200)


async def test_silence_ends_with_the_time_allowed(kind: str) -> None:
    async with searching(kind, None, timeout_seconds=0.1) as (backend, _):
        outcome = await backend.search("茶")
    assert (outcome.status, outcome.timed_out) == (ERROR, True)
    assert "within 0.1 s" in outcome.detail


async def test_nobody_there(kind: str) -> None:
    async with searching(kind, b"") as (backend, _):
        pass
    assert (await backend.search("茶")).status is ERROR
    await backend.aclose()


async def test_a_valid_empty_list_alone_is_empty(kind: str) -> None:
    async with searching(kind, http(around(kind, []))) as (backend, _):
        outcome = await backend.search("茶")
    assert (outcome.status, outcome.hits, outcome.detail) == (ReturnStatus.EMPTY, (), "")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ("upstream failed", ERROR),
        ({"message": "Too many requests", "code": 429}, LIMITED),
        ([{"msg": "overloaded"}], ERROR),
    ],
)
async def test_an_empty_list_beside_an_error_is_none(
    kind: str, error: Any, status: ReturnStatus
) -> None:
    for name in ("error", "errors"):
        said = {**around(kind, []), name: error}
        async with searching(kind, http(said)) as (backend, _):
            outcome = await backend.search("茶")
        assert (outcome.status, outcome.hits) == (status, ())
    async with searching(kind, http({**found(kind, GOOD), "error": None})) as (backend, _):
        assert (await backend.search("茶")).status is ReturnStatus.OK


@pytest.mark.parametrize(
    "results",
    [None, {}, "none", 0, [None], ["x"], [{}], [{"url": None, "link": 7}],
     [{"url": "javascript:alert(1)", "link": "ftp://a.example"}],
     [{"url": "/relative", "link": "//a.example/x"}], [{"url": "http://", "link": "https:///x"}]],
)  # fmt: skip
async def test_results_of_another_shape_are_an_error(kind: str, results: Any) -> None:
    async with searching(kind, http(around(kind, results))) as (backend, _):
        assert (await backend.search("茶")).status is ERROR


async def test_useless_results_are_left_out_and_a_page_stands_once(kind: str) -> None:
    hits = [
        ("no address", None, "s"), ("script", "javascript:alert(1)", "s"),
        ("mail", "mailto:a@b.c", ""),
        ("a", "https://example.org/%7ea", "s"), ("again", "HTTPS://EXAMPLE.org/~a#part", "t"),
        (None, "http://例子.example/路", None), ("blank", "https://a.example/x y", "s"),
        ("number", 7, "s"), ("long", f"https://a.example/{'x' * 5000}", "s"),
    ]  # fmt: skip
    async with searching(kind, http(found(kind, *hits))) as (backend, _):
        outcome = await backend.search("茶")
    assert [hit.url for hit in outcome.hits] == [
        "https://example.org/%7ea",
        "http://例子.example/路",
    ]
    assert [hit.title for hit in outcome.hits] == ["a", "http://例子.example/路"]


async def test_texts_are_made_fit_to_be_stored(kind: str) -> None:
    hit = (
        "\ud835x\x00\x1b[31m <em class='m'>红</em>", "https://example.org/",
        "a < b, list<int> &lt;tag&gt; &#x1F600; " + "长" * 3000,
    )  # fmt: skip
    async with searching(kind, http(found(kind, hit))) as (backend, _):
        (got,) = (await backend.search("茶")).hits
    got.to_json().encode()
    assert got.title == "\ufffdx\ufffd [31m 红"
    assert got.snippet.startswith("a < b, list<int> <tag> 😀 长")
    assert (len(got.snippet), got.snippet[-1]) == (1000, "…")


async def test_nan_is_no_value(kind: str) -> None:
    body = json.dumps(found(kind, GOOD, ("n", float("nan"), float("inf"))))
    async with searching(kind, http(body, Content_Type="application/json")) as (backend, _):
        outcome = await backend.search("茶")
    assert [hit.title for hit in outcome.hits] == ["t"]


async def test_no_more_results_than_asked_for(kind: str) -> None:
    hits = [(str(n), f"https://example.org/{n}", "") for n in range(40)]
    async with searching(kind, http(found(kind, *hits)), results=3) as (backend, _):
        assert [hit.title for hit in (await backend.search("茶")).hits] == ["0", "1", "2"]


async def test_a_key_in_results_is_left_out(kind: str) -> None:
    hit = (f"key {KEY}", f"https://example.org/{KEY}", f"x{KEY}y")
    answer = http(found(kind, hit))
    async with searching(kind, answer, api_key_env=VARIABLE) as (backend, _):
        outcome = await backend.search("茶")
    assert KEY not in str(outcome)
    assert outcome.hits[0].snippet == "x[key]y"


@pytest.mark.parametrize(
    ("told", "wait"),
    [("75", 75.0), ("99999", 99999.0), ("0", None), ("-5", None), ("abc", None)],
)
async def test_a_wait_is_told(kind: str, told: str, wait: float | None) -> None:
    async with searching(kind, http({}, 429, Retry_After=told)) as (backend, _):
        assert (await backend.search("茶")).told_wait == wait


@pytest.mark.parametrize("code", [301, 307, 404, 405])
async def test_a_wrong_address_stops_and_a_later_one_is_a_fault_of_the_moment(
    kind: str, code: int
) -> None:
    moved = http("<h1>elsewhere</h1>", code, Location="https://login.example/", **HTML)
    async with searching(kind, moved) as (backend, server):
        with pytest.raises(ConfigError, match="base_url"):
            await backend.search("茶")
        assert len(server.asked) == 1
    async with searching(kind, http(found(kind, GOOD)), moved) as (backend, _):
        await backend.search("茶")
        assert (await backend.search("酒")).status in (ERROR, BLOCKED)


async def test_a_setting_that_is_refused_stops(kind: str) -> None:
    answer = http({"detail": [{"loc": ["body", "flavour"], "msg": "unknown value"}]}, 422)
    async with searching(kind, answer, params={"flavour": "sweet"}) as (backend, _):
        with pytest.raises(ConfigError, match="flavour"):
            await backend.search("茶")
