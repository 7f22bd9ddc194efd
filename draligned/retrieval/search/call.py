"""One HTTP call to a provider under caps; every failure is a value."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import httpx

from draligned.retrieval.body import ACCEPTED_ENCODINGS, BodyBuffer, BodyError, Cut
from draligned.schema.config import ReadingConfig

_CAPS = ReadingConfig(wire_bytes=2_000_000, body_bytes=4_000_000, pdf_bytes=2_000_000)
"""A hundred results with their snippets take a tenth of it."""
USER_AGENT = "draligned"


@dataclass(frozen=True, kw_only=True)
class Call:
    """What is asked."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """Sent as JSON."""


class Reply(NamedTuple):
    """A whole response."""

    code: int
    headers: httpx.Headers
    body: bytes

    @property
    def is_html(self) -> bool:
        """Whether a page came: of a login, a challenge, a proxy."""
        kind = self.headers.get("content-type", "").lower()
        start = self.body[:512].lstrip().removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        return start == b"<" or (start not in (b"{", b"[") and "html" in kind)


class Unanswered(NamedTuple):
    """No whole response came."""

    detail: str
    timed_out: bool = False
    code: int | None = None


def search_client() -> httpx.AsyncClient:
    """A client for one provider. It follows no redirect, which would take the key elsewhere."""
    return httpx.AsyncClient(
        verify=_tls(),
        timeout=None,
        follow_redirects=False,
        headers={"User-Agent": USER_AGENT, "Accept-Encoding": ACCEPTED_ENCODINGS},
    )


@cache
def _tls() -> ssl.SSLContext:
    """One for all clients: reading the certificates takes longer than a search."""
    return httpx.create_ssl_context()


async def send(client: httpx.AsyncClient, call: Call, seconds: float) -> Reply | Unanswered:
    """Call once, `seconds` for all of it. Never raises for what a server or network does."""
    try:
        async with asyncio.timeout(seconds):
            return await _exchange(client, call)
    except TimeoutError:
        return Unanswered(f"no complete answer within {seconds:g} s", timed_out=True)
    except BodyError as error:
        return Unanswered(str(error))
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ssl.SSLError) as error:
        return Unanswered(f"the exchange failed ({type(error).__name__})")


async def _exchange(client: httpx.AsyncClient, call: Call) -> Reply | Unanswered:
    request = client.build_request(
        call.method,
        call.url,
        headers={"Accept": "application/json", **call.headers},
        params=call.query or None,
        json=call.body,
    )
    response = await client.send(request, stream=True)
    try:
        buffer = BodyBuffer(response.headers.get("content-encoding", ""), _CAPS)
        if await buffer.fill(response) is Cut.BYTES:
            return Unanswered("the answer exceeds the size limit", code=response.status_code)
        return Reply(response.status_code, response.headers, bytes(buffer.data))
    finally:
        await response.aclose()
