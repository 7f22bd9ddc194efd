"""Reading a page: fetch, decode, extract, and say by a status how it went."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import httpx

from draligned.retrieval.body import Cut
from draligned.retrieval.canonical import canonical_key, unbroken
from draligned.retrieval.challenge import is_check
from draligned.retrieval.charset import decode
from draligned.retrieval.document import part_of
from draligned.retrieval.extract import Part
from draligned.retrieval.fetch import Fetched, ReadingClient, fetch
from draligned.retrieval.polite import Manners
from draligned.retrieval.refresh import SHORT, goes_on
from draligned.retrieval.workshop import Workshop
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import Flag, RetrievalAnswer, ReturnStatus

_BY_CODE = {
    202: ReturnStatus.BLOCKED,
    204: ReturnStatus.NO_TEXT,
    205: ReturnStatus.NO_TEXT,
    401: ReturnStatus.REFUSED,
    402: ReturnStatus.REFUSED,
    403: ReturnStatus.REFUSED,
    404: ReturnStatus.NOT_FOUND,
    407: ReturnStatus.REFUSED,
    410: ReturnStatus.NOT_FOUND,
    429: ReturnStatus.RATE_LIMITED,
    451: ReturnStatus.REFUSED,
}
_CACHED_PAGES = 256
_HOPS = 2
"""Pages that only send on, one after another."""
_WITHIN = 50_000
"""Bytes in which a page says so."""
_Key = tuple[str | None, str, Cut | None, str]
"""What a part depends on: the body's hash, its declared type, and how it was cut."""


class PageRead(NamedTuple):
    """An answer and the bytes it was made from, after content decoding; empty where none came."""

    answer: RetrievalAnswer
    raw: bytes


class PageReader:
    """Reads pages through `client`; one for an environment. Close it with `aclose`.

    Extraction is kept by body hash for the last 256 pages, so an answer never depends on
    what was read before.
    """

    def __init__(
        self,
        client: ReadingClient,
        reading: ReadingConfig | None = None,
        *,
        manners: Manners | None = None,
        benchmark: Callable[[str, str], bool] | None = None,
    ) -> None:
        self._client = client
        self._reading = reading or ReadingConfig()
        self._manners = manners
        self._benchmark = benchmark
        self._workshop = Workshop()
        self._on_their_way = 0
        self._parts: OrderedDict[_Key, Part] = OrderedDict()

    async def read(self, request: str) -> RetrievalAnswer:
        """Answer a read. Failures are statuses, never exceptions; `request` is kept as sent."""
        return (await self.read_page(request)).answer

    async def read_page(self, request: str) -> PageRead:
        """As `read`, with the page's bytes, whose hash is the answer's `raw_sha256`."""
        url = _address(request)
        if url is None:
            return PageRead(_no_page(request), b"")
        self._on_their_way += 1
        try:
            fetched, part, digest = await self._page(url)
            for _ in range(min(_HOPS, self._reading.redirects)):
                if (target := _goes_on(fetched, part)) is None:
                    break
                fetched, part, digest = await self._page(target)
        finally:
            self._on_their_way -= 1
        return PageRead(self._answer(request, url, fetched, part, digest), fetched.body)

    async def _page(self, url: httpx.URL) -> tuple[Fetched, Part, str | None]:
        """What came, what it holds, and the hash of its bytes."""
        fetched = await fetch(self._client, url, self._reading, self._manners)
        digest = hashlib.sha256(fetched.body).hexdigest() if fetched.body else None
        return fetched, _failure(fetched) or await self._part(fetched, digest), digest

    async def aclose(self) -> None:
        """Close connections and processes."""
        self._workshop.close()
        await self._client.aclose()

    def _answer(
        self, request: str, url: httpx.URL, fetched: Fetched, part: Part, digest: str | None
    ) -> RetrievalAnswer:
        answer = RetrievalAnswer(
            tool="read",
            request=request,
            final_url=_moved(url, fetched),
            raw_sha256=digest,
            **part.model_dump(),
        )
        if self._benchmark is None or not self._benchmark(fetched.url, part.text):
            return answer
        return _of_benchmark(answer, blocked=self._reading.block_benchmark)

    async def _part(self, fetched: Fetched, digest: str | None) -> Part:
        key = (digest, fetched.content_type, fetched.cut, fetched.detail)
        if key in self._parts:
            self._parts.move_to_end(key)
            return self._parts[key]
        several = self._manners is not None and self._on_their_way > 1
        part = await part_of(fetched, self._reading, self._workshop, apart=several)
        self._parts[key] = part
        if len(self._parts) > _CACHED_PAGES:
            self._parts.popitem(last=False)
        return part


def _failure(fetched: Fetched) -> Part | None:
    if fetched.refused is not None:
        return Part(status=fetched.refused, detail=fetched.detail)
    if fetched.code is None:
        return Part(status=ReturnStatus.ERROR, detail=fetched.detail)
    fallback = None if 200 <= fetched.code < 300 else ReturnStatus.ERROR
    status = _BY_CODE.get(fetched.code, fallback)
    if status is None and not fetched.challenge:
        return None
    if status is not ReturnStatus.RATE_LIMITED and _is_challenge(fetched, status):
        status = ReturnStatus.BLOCKED
    return Part(status=status or ReturnStatus.BLOCKED, detail=f"HTTP {fetched.code}")


def _goes_on(fetched: Fetched, part: Part) -> httpx.URL | None:
    """Where a page sends its visitor that is none to be read."""
    if part.status not in (ReturnStatus.OK, ReturnStatus.NO_TEXT) or fetched.cut is not None:
        return None
    if len(part.text) > SHORT or b"refresh" not in fetched.body[:_WITHIN].lower():
        return None
    page = decode(fetched.body[:_WITHIN], fetched.content_type, complete=False)
    return goes_on(httpx.URL(fetched.url), part.text, page.text)


def _is_challenge(fetched: Fetched, status: ReturnStatus | None) -> bool:
    """Whether an error page asks the visitor to prove something, and so may pass later."""
    if fetched.challenge:
        return True
    page = decode(fetched.body[:200_000], fetched.content_type, complete=False)
    return is_check(page.text, refuses=status is ReturnStatus.REFUSED)


def _no_page(request: str) -> RetrievalAnswer:
    """For what is no http address: one of another scheme is refused by the address policy."""
    scheme, colon, _ = request.strip().partition("://")
    other = bool(colon) and scheme.isalnum() and scheme.lower() not in ("http", "https")
    return RetrievalAnswer(
        tool="read",
        request=request,
        status=ReturnStatus.ADDRESS if other else ReturnStatus.REFUSED,
        detail="not an http or https address",
    )


def _address(request: str) -> httpx.URL | None:
    text = unbroken(request)
    for spelling in (text, canonical_key(text)):
        try:
            url = httpx.URL(spelling)
        except (httpx.InvalidURL, ValueError):
            continue
        if b"%" in url.raw_host:  # no resolver knows percent codes
            continue
        return url if url.scheme in ("http", "https") and url.raw_host else None
    return None


def _moved(url: httpx.URL, fetched: Fetched) -> str | None:
    return fetched.url if fetched.url and fetched.url != str(url) else None


def _of_benchmark(answer: RetrievalAnswer, *, blocked: bool) -> RetrievalAnswer:
    flagged = answer.model_copy(update={"flags": (*answer.flags, Flag.BENCHMARK)})
    if not blocked:
        return flagged
    return flagged.model_copy(
        update={
            "status": ReturnStatus.BENCHMARK,
            "title": "",
            "text": "",
            "truncated": False,
            "detail": "the page belongs to the benchmark",
        }
    )
