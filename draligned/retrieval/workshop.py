"""Text of large pages and of PDFs, taken by processes that may be killed.

No parser in this process can be stopped once it runs, and some bodies keep one busy for minutes
or gigabytes. Workers are started when first needed and used again.
"""

import asyncio
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from draligned.retrieval.extract import Part
from draligned.retrieval.worker import Job

WORKERS = 2
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")
_WALL = 4.0
"""Seconds on the clock for one of processor time: a busy machine must not decide an answer."""


class Workshop:
    """A few workers, and one thread for what is bounded; for one event loop at a time."""

    def __init__(self) -> None:
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="reading-beside")
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="reading")
        self._own = threading.local()
        self._all: set[subprocess.Popen[bytes]] = set()
        self._ending = weakref.finalize(self, _end, self._threads, self._all)

    async def part(self, job: Job, body: bytes) -> Part | None:
        """What the worker finds in `body`; None where it exceeded its time or memory."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, job, body)

    async def beside(self, task: Callable[[], Part]) -> Part:
        """Run `task` beside the event loop, one at a time, so that their memory does not add up."""
        return await asyncio.get_running_loop().run_in_executor(self._beside, task)

    def close(self) -> None:
        """End all workers."""
        self._ending()
        self._beside.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job, body: bytes) -> Part | None:
        worker = self._worker()
        timer = threading.Timer(job.seconds * _WALL, worker.kill)
        timer.start()
        try:
            line = _exchange(worker, job, body)
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            return Part.from_json(line)
        self._drop(worker)
        return None

    def _worker(self) -> subprocess.Popen[bytes]:
        known: subprocess.Popen[bytes] | None = getattr(self._own, "worker", None)
        if known is None or known.poll() is not None:
            if known is not None:
                self._drop(known)
            known = self._own.worker = subprocess.Popen(
                [sys.executable, "-P", "-m", "draligned.retrieval.worker"],
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # ctrl-C must not make a page look too large
            )
            self._all.add(known)
        return known

    def _drop(self, worker: subprocess.Popen[bytes]) -> None:
        _stop(worker)
        self._all.discard(worker)
        self._own.worker = None


def _environment() -> dict[str, str]:
    """What a worker needs to start; no keys, since it meets whatever is on the web."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    paths = [os.path.abspath(path) for path in sys.path]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}


def _exchange(worker: subprocess.Popen[bytes], job: Job, body: bytes) -> bytes:
    """The worker's line; without its end where it died before."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        worker.stdin.write(job.to_json().encode() + b"\n")
        worker.stdin.write(body)
        worker.stdin.flush()
        return worker.stdout.readline()
    except (OSError, ValueError):
        return b""


def _stop(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()
    for pipe in (worker.stdin, worker.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    worker.wait()


def _end(threads: ThreadPoolExecutor, workers: set[subprocess.Popen[bytes]]) -> None:
    threads.shutdown(wait=False, cancel_futures=True)
    for worker in tuple(workers):
        worker.kill()
    threads.shutdown(wait=True)
    for worker in tuple(workers):
        _stop(worker)
    workers.clear()
