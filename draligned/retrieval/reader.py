"""Reading a page: fetch, decode, extract, and say by a status how it went."""

import asyncio
import hashlib
from collections import OrderedDict

import httpx

from draligned.retrieval.body import Cut
from draligned.retrieval.charset import SUSPECT_SHARE, Decoded, decode
from draligned.retrieval.extract import Extracted, clean, extract
from draligned.retrieval.fetch import Fetched, fetch
from draligned.retrieval.kinds import Kind, kind_of
from draligned.retrieval.limits import ReadLimits
from draligned.schema.retrieval import RetrievalAnswer, ReturnStatus

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
_INLINE_BYTES = 100_000
"""Larger bodies are extracted in a thread, so that they do not hold up other episodes."""
_CACHED_PAGES = 256


class PageReader:
    """Reads pages through `client`; one for an environment.

    Extraction is kept by body hash for the last 256 pages, so an answer never depends on
    what was read before.
    """

    def __init__(self, client: httpx.AsyncClient, limits: ReadLimits | None = None) -> None:
        self._client = client
        self._limits = limits or ReadLimits()
        self._parts: OrderedDict[bytes, RetrievalAnswer] = OrderedDict()

    async def read(self, request: str) -> RetrievalAnswer:
        """Answer a read. Failures are statuses, never exceptions; `request` is kept as sent."""
        url = _address(request)
        if url is None:
            return _failed(request, ReturnStatus.REFUSED, "not an http or https address")
        fetched = await fetch(self._client, url, self._limits)
        failure = _failure(request, fetched)
        if failure is not None:
            return failure
        page = await self._page(fetched)
        return page.model_copy(update={"request": request})

    async def _page(self, fetched: Fetched) -> RetrievalAnswer:
        key = _key(fetched)
        if key in self._parts:
            self._parts.move_to_end(key)
            return self._parts[key]
        if len(fetched.body) > _INLINE_BYTES:
            page = await asyncio.to_thread(read_body, fetched, self._limits)
        else:
            page = read_body(fetched, self._limits)
        self._parts[key] = page
        if len(self._parts) > _CACHED_PAGES:
            self._parts.popitem(last=False)
        return page


def read_body(fetched: Fetched, limits: ReadLimits) -> RetrievalAnswer:
    """The answer a received body gives, without its request: a function of the bytes alone."""
    kind = kind_of(fetched.body, fetched.content_type)
    if kind in (Kind.PDF, Kind.OTHER):
        what = "a PDF document" if kind is Kind.PDF else "not a text page"
        return _failed("", ReturnStatus.TYPE_MISMATCH, f"the address holds {what}")
    decoded = decode(fetched.body, fetched.content_type, complete=fetched.cut is None)
    if decoded.replaced > SUSPECT_SHARE:
        return _failed("", ReturnStatus.NO_TEXT, _suspect(decoded))
    try:
        page = extract(decoded.text) if kind is Kind.HTML else Extracted("", clean(decoded.text))
    except Exception as error:  # a page no parser survives is a property of the page
        return _failed("", ReturnStatus.NO_TEXT, f"no parser reads it ({type(error).__name__})")
    return _answer(page, fetched, limits)


def _answer(page: Extracted, fetched: Fetched, limits: ReadLimits) -> RetrievalAnswer:
    status, detail = _status(page, fetched)
    text = page.text[: limits.text_chars]
    return RetrievalAnswer(
        tool="read",
        request="",
        status=status,
        title=page.title[:300],
        text=text,
        truncated=fetched.cut is not None or len(text) < len(page.text),
        detail=detail,
    )


def _status(page: Extracted, fetched: Fetched) -> tuple[ReturnStatus, str]:
    if fetched.cut is Cut.BYTES:
        return ReturnStatus.TOO_LARGE, "the page exceeds the size limit and was cut"
    if fetched.cut is not None:
        return ReturnStatus.ERROR, fetched.detail
    if not page.text.strip():
        return ReturnStatus.NO_TEXT, "no main text in the page"
    return ReturnStatus.OK, ""


def _failure(request: str, fetched: Fetched) -> RetrievalAnswer | None:
    if fetched.code is None:
        return _failed(request, ReturnStatus.ERROR, fetched.detail)
    fallback = None if 200 <= fetched.code < 300 else ReturnStatus.ERROR
    status = _BY_CODE.get(fetched.code, fallback)
    return _failed(request, status, f"HTTP {fetched.code}") if status else None


def _failed(request: str, status: ReturnStatus, detail: str) -> RetrievalAnswer:
    return RetrievalAnswer(tool="read", request=request, status=status, detail=detail)


def _suspect(decoded: Decoded) -> str:
    share = f"{decoded.replaced:.0%}"
    return f"decode_suspect: {share} of the non-ASCII characters are no {decoded.charset}"


def _address(request: str) -> httpx.URL | None:
    try:
        url = httpx.URL(request.strip())
    except (httpx.InvalidURL, ValueError):
        return None
    return url if url.scheme in ("http", "https") and url.host else None


def _key(fetched: Fetched) -> bytes:
    head = f"{fetched.content_type}\n{fetched.cut}\n{fetched.detail}\n"
    return hashlib.sha256(head.encode("utf-8", "backslashreplace") + fetched.body).digest()
