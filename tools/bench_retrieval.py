"""Speed of recorded answers: replay, against reading and parsing the same files."""

import asyncio
import json
import statistics
import tempfile
import time
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from draligned.retrieval.archive import Archive
from draligned.retrieval.environment import Environment
from draligned.schema.retrieval import RetrievalAnswer, ReturnStatus, SearchHit
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore

NUMBER = 2_000
CHARS = 12_000
"""Of a page's text; a blob, as most pages are."""


class Replayed(NamedTuple):
    """Requests a second: replayed, and the bare reading of the files that it needs."""

    replayed: float
    bare: float


class _Pages:
    """Every second request a search, every other one a page."""

    identity = "bench"

    async def search(self, query: str) -> RetrievalAnswer:
        """Six hits."""
        hits = tuple(
            SearchHit(title=f"{query} {k}", url=f"https://a.example/{k}", snippet="摘要" * 80)
            for k in range(6)
        )
        return RetrievalAnswer(tool="search", request=query, status=ReturnStatus.OK, hits=hits)

    async def read(self, url: str) -> RetrievalAnswer:
        """A long page."""
        text = (f"{url} 正文。" * CHARS)[:CHARS]
        return RetrievalAnswer(tool="read", request=url, status=ReturnStatus.OK, text=text)

    async def aclose(self) -> None:
        """Nothing to close."""


def replay_requests_per_second(number: int = NUMBER) -> Replayed:
    """Requests served from the record to 64 runs at once."""
    with tempfile.TemporaryDirectory() as folder:
        store = LocalStore(Path(folder))
        archive = Archive(store, Blobs(store))
        recording = Environment("bench", "record", source=_Pages(), archive=archive)
        asyncio.run(_ask(recording, number))
        replay = Environment("bench", "replay", archive=Archive(store, Blobs(store)))
        ours = _median(lambda: asyncio.run(_ask(replay, number)))
        bare = _median(lambda: _bare(Path(folder)))
    return Replayed(number / ours, number / bare)


async def _ask(environment: Environment, number: int) -> None:
    runs = [environment.bound("study", f"r{n}") for n in range(64)]
    asks: list[Awaitable[object]] = []
    for n in range(number):
        run = runs[n % 64]
        asks.append(run.read(f"https://a.example/{n}") if n % 2 else run.search(f"query {n}"))
        if len(asks) == 64:
            await asyncio.gather(*asks)
            asks.clear()
    await asyncio.gather(*asks)


def _bare(folder: Path) -> None:
    for path in folder.rglob("retrieval/**/*.json"):
        sha256 = json.loads(path.read_bytes())["text_sha256"]
        if sha256 is not None:
            zlib.decompress((folder / f"blobs/{sha256[:2]}/{sha256}.z").read_bytes()).decode()


def _median(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


if __name__ == "__main__":
    found = replay_requests_per_second()
    print(f"replay: {found.replayed:.0f} requests/s; the files alone: {found.bare:.0f}/s")  # noqa: T201
