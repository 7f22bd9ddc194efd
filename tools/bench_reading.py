"""Measures reading: pages a second over loopback, against plain trafilatura on the same bytes."""

import asyncio
import random
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from typing import NamedTuple

import trafilatura

from draligned.retrieval.web import web_reader
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import ReturnStatus

PAGES = 150
AT_ONCE = 8
WARMED = 20
"""Pages read before the clock starts, so that workers run and modules are loaded."""
ROUNDS = 5
_EN = ("the", "harbour", "museum", "opens", "ferry", "morning", "old", "town", "and", "walks")
_ZH = "博物馆在上午九点开门我们说的话都可以这样写这里的人每天都会去看海"


class Row(NamedTuple):
    """One measurement."""

    what: str
    value: str
    beside: str
    ratio: str


def page(number: int) -> bytes:
    """A page of a usual size, about 25 KB with its navigation, half of them in Chinese."""
    draw = random.Random(number)
    links = "".join(f'<li class="item-{n}"><a href="/{n}">link {n}</a></li>' for n in range(60))
    body = "".join(f"<p>{_paragraph(draw, number % 2 == 0)}</p>" for _ in range(25))
    script = "<script>var state = {};" + "state.a = 1;" * 300 + "</script>"
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>Page {number}</title>{script}'
        f"</head><body><nav><ul>{links}</ul></nav><main><article><h1>Page {number}</h1>{body}"
        f"</article></main><aside><ul>{links}</ul></aside><footer>end</footer></body></html>"
    ).encode()


def _paragraph(draw: random.Random, chinese: bool) -> str:
    if chinese:
        return "".join(draw.choice(_ZH) for _ in range(150)) + "。"
    return " ".join(draw.choice(_EN) for _ in range(60)) + "."


def reading() -> list[Row]:
    """Pages read by the whole reader, against `trafilatura.extract` of their bytes in one process:
    with its default output, and with the output that the reader asks for."""
    server = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        bodies = [page(number) for number in range(PAGES)]
        rounds = [
            (asyncio.run(_read_all(port)), _plain(bodies, "txt"), _plain(bodies, "markdown"))
            for _ in range(ROUNDS)
        ]
    finally:
        server.kill()
        server.communicate()
    ours = statistics.median(mine for mine, *_ in rounds)
    return [
        _row("its default output", ours, [(mine, text) for mine, text, _ in rounds]),
        _row("the same output (Markdown)", ours, [(mine, same) for mine, _, same in rounds]),
    ]


def _row(output: str, ours: float, rounds: list[tuple[float, float]]) -> Row:
    base = statistics.median(plain for _, plain in rounds)
    ratio = statistics.median(plain / mine for mine, plain in rounds)
    beside = f"trafilatura on the same bytes, {output}: {PAGES / base:,.0f}/s"
    return Row("pages read over loopback", f"{PAGES / ours:,.0f}/s", beside, f"{ratio:.2f}×")


def _plain(bodies: list[bytes], output: str) -> float:
    start = time.perf_counter()
    for body in bodies:
        assert trafilatura.extract(body, output_format=output)
    return time.perf_counter() - start


async def _read_all(port: int) -> float:
    pages = web_reader(ReadingConfig(allow=("127.0.0.1",), delay_seconds=0.0, per_host=AT_ONCE))
    places = asyncio.Semaphore(AT_ONCE)

    async def read(number: int) -> None:
        async with places:
            answer = await pages.read(f"http://127.0.0.1:{port}/{number}")
        assert answer.status is ReturnStatus.OK, answer.detail

    await asyncio.gather(*(read(number) for number in range(PAGES, PAGES + WARMED)))
    start = time.perf_counter()
    await asyncio.gather(*(read(number) for number in range(PAGES)))
    seconds = time.perf_counter() - start
    await pages.aclose()
    return seconds


async def _serve() -> None:
    """A site that keeps connections, as web servers do."""
    bodies = {f"/{number}": page(number) for number in range(PAGES + WARMED)}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                body = bodies.get(head.split(b" ", 2)[1].decode(), b"")
                code = b"200 OK" if body else b"404 Not Found"
                writer.write(
                    b"HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\n"
                    b"Content-Length: %d\r\n\r\n%s" % (code, len(body), body)
                )
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


def rows() -> list[Row]:
    """The rows of this part of BENCHMARKS.md."""
    return reading()


if __name__ == "__main__":
    asyncio.run(_serve())
