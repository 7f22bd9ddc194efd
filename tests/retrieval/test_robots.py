"""robots.txt by RFC 9309, and what becomes of a page when it cannot be read."""

import asyncio
import re

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.retrieval.fetch import Fetched
from draligned.retrieval.polite import NoManners, Refused
from draligned.retrieval.robots import RobotsManners, matches, parse_robots
from draligned.schema.retrieval import ReturnStatus

from .web.cases import EN, html
from .web.loopback import Reply, reader_of, reply, serving

AGENT = "draligned (research)"
PAGE = reply(html(EN * 5).encode())


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /a", "/ab", False),
        ("User-agent: *\nDisallow: /a", "/b", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: draligned\nDisallow: /\n\nUser-agent: *\nAllow: /", "/x", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: DRaligned/1.0\nAllow: /", "/x", True),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("User-agent: other\nUser-agent: draligned\nDisallow: /x", "/x", False),
        ("User-agent: draligned\nDisallow: /a\n\nUser-agent: draligned\nDisallow: /b", "/b", False),
        ("User-agent: draligned\n\nUser-agent: *\nDisallow: /", "/x", False),
        ("User-agent: draligned\nCrawl-delay: 9\nDisallow: /x", "/x", False),
        ("user-AGENT : *\r\n  DISALLOW :  /x   # why\r\n", "/x", False),
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
        ("Disallow: /", "/x", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", True),
        ("User-agent: *\nDisallow: /*?q=", "/s?q=1", False),
        ("User-agent: *\nDisallow: /a*b*c", "/aXbYc", False),
        ("User-agent: *\nDisallow: /$", "/x", True),
        ("User-agent: *\nDisallow: /百度", "/%E7%99%BE%e5%ba%a6", False),
        ("User-agent: *\nDisallow: /%7ejoe", "/~joe", False),
        ("User-agent: *\nDisallow: /a%2fb", "/a/b", True),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("<html><body>Not found</body></html>", "/x", True),
    ],
)  # fmt: skip
def test_rules(text: str, path: str, allowed: bool) -> None:
    assert parse_robots(text, AGENT).allows(path) is allowed


def test_a_pattern_of_stars_takes_no_time() -> None:
    assert not matches("/" + "*a" * 2_000 + "$", "/" + "a" * 1_999 + "b")


@given(st.text("ab*$/", max_size=8), st.text("ab/", max_size=8))
def test_patterns_mean_what_a_regular_expression_says(pattern: str, path: str) -> None:
    ends = pattern.endswith("$")
    body = ".*".join(re.escape(part) for part in pattern.removesuffix("$").split("*"))
    expected = re.match(body + (r"\Z" if ends else ""), path, re.DOTALL) is not None
    assert matches(pattern, path) is expected


async def statuses(rules: Reply | list[Reply], *paths: str, **settings: object) -> list[str]:
    async with (
        serving({"/robots.txt": rules, **dict.fromkeys(paths, PAGE)}) as site,
        reader_of(**settings) as pages,
    ):
        found = [str((await pages.read(site.url(path))).status) for path in paths]
        return [*found, f"{site.asked.count('/robots.txt')} of {len(site.asked)}"]


RULES = reply(b"User-agent: *\nDisallow: /no", 200, "text/plain")


async def test_a_refusal_is_its_own_status_and_the_page_is_not_asked_for() -> None:
    found = await statuses(RULES, "/no", "/yes", "/no/more", "/also")
    refused = str(ReturnStatus.ROBOTS)
    assert found == [refused, "ok", refused, "ok", "1 of 3"]


async def test_robots_may_be_left_unread() -> None:
    assert await statuses(RULES, "/no", robots=False) == ["ok", "0 of 1"]


@pytest.mark.parametrize(
    ("robots", "status"),
    [
        (reply(b"", 404), "ok"),
        (reply(b"", 401), "ok"),
        (reply(b"", 403), "ok"),
        (reply(b"", 410), "ok"),
        (reply(b"", 302, "", "Location: /robots.txt"), "ok"),
        (reply(b"", 429), "rate_limited"),
        (reply(b"", 500), "error"),
        (reply(b"", 503), "error"),
        (Reply([]), "error"),
        (reply(b"", 302, "", "Location: http://10.0.0.1/robots.txt"), "error"),
    ],
)
async def test_what_cannot_be_read_is_no_rule_or_a_passing_failure(
    robots: Reply, status: str
) -> None:
    assert (await statuses(robots, "/x"))[0] == status


async def test_a_failure_is_not_kept_and_a_success_is() -> None:
    found = await statuses([reply(b"", 500), RULES], "/no", "/yes", "/no")
    assert found == ["error", "ok", "robots_disallowed", "2 of 3"]


async def test_those_who_wait_for_the_rules_share_their_failure() -> None:
    loads = 0

    async def load(_url: httpx.URL) -> Fetched:
        nonlocal loads
        loads += 1
        await asyncio.sleep(0)
        return Fetched(None, detail="no answer")

    manners = RobotsManners(NoManners(), "draligned", load)
    asked = [manners.admit(httpx.URL(f"http://a.invalid/{n}")) for n in range(64)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(error) for error in found} == {Refused}
    assert loads == 1


async def test_a_robots_file_may_be_anywhere_and_of_any_size() -> None:
    moved = reply(b"", 301, "", "Location: /there")
    big = reply(b"User-agent: *\nDisallow: /no\n" + b"# x\n" * 400_000, 200, "text/plain")
    async with (
        serving({"/robots.txt": moved, "/there": big, "/no": PAGE}) as site,
        reader_of() as pages,
    ):
        assert (await pages.read(site.url("/no"))).status is ReturnStatus.ROBOTS


async def test_where_a_redirect_leads_is_asked_as_well() -> None:
    hop = reply(b"", 302, "", "Location: /no")
    async with (
        serving({"/robots.txt": RULES, "/hop": hop, "/no": PAGE}) as site,
        reader_of() as pages,
    ):
        assert (await pages.read(site.url("/hop"))).status is ReturnStatus.ROBOTS
        assert site.asked == ["/robots.txt", "/hop"]
