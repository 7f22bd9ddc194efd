"""A transport whose cost for a request does not grow with the number of open connections.

The pool of httpx2 looks at all its connections before and after every request, asks the
system about each idle one, and keeps no more than a hundred of those. With many episodes
at once that is a good part of a call. Here every connection has a pool to itself, and the
one used last is taken first.
"""

from collections.abc import AsyncIterator, Callable
from urllib.request import getproxies

import httpx2

_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=1, keepalive_expiry=5.0)


def lanes() -> "Lanes | None":
    """The transport; none where the environment names a proxy, which is the client's to find."""
    return None if getproxies() else Lanes()


class Lanes(httpx2.AsyncBaseTransport):
    """Sends each request on a lane that is free, or on a new one."""

    def __init__(self) -> None:
        self._context = httpx2.create_ssl_context()
        self._all: list[httpx2.AsyncHTTPTransport] = []
        self._free: list[httpx2.AsyncHTTPTransport] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See `httpx2.AsyncBaseTransport`; the lane is free again once the body is closed."""
        lane = self._free.pop() if self._free else self._new()
        try:
            response = await lane.handle_async_request(request)
        except BaseException:
            self._free.append(lane)
            raise
        body = response.stream
        assert isinstance(body, httpx2.AsyncByteStream)
        response.stream = _Held(body, lambda: self._free.append(lane))
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        for lane in self._all:
            await lane.aclose()

    def _new(self) -> httpx2.AsyncHTTPTransport:
        self._all.append(httpx2.AsyncHTTPTransport(verify=self._context, limits=_LIMITS))
        return self._all[-1]


class _Held(httpx2.AsyncByteStream):
    """A body that gives its lane back when it is closed."""

    def __init__(self, body: httpx2.AsyncByteStream, give_back: Callable[[], None]) -> None:
        self._body = body
        self._give_back: Callable[[], None] | None = give_back

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            yield chunk

    async def aclose(self) -> None:
        try:
            await self._body.aclose()
        finally:
            give_back, self._give_back = self._give_back, None
            if give_back is not None:
                give_back()
