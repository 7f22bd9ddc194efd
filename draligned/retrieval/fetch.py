"""One HTTP exchange under limits; every failure is a value."""

import asyncio
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import NamedTuple

import httpx

from draligned.retrieval.body import ACCEPTED_ENCODINGS, BodyBuffer, BodyError, Cut
from draligned.retrieval.limits import ReadLimits


class Fetched(NamedTuple):
    """What came back. `code` is None where no response arrived; `detail` then says why."""

    code: int | None
    content_type: str = ""
    body: bytes = b""
    cut: Cut | None = None
    detail: str = ""


def reading_client(transport: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncClient:
    """A client whose answers depend on the request alone.

    It keeps no cookies, reads no proxy settings from the environment and leaves redirects and
    time limits to `fetch`.
    """
    return httpx.AsyncClient(
        transport=transport,
        trust_env=False,
        timeout=None,
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=())),
        headers={"Accept": "text/html,text/plain;q=0.9", "Accept-Encoding": ACCEPTED_ENCODINGS},
    )


async def fetch(client: httpx.AsyncClient, url: httpx.URL, limits: ReadLimits) -> Fetched:
    """GET `url`. Never raises for what a server or network does."""
    progress = _Exchange(client, limits)
    try:
        async with asyncio.timeout(limits.seconds):
            return await progress.run(url)
    except TimeoutError:
        return progress.stopped(Cut.TIME, f"no complete answer within {limits.seconds:g} s")
    except BodyError as error:
        return progress.stopped(Cut.BROKEN, str(error))
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        return progress.stopped(Cut.BROKEN, f"the exchange failed ({type(error).__name__})")


class _Exchange:
    """Keeps what has arrived, so that a failure half way loses nothing."""

    def __init__(self, client: httpx.AsyncClient, limits: ReadLimits) -> None:
        self._client = client
        self._limits = limits
        self._head = Fetched(None)
        self._buffer: BodyBuffer | None = None

    async def run(self, url: httpx.URL) -> Fetched:
        request = self._client.build_request("GET", url)
        for _ in range(self._limits.redirects + 1):
            response = await self._client.send(request, stream=True, follow_redirects=False)
            try:
                if response.next_request is None:
                    return await self._receive(response)
            finally:
                await response.aclose()
            request = response.next_request
        return Fetched(None, detail=f"more than {self._limits.redirects} redirects")

    async def _receive(self, response: httpx.Response) -> Fetched:
        self._head = Fetched(response.status_code, response.headers.get("content-type", ""))
        encoding = response.headers.get("content-encoding", "")
        self._buffer = BodyBuffer(encoding, self._limits)
        cut = await self._buffer.fill(response)
        return self._head._replace(body=bytes(self._buffer.data), cut=cut)

    def stopped(self, cut: Cut, detail: str) -> Fetched:
        body = bytes(self._buffer.data) if self._buffer else b""
        return self._head._replace(body=body, cut=cut, detail=detail)
