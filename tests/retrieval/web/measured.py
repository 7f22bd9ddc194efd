"""Reads addresses in a process of its own and says how far its memory grew at most.

Run as a program: settings as JSON, then the addresses; the first one is read before measuring.
"""

import asyncio
import json
import resource
import sys
from pathlib import Path
from typing import Any

from draligned.retrieval.reader import PageRead
from draligned.retrieval.web import web_reader
from draligned.schema.config import ReadingConfig


def peak_kib() -> int:
    """Peak of this process's own memory; `ru_maxrss` would begin with that of its parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


async def measure(settings: dict[str, Any], urls: list[str]) -> dict[str, Any]:
    """Statuses, and the growth over all reads in KiB."""
    pages = web_reader(ReadingConfig.model_validate(settings))
    await pages.read(urls[0])
    before = peak_kib()
    read = [_told(await pages.read_page(url)) for url in urls[1:]]
    grown = peak_kib() - before
    await pages.aclose()
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {"grown": grown, "workers": workers, "read": read}


def _told(page: PageRead) -> list[Any]:
    answer = page.answer
    return [answer.status, len(answer.text), answer.truncated, len(page.raw), answer.detail]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(json.loads(sys.argv[1]), sys.argv[2:]))))  # noqa: T201
