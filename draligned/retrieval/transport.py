"""Connections that go nowhere but where the address policy lets them.

A name is looked up once for a connection and its addresses are judged; the connection goes to
one of those very addresses, so a name that changes its answer gains nothing. TLS and the Host
header keep the name. A connection stays with the origin that it was opened for, and is used again
only within the seconds that servers commonly keep one.
"""

import asyncio
import select
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from functools import cache

import httpcore
import httpx

from draligned.retrieval.address import AddressPolicy, AddressRefused, HostUnknown, numeric

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
_ADDRESSES = 4
"""Addresses of a name that are tried one after another."""
_IDLE = 20
_IDLE_SECONDS = 4.0
"""Web servers close an idle connection after 5 s and more: what is older may end as it is used."""
_NO_SUCH_HOST = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
_FAILURES = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
)


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes tens of milliseconds."""
    return httpx.create_ssl_context(trust_env=False)


async def look_up(host: str, port: int) -> Sequence[str]:
    """Numeric addresses of `host`. Raises `OSError` where there are none."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections after asking `policy` about the address they go to."""

    def __init__(
        self,
        policy: AddressPolicy,
        resolver: Resolver = look_up,
        inner: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._inner = inner or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the base class has it
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """One for `host`. Raises `AddressRefused` and `HostUnknown` before it opens one."""
        failure: Exception = httpcore.ConnectError("the name has no address")
        for address in (await self._addresses(host, port))[:_ADDRESSES]:
            try:
                stream = await self._inner.connect_tcp(address, port, timeout)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
                continue
            await self._check_peer(host, stream)
            return _Wire(stream)
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the base class has it
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Never: raises `AddressRefused`."""
        raise AddressRefused("local sockets are not opened")

    async def sleep(self, seconds: float) -> None:
        """As the backend below."""
        await self._inner.sleep(seconds)

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        if numeric(host) is not None:
            addresses: Sequence[str] = (host,)
        else:
            try:
                addresses = await self._resolver(host, port)
            except socket.gaierror as error:
                if error.errno in _NO_SUCH_HOST:
                    raise HostUnknown("there is no such host") from error
                raise httpcore.ConnectError("the name was not found") from error
            except (OSError, UnicodeError) as error:
                raise httpcore.ConnectError("the name was not found") from error
        for address in addresses:
            self._policy.check_address(host, address)
        return addresses

    async def _check_peer(self, host: str, stream: httpcore.AsyncNetworkStream) -> None:
        peer = stream.get_extra_info("server_addr")
        try:
            if peer:
                self._policy.check_address(host, str(peer[0]))
        except AddressRefused:
            await stream.aclose()
            raise


class _Wire(httpcore.AsyncNetworkStream):
    """A connection that says quickly whether its idle end was closed: the pool asks all of them
    at every request, and the library looks up every property of the socket for it."""

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self._readable = select.poll()
        self._socket = inner.get_extra_info("socket")
        if self._socket is not None:
            self._readable.register(self._socket.fileno(), select.POLLIN)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        return await self._inner.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        return _Wire(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> object:
        if info == "is_readable" and self._socket is not None:
            return bool(self._readable.poll(0))
        return self._inner.get_extra_info(info)


class GuardedTransport(httpx.AsyncBaseTransport):
    """HTTP/1.1 over `backend`, with no proxy whatever the environment."""

    def __init__(self, backend: GuardedBackend) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_certificates(),
            max_connections=None,
            max_keepalive_connections=_IDLE,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=backend,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request`. Raises `AddressRefused`, `HostUnknown` and `httpx.TransportError`."""
        url = request.url
        try:
            response = await self._pool.handle_async_request(
                httpcore.Request(
                    request.method,
                    httpcore.URL(
                        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                    ),
                    headers=request.headers.raw,
                )
            )
        except _FAILURES as error:
            raise httpx.TransportError(_named(error)) from error
        return httpx.Response(
            response.status, headers=response.headers, stream=_Stream(response), request=request
        )

    async def aclose(self) -> None:
        """Close what is open."""
        await self._pool.aclose()


class _Stream(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._response.aiter_stream():
                yield part
        except _FAILURES as error:
            raise httpx.TransportError(_named(error)) from error

    async def aclose(self) -> None:
        await self._response.aclose()


def _named(error: Exception) -> str:
    return type(error).__name__
