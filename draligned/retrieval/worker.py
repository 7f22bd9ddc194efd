"""The worker's side of `workshop`: takes a body on stdin, gives its text on stdout.

It has no more memory than it started with and a fixed share above, and processor time for each
body; beyond either it dies, and only it. Run as `python -m draligned.retrieval.worker`.
"""

import gc
import json
import math
import sys
import time
from contextlib import suppress
from typing import BinaryIO

from draligned.retrieval.extract import Part, extract
from draligned.schema.base import Record
from draligned.schema.retrieval import ReturnStatus

MEMORY = 384 * 1024 * 1024
"""Bytes above those of a worker that has done nothing yet."""


class Job(Record):
    """One body and what of it is wanted; the body follows the line."""

    kind: str
    size: int
    pages: int
    chars: int
    seconds: float


def work(job: Job, body: bytes) -> Part:
    """Text of `body`, an HTML document in UTF-8 or a PDF."""
    if job.kind == "pdf":
        from draligned.retrieval.pdf import pdf_text

        return pdf_text(body, job.pages, job.chars)
    page = extract(body.decode("utf-8", "surrogatepass"))
    return Part(title=page.title, text=page.text)


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Answer jobs until the end of `source`."""
    _limit_memory()
    gc.freeze()  # modules stay: looking through them again for every page costs a tenth of it
    while line := source.readline():
        job = Job.from_json(line)
        body = source.read(job.size)
        _limit_time(job.seconds)
        try:
            part = work(job, body)
        except MemoryError:
            return
        except Exception as error:  # a page no parser survives is a property of the page
            why = f"no parser reads it ({type(error).__name__})"
            part = Part(status=ReturnStatus.NO_TEXT, detail=why)
        sink.write(json.dumps(part.model_dump(mode="json")).encode() + b"\n")
        sink.flush()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time(seconds: float) -> None:
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(OSError, ValueError):
        limit = math.ceil(time.process_time() + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


if __name__ == "__main__":
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    serve(sys.stdin.buffer, out)
