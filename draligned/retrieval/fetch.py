"""One HTTP exchange under limits; every failure is a value."""

import asyncio
import re
from datetime import UTC, datetime
from typing import NamedTuple

import httpx

from draligned.models.waits import told_wait
from draligned.retrieval.address import AddressRefused, HostUnknown
from draligned.retrieval.body import ACCEPTED_ENCODINGS, BodyBuffer, BodyError, Cut
from draligned.retrieval.polite import Manners, NoManners, Refused
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import ReturnStatus

_ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5"
_NOT_ASCII = re.compile(rb"[^\x21-\x7e]")
_SCHEME = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]*):")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Fetched(NamedTuple):
    """What came back. `code` is None where no response arrived; `detail` then says why."""

    code: int | None
    content_type: str = ""
    body: bytes = b""
    cut: Cut | None = None
    detail: str = ""
    url: str = ""
    """Of the last request."""
    challenge: bool = False
    """Whether the headers say that this is a check of the visitor and not the page."""
    refused: ReturnStatus | None = None
    """Set where a request was not sent, or led nowhere for good; `detail` says why."""


class ReadingClient:
    """Sends requests through `transport`; an answer depends on the request alone.

    It keeps no cookies, knows no proxy and follows no redirect: `fetch` does what is to be done.
    """

    def __init__(self, transport: httpx.AsyncBaseTransport, user_agent: str | None = None) -> None:
        self._transport = transport
        self._headers = {"Accept": _ACCEPT, "Accept-Encoding": ACCEPTED_ENCODINGS}
        self._headers["User-Agent"] = user_agent or f"python-httpx/{httpx.__version__}"

    async def get(self, url: httpx.URL) -> httpx.Response:
        """The response with its body still to come. Raises `UnicodeError` for a host that no
        name may be, and what the transport raises."""
        request = httpx.Request("GET", url, headers=self._headers)
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Close connections."""
        await self._transport.aclose()


async def fetch(
    client: ReadingClient,
    url: httpx.URL,
    limits: ReadingConfig,
    manners: Manners | None = None,
) -> Fetched:
    """GET `url`. Never raises for what a server or network does, or for what is refused.

    Waiting for `manners` does not count against `limits.seconds`.
    """
    exchange = _Exchange(client, limits, manners or NoManners())
    try:
        return await exchange.run(url)
    except TimeoutError:
        return exchange.stopped(Cut.TIME, f"no complete answer within {limits.seconds:g} s")
    except BodyError as error:
        return exchange.stopped(Cut.BROKEN, str(error))
    except Refused as refused:
        return exchange.refused(refused.status, refused.detail)
    except AddressRefused as error:
        return exchange.refused(ReturnStatus.ADDRESS, str(error))
    except HostUnknown as error:
        return exchange.refused(ReturnStatus.NOT_FOUND, str(error))
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        return exchange.stopped(Cut.BROKEN, f"the exchange failed ({_name(error)})")


class _Exchange:
    """Keeps what has arrived, so that a failure half way loses nothing."""

    def __init__(self, client: ReadingClient, limits: ReadingConfig, manners: Manners) -> None:
        self._client = client
        self._limits = limits
        self._manners = manners
        self._left = limits.seconds
        self._head = Fetched(None)
        self._buffer: BodyBuffer | None = None

    async def run(self, url: httpx.URL) -> Fetched:
        for _ in range(self._limits.redirects + 1):
            self._head = Fetched(None, url=str(url))
            await self._manners.admit(url)
            async with self._manners.slot(url):
                target = await self._timed(url)
            if target is None:
                return self._received()
            url = target
        return self.refused(ReturnStatus.REFUSED, f"more than {self._limits.redirects} redirects")

    async def _timed(self, url: httpx.URL) -> httpx.URL | None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        async with asyncio.timeout(max(self._left, 0.0)):
            target = await self._one(url)
        self._left -= loop.time() - start
        return target

    async def _one(self, url: httpx.URL) -> httpx.URL | None:
        """One request; where it redirects to, or None with the body received."""
        try:
            response = await self._client.get(url)
        except UnicodeError:  # punycode of what no name may hold, which httpx does not send
            raise Refused(ReturnStatus.ADDRESS, "the host is no name of the internet") from None
        try:
            wait = told_wait(response.headers, datetime.now(UTC))
            if wait is not None and response.status_code in (429, 503):
                self._manners.told_to_wait(url, wait)
            if response.status_code in _REDIRECTS and (raw := _location(response)) is not None:
                return _target(url, raw)
            await self._receive(response)
            return None
        finally:
            await response.aclose()

    async def _receive(self, response: httpx.Response) -> None:
        self._head = self._head._replace(
            code=response.status_code,
            content_type=response.headers.get("content-type", ""),
            challenge="challenge" in response.headers.get("cf-mitigated", ""),
        )
        encoding = response.headers.get("content-encoding", "")
        self._buffer = BodyBuffer(encoding, self._limits)
        cut = await self._buffer.fill(response)
        self._head = self._head._replace(cut=cut)

    def _received(self) -> Fetched:
        body = bytes(self._buffer.data) if self._buffer else b""
        return self._head._replace(body=body)

    def stopped(self, cut: Cut, detail: str) -> Fetched:
        return self._received()._replace(cut=cut, detail=detail)

    def refused(self, status: ReturnStatus, detail: str) -> Fetched:
        return Fetched(None, detail=detail, url=self._head.url, refused=status)


def _location(response: httpx.Response) -> bytes | None:
    return next((value for key, value in response.headers.raw if key.lower() == b"location"), None)


def _target(url: httpx.URL, location: bytes) -> httpx.URL:
    """Where a redirect leads; bytes that are no ASCII are encoded one by one, as they were sent."""
    plain = _NOT_ASCII.sub(lambda found: b"%%%02X" % found.group()[0], location.strip())
    other = _SCHEME.match(plain)
    if other is not None and other.group(1).lower() not in (b"http", b"https"):
        raise Refused(ReturnStatus.ADDRESS, "a redirect to no http or https address")
    target = url.join(plain.decode("ascii"))
    if not target.raw_host:
        raise httpx.InvalidURL("a redirect without a host")
    return target


def _name(error: Exception) -> str:
    return str(error) if type(error) is httpx.TransportError else type(error).__name__
