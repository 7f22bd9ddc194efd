"""Manners towards one host: few requests at once, a pause between them, waits it asked for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import httpx

from draligned.retrieval.address import AddressPolicy, AddressRefused
from draligned.retrieval.canonical import host_key
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import ReturnStatus

_HOSTS = 2_000
"""Hosts that are remembered; idle ones beyond are forgotten."""


class Refused(Exception):
    """A request that is not sent, with the status that its answer gets."""

    def __init__(self, status: ReturnStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class Manners(Protocol):
    """What is asked before each request, redirects included."""

    async def admit(self, url: httpx.URL) -> None:
        """Raise `Refused` where `url` may not be requested."""
        ...

    def slot(self, url: httpx.URL) -> AbstractAsyncContextManager[None]:
        """Held during one request; entering it may wait."""
        ...

    def told_to_wait(self, url: httpx.URL, seconds: float) -> None:
        """The host asked for a pause."""
        ...


class NoManners:
    """For pages inside the process: everything is admitted at once."""

    async def admit(self, url: httpx.URL) -> None:
        """Admits."""

    @asynccontextmanager
    async def slot(self, url: httpx.URL) -> AsyncIterator[None]:
        """Does not wait."""
        yield

    def told_to_wait(self, url: httpx.URL, seconds: float) -> None:
        """Ignored."""


class _Host:
    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.users = 0
        self.next_start = 0.0
        self.held_until = 0.0


class HostGate:
    """The `Manners` of the web, without robots.txt: address policy, places, pauses, holds."""

    def __init__(
        self,
        policy: AddressPolicy,
        reading: ReadingConfig,
        *,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._policy = policy
        self._reading = reading
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._sleep = sleep
        self._hosts: dict[str, _Host] = {}

    async def admit(self, url: httpx.URL) -> None:
        """Raise `Refused` by address, or while the host wants more of a pause than we wait."""
        try:
            self._policy.check_url(url)
        except AddressRefused as error:
            raise Refused(ReturnStatus.ADDRESS, str(error)) from None
        self._check_hold(self._host(url))

    @asynccontextmanager
    async def slot(self, url: httpx.URL) -> AsyncIterator[None]:
        """One of the host's places, after the pause since the request before."""
        host = self._host(url)
        host.users += 1
        try:
            async with host.places:
                await self._pause(host)
                yield
        finally:
            host.users -= 1

    def told_to_wait(self, url: httpx.URL, seconds: float) -> None:
        """No request is started for so long; see `admit` for what exceeds the cap."""
        host = self._host(url)
        host.held_until = max(host.held_until, self._clock() + seconds)

    async def _pause(self, host: _Host) -> None:
        start = max(self._clock(), host.next_start)
        host.next_start = start + self._reading.delay_seconds
        while True:
            self._check_hold(host)
            wait = max(start, host.held_until) - self._clock()
            if wait <= 0:
                return
            await self._sleep(wait)

    def _check_hold(self, host: _Host) -> None:
        left = host.held_until - self._clock()
        if left > self._reading.retry_after_cap_seconds:
            raise Refused(
                ReturnStatus.RATE_LIMITED, f"the host asks for no request within {left:.0f} s"
            )

    def _host(self, url: httpx.URL) -> _Host:
        name = host_key(url.raw_host.decode("ascii", "replace"))
        if name not in self._hosts and len(self._hosts) >= _HOSTS:
            self._forget()
        return self._hosts.setdefault(name, _Host(self._reading.per_host))

    def _forget(self) -> None:
        now = self._clock()
        self._hosts = {
            name: host
            for name, host in self._hosts.items()
            if host.users or max(host.next_start, host.held_until) > now
        }
