"""Claims: lease objects by which several processes fill one study (DESIGN §4)."""

import asyncio
import itertools
import os
import re
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress

from draligned.schema.base import Record
from draligned.store.protocol import Store
from draligned.study.stored import stored


class Lease(Record):
    """One state of a claim; the highest number is in force."""

    owner: str
    expires: float
    """Seconds since the epoch."""
    released: bool = False


_POLL_SECONDS = 0.05
_MOMENT_SECONDS = 30.0
"""The lease of one who changes a shared file and lets go at once."""
_NUMBERED = re.compile(r"(?:.*/)?([0-9]+)\.json")
_INSTANCE = itertools.count(1)


def _start_time(pid: int) -> str:
    """When the process began; `gone` for one that was killed and only waits to be reaped."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return "gone" if fields[0] in "ZX" else fields[19]
    except (OSError, IndexError):
        return "0"


def this_owner() -> str:
    """Host, process and its start time, so that a reused pid is not taken for its ancestor."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_start_time(pid)}"


def is_dead(owner: str) -> bool:
    """True only when `owner` ran on this host and is certainly gone."""
    host, pid, started = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _start_time(int(pid)) != started.partition(".")[0]


class Claims:
    """Claims of one owner. A claim of a dead or silent owner can be taken over.

    Each instance is an owner of its own, and excludes itself too: what one task of a process
    works on, no other task of it may begin.
    """

    def __init__(
        self,
        store: Store,
        *,
        owner: str | None = None,
        seconds: float = 600.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._owner = owner or f"{this_owner()}.{next(_INSTANCE)}"
        self._seconds = seconds
        self._clock = clock

    def take(self, cell: str) -> bool:
        """Claim `cell`; false if a living owner holds it, this one included."""
        number, lease = self._current(cell)
        if lease is not None and self._holds(lease):
            return False
        return self._write(cell, number + 1, self._clock() + self._seconds)

    def is_held(self, cell: str) -> bool:
        """Whether a living owner holds `cell` now; nothing is claimed or written."""
        lease = self._current(cell)[1]
        return lease is not None and self._holds(lease)

    def renew(self, cell: str) -> bool:
        """Extend an own claim; false if it was lost."""
        number, lease = self._current(cell)
        if lease is None or lease.released or lease.owner != self._owner:
            return False
        return self._write(cell, number + 1, self._clock() + self._seconds)

    def release(self, cell: str) -> None:
        """Give an own claim back; on a full disk, which has no room to say so, by removing it."""
        number, lease = self._current(cell)
        if lease is None or lease.released or lease.owner != self._owner:
            return
        try:
            self._write(cell, number + 1, self._clock(), released=True)
        except OSError:
            self.forget(cell)

    def forget(self, cell: str) -> None:
        """Remove the claims of a cell whose result is stored for good.

        Safe while others claim it: whoever claims a cell looks for its result first.
        """
        self._store.discard(f"claims/{cell}")

    @asynccontextmanager
    async def held(self, cell: str) -> AsyncIterator[bool]:
        """Hold `cell`, renewing the claim while the block runs; yields whether it was got."""
        if not self.take(cell):
            yield False
            return
        renewing = asyncio.create_task(self._keep(cell))
        try:
            yield True
        finally:
            renewing.cancel()
            self.release(cell)

    @contextmanager
    def locked(self, cell: str) -> Iterator[None]:
        """Hold `cell` for a moment, waiting for whoever holds it."""
        while not self.take(cell):
            time.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            self.release(cell)

    async def _keep(self, cell: str) -> None:
        while True:
            await asyncio.sleep(self._seconds / 3)
            with suppress(OSError):  # a full disk may have room again before the lease ends
                self.renew(cell)

    def _holds(self, lease: Lease) -> bool:
        return not lease.released and lease.expires > self._clock() and not is_dead(lease.owner)

    def _current(self, cell: str) -> tuple[int, Lease | None]:
        named = (_NUMBERED.fullmatch(key) for key in self._store.list(f"claims/{cell}"))
        number, last = max(((int(name[1]), name[0]) for name in named if name), default=(0, ""))
        data = self._store.get(last) if last else None
        return number, None if data is None else stored(Lease, data, last)

    def _write(self, cell: str, number: int, expires: float, *, released: bool = False) -> bool:
        lease = Lease(owner=self._owner, expires=expires, released=released)
        return self._store.put_if_absent(f"claims/{cell}/{number}.json", lease.to_json().encode())


def alone(store: Store, what: str) -> AbstractContextManager[None]:
    """Hold `what`, a file that several processes change, for a moment."""
    return Claims(store, seconds=_MOMENT_SECONDS).locked(what)
