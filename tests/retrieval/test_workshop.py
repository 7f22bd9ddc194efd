"""Workers: used again, ended by time and memory, and gone when the reader is closed."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from draligned.retrieval.extract import Part
from draligned.retrieval.worker import Job
from draligned.retrieval.workshop import WORKERS, Workshop
from draligned.schema.retrieval import ReturnStatus

ARTICLE = b"<html><body><article>" + b"<p>The museum by the harbour opens at nine.</p>" * 8
SLOW = b"<html><body><article>" + b"<p>a word here</p>" * 120_000


async def html(shop: Workshop, body: bytes, seconds: float = 10.0) -> Part | None:
    job = Job(kind="html", size=len(body), pages=1, chars=40_000, seconds=seconds)
    return await shop.part(job, body)


async def test_a_worker_is_used_again_and_ends_with_the_shop() -> None:
    shop = Workshop()
    first = await html(shop, ARTICLE)
    assert first is not None
    assert first.text.startswith("The museum")
    pids = {worker.process.pid for worker in shop._all}
    for _ in range(5):
        assert await html(shop, ARTICLE) == first
    assert len(pids | {worker.process.pid for worker in shop._all}) <= WORKERS
    shop.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    shop.close()


async def test_what_takes_too_long_is_given_up_and_others_are_read() -> None:
    shop = Workshop()
    try:
        found = await asyncio.gather(
            html(shop, SLOW, 1.0), html(shop, ARTICLE), html(shop, ARTICLE), html(shop, ARTICLE)
        )
    finally:
        shop.close()
    assert found[0] is None
    assert all(part is not None and part.text for part in found[1:])


async def test_a_worker_that_was_killed_is_replaced() -> None:
    shop = Workshop()
    try:
        await html(shop, ARTICLE)
        for worker in shop._all:
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.wait()
        assert await html(shop, ARTICLE) is not None
    finally:
        shop.close()


async def test_a_page_no_parser_survives_is_a_status() -> None:
    shop = Workshop()
    try:
        job = Job(kind="pdf", size=5, pages=1, chars=10, seconds=5.0)
        part = await shop.part(job, b"%PDF-")
    finally:
        shop.close()
    assert part is not None
    assert part.status is ReturnStatus.TYPE_MISMATCH


async def test_close_does_not_wait_for_what_still_runs() -> None:
    shop = Workshop()
    running = asyncio.ensure_future(html(shop, SLOW, 10.0))
    await asyncio.sleep(0.2)
    shop.close()
    assert await running is None


def environment_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


async def test_a_worker_knows_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    shop = Workshop()
    try:
        await html(shop, ARTICLE)
        (worker,) = shop._all
        environment = environment_of(worker.process.pid)
    finally:
        shop.close()
    assert b"PYTHONPATH=" in environment
    assert b"secret" not in environment


async def test_a_worker_is_not_stopped_from_the_keyboard() -> None:
    shop = Workshop()
    try:
        await html(shop, ARTICLE)
        assert all(os.getpgid(worker.process.pid) != os.getpgid(0) for worker in shop._all)
    finally:
        shop.close()
