"""Text of large pages and of PDFs, taken by processes that may be killed.

No parser in this process can be stopped once it runs, and some bodies keep one busy for minutes
or gigabytes. Workers are started when first needed and used again.
"""

import asyncio
import os
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from draligned.retrieval.extract import Part
from draligned.retrieval.worker import Job

WORKERS = min(4, (os.cpu_count() or 1) + 1)
"""One more than cores, so that none idles while a page is handed over; each holds 50 MB or more."""
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")
_WALL = 4.0
"""Seconds on the clock for one of processor time: a busy machine must not decide an answer."""
_PIECE = 262_144


class _Worker(NamedTuple):
    """A process, and the socket that is its standard input and output."""

    process: subprocess.Popen[bytes]
    line: socket.socket


class Workshop:
    """A few workers, and one thread for what is bounded; for one event loop."""

    def __init__(self) -> None:
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="reading-beside")
        self._places = asyncio.Semaphore(WORKERS)
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._ending = weakref.finalize(self, _end, self._all, self._idle)

    async def part(self, job: Job, body: bytes) -> Part | None:
        """What the worker finds in `body`; None where it exceeded its time or memory."""
        async with self._places:
            if not self._ending.alive:
                return None
            worker = self._worker()
            line = b""
            try:
                async with asyncio.timeout(job.seconds * _WALL):
                    line = await _exchange(worker.line, job, body)
            except (OSError, TimeoutError):
                pass
            finally:
                self._back(worker, whole=line.endswith(b"\n"))
        return Part.from_json(line) if line.endswith(b"\n") else None

    async def beside(self, task: Callable[[], Part]) -> Part:
        """Run `task` beside the event loop, one at a time, so that their memory does not add up."""
        return await asyncio.get_running_loop().run_in_executor(self._beside, task)

    def close(self) -> None:
        """End all workers; what they are at is given up."""
        self._ending()
        self._beside.shutdown(wait=True, cancel_futures=True)

    def _worker(self) -> _Worker:
        while self._idle:
            known = self._idle.pop()
            if known.process.poll() is None:
                return known
            self._drop(known)
        made = _started()
        self._all.add(made)
        return made

    def _back(self, worker: _Worker, *, whole: bool) -> None:
        """One that was stopped half-way could give the end of one page for the next."""
        if whole and self._ending.alive:
            self._idle.append(worker)
        else:
            self._drop(worker)

    def _drop(self, worker: _Worker) -> None:
        _stop(worker)
        self._all.discard(worker)


def _started() -> _Worker:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "draligned.retrieval.worker"],
            env=_environment(),
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # ctrl-C must not make a page look too large
        )
    return _Worker(process, ours)


def _environment() -> dict[str, str]:
    """What a worker needs to start; no keys, since it meets whatever is on the web."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    paths = [os.path.abspath(path) for path in sys.path]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}


async def _exchange(line: socket.socket, job: Job, body: bytes) -> bytes:
    """The worker's line; without its end where it died before."""
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(line, job.to_json().encode() + b"\n" + body)
    received = bytearray()
    while not received.endswith(b"\n"):
        piece = await loop.sock_recv(line, _PIECE)
        if not piece:
            break
        received += piece
    return bytes(received)


def _stop(worker: _Worker) -> None:
    worker.process.kill()
    worker.line.close()
    worker.process.wait()


def _end(workers: set[_Worker], idle: list[_Worker]) -> None:
    """A busy one's socket is closed by the exchange that waits at it, and now meets its end."""
    for worker in workers:
        worker.process.kill()
    for worker in workers:
        worker.process.wait()
    for worker in idle:
        worker.line.close()
