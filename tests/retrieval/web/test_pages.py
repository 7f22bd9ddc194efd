"""Every kind of page through the real reader, over a real connection: HARD_CASES 13 to 17."""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from draligned.retrieval.reader import PageRead
from draligned.retrieval.render import render
from draligned.schema.retrieval import ReturnStatus

from .cases import EN, Case, all_cases, html
from .loopback import Site, reader_of, reply, serving
from .more import more_cases

EVERY = [*all_cases(), *more_cases()]
CASES = {case.name: case for case in EVERY}
BROKEN_TEXT = {ReturnStatus.TYPE_MISMATCH, ReturnStatus.DECODE_SUSPECT, ReturnStatus.BLOCKED}


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    replies = {f"/{case.name}": case.replies for case in CASES.values()}
    async with serving(replies | {"/goal": reply(html(EN * 5).encode())}) as running:
        yield running


async def read(site: Site, name: str) -> PageRead:
    async with reader_of() as pages:
        return await pages.read_page(site.url(f"/{name}"))


def test_there_are_enough_pages_and_none_twice() -> None:
    names = Counter(case.name for case in EVERY)
    assert len(names) >= 60
    assert max(names.values()) == 1


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_page(case: Case, site: Site) -> None:
    answer, raw = await read(site, case.name)
    assert answer.status is case.status, answer
    assert case.holds in answer.text
    assert case.lacks not in answer.text or case.name == "one-bad-byte"
    assert case.detail in answer.detail
    assert answer.truncated is case.truncated
    assert answer.flags == case.flags
    assert case.charset in (None, answer.charset)
    assert len(answer.title) <= 300
    assert answer.request == site.url(f"/{case.name}")
    assert answer.raw_sha256 == (hashlib.sha256(raw).hexdigest() if raw else None)
    if answer.status in BROKEN_TEXT:
        assert answer.text == ""
    shown = render(answer, "nonce")
    assert shown.count("nonce") == 2 * bool(answer.text.strip())
