"""A web site on loopback that says byte for byte what a test wants it to say."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from draligned.retrieval.reader import PageReader
from draligned.retrieval.web import web_reader
from draligned.schema.config import ReadingConfig


@dataclass(frozen=True)
class Reply:
    """What is written to the connection, piece by piece, and what happens then."""

    pieces: Sequence[bytes]
    pause: float = 0.0
    """Seconds between pieces."""
    endless: bool = False
    """Whether the last piece is said again and again."""


@dataclass
class Site:
    """A running site: replies by path, and the paths and headers that were asked for."""

    replies: dict[str, Reply | Sequence[Reply]]
    port: int = 0
    asked: list[str] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def reply(self, path: str) -> Reply:
        """What is said next at `path`; of several replies, the last one stays."""
        found = self.replies.get(path, reply(b"nothing here", 404, "text/plain"))
        if isinstance(found, Reply):
            return found
        before = self.asked.count(path) - 1
        return found[min(before, len(found) - 1)]


def head(code: int = 200, *headers: str, length: int | None = None) -> bytes:
    """A response's head; headers as `Name: value`."""
    lines = [f"HTTP/1.1 {code} Said", *headers]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join((*lines, "Connection: close", "", "")).encode("latin-1")


def reply(body: bytes, code: int = 200, content_type: str = "text/html", *headers: str) -> Reply:
    """An ordinary response."""
    typed = (f"Content-Type: {content_type}",) if content_type else ()
    return Reply([head(code, *typed, *headers, length=len(body)) + body])


def chunked(parts: Iterable[bytes], content_type: str = "text/html") -> Reply:
    """A response in chunks, each written by itself."""
    start = head(200, f"Content-Type: {content_type}", "Transfer-Encoding: chunked")
    return Reply([start, *(b"%x\r\n%s\r\n" % (len(part), part) for part in parts), b"0\r\n\r\n"])


@asynccontextmanager
async def serving(replies: dict[str, Reply | Sequence[Reply]]) -> AsyncIterator[Site]:
    """Serve `replies` on a free port of 127.0.0.1."""
    site = Site(replies)
    talks: set[asyncio.Task[None]] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talks.add(task)
        try:
            await talk(reader, writer)
        finally:
            talks.discard(task)
            writer.transport.abort()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        site.open_now += 1
        site.most_open = max(site.most_open, site.open_now)
        with suppress(OSError, asyncio.IncompleteReadError):
            request = await reader.readuntil(b"\r\n\r\n")
            site.heads.append(request)
            site.asked.append(request.split(b" ", 2)[1].decode("latin-1"))
            await _say(writer, site.reply(site.asked[-1]))
        site.open_now -= 1
        with suppress(OSError):
            writer.close()
            await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in tuple(talks):
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        await asyncio.sleep(0)


async def _say(writer: asyncio.StreamWriter, said: Reply) -> None:
    for piece in said.pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(said.pause)
    while said.endless:
        writer.write(said.pieces[-1])
        await writer.drain()
        await asyncio.sleep(said.pause)


def reading(**changes: object) -> ReadingConfig:
    """Loopback allowed, no pauses; everything else as it comes."""
    base: dict[str, object] = {"allow": ("127.0.0.1",), "delay_seconds": 0.0, "per_host": 8}
    return ReadingConfig.model_validate(base | changes)


@asynccontextmanager
async def reader_of(**changes: object) -> AsyncIterator[PageReader]:
    """The real reader of the web, closed at the end."""
    pages = web_reader(reading(**changes))
    try:
        yield pages
    finally:
        await pages.aclose()
