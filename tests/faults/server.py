"""A provider on loopback that fails in every way that bytes can. Run as a program with a seed,
the file to which every request is noted before it is answered, and `calm` where no try is to
fail unless all do; prints its base URL.

Raw sockets, since a web framework would not let an answer be cut.
"""

import asyncio
import gzip
import json
import os
import socket
import struct
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.hard.loopback import Said

from .brain import Brain, Reply
from .heard import Heard, complaints, hear

LIMIT = 1 << 26


class Provider:
    """Answers requests; notes who asked, for what, and what a strict provider would say."""

    def __init__(self, brain: Brain, note: Callable[[dict[str, object]], None]) -> None:
        self._brain = brain
        self._note = note

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it."""
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        headers = {k.strip().lower(): v.strip() for k, v in (line.split(":", 1) for line in lines)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        reply = self._reply(first.split()[1], headers, raw)
        manner = MANNERS[reply.manner]
        going_on = await manner(reply, reader, writer)
        await writer.drain()
        return going_on

    def _reply(self, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        try:
            heard = hear(path, headers, raw)
        except (ValueError, KeyError, TypeError) as error:
            self._note({"complaints": [f"unreadable: {type(error).__name__} {error}"]})
            return Reply(Said(400, b"unreadable"))
        reply = self._brain.reply(heard)
        self._note(_line(heard, reply))
        return reply


def _line(heard: Heard, reply: Reply) -> dict[str, object]:
    return {
        "model": heard.model,
        "seed": heard.seed,
        "user": heard.user,
        "wire": heard.wire.name,
        "digest": heard.digest,
        "status": reply.said.status,
        "manner": reply.manner,
        "complaints": complaints(heard),
    }


Manner = Callable[[Reply, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[bool]]


def _head(said: Said, *lines: str) -> bytes:
    headers = [f"{k}: {v}" for k, v in said.headers.items()]
    return "\r\n".join([f"HTTP/1.1 {said.status} X", *headers, *lines, "", ""]).encode("latin-1")


def _length(said: Said, length: int, *lines: str) -> bytes:
    return _head(said, f"Content-Length: {length}", *lines)


async def _whole(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    said = reply.said
    writer.write((_head(said) if said.status == 204 else _length(said, len(said.body))) + said.body)
    return True


async def _chunked(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    return await _in_chunks(reply.said, writer, 0.0)


async def _drip(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    return await _in_chunks(reply.said, writer, 0.003)


async def _in_chunks(said: Said, writer: asyncio.StreamWriter, seconds: float) -> bool:
    """Seven chunks at most, cut wherever it happens to be, also inside a character."""
    writer.write(_head(said, "Transfer-Encoding: chunked"))
    size = max(1, len(said.body) // 6)
    for at in range(0, len(said.body), size):
        piece = said.body[at : at + size]
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()
        if seconds:
            await asyncio.sleep(seconds)
    writer.write(b"0\r\n\r\n")
    return True


async def _cut(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Chunked, and closed in the middle."""
    half = reply.said.body[: len(reply.said.body) // 2]
    writer.write(_head(reply.said, "Transfer-Encoding: chunked"))
    writer.write(b"%x\r\n%s\r\n" % (len(half), half) if half else b"")
    return False


async def _too_little(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Half of what the length says."""
    body = reply.said.body
    writer.write(_length(reply.said, len(body) + 1) + body[: len(body) // 2])
    return False


async def _too_long(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """All of the answer, but the length says that there is more."""
    writer.write(_length(reply.said, len(reply.said.body) + 64) + reply.said.body)
    return False


async def _too_short(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """All of the answer, but the length says that half of it is all."""
    body = reply.said.body
    writer.write(_length(reply.said, len(body) // 2, "Connection: close") + body)
    return False


async def _no_length_cut(
    reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    """No length at all, so that a cut looks like an end."""
    body = reply.said.body
    cut = body.rfind(b"\n\n", 0, len(body) * 2 // 3) + 2 if reply.streamed else len(body) // 2
    writer.write(_head(reply.said, "Connection: close") + body[: max(cut, 2)])
    return False


async def _hang_up(_: Reply, __: asyncio.StreamReader, ___: asyncio.StreamWriter) -> bool:
    return False


async def _reset(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Some bytes, then a connection reset."""
    writer.write(_length(reply.said, len(reply.said.body) + 9) + reply.said.body[:20])
    await writer.drain()
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


async def _garbage(_: Reply, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    writer.write(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
    return False


async def _gzip(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    packed = gzip.compress(reply.said.body)
    writer.write(_length(reply.said, len(packed), "Content-Encoding: gzip") + packed)
    return True


async def _not_gzip(reply: Reply, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    body = reply.said.body
    writer.write(_length(reply.said, len(body), "Content-Encoding: gzip") + body)
    return True


async def _stall(_: Reply, reader: asyncio.StreamReader, __: asyncio.StreamWriter) -> bool:
    """Nothing, until the other side gives up."""
    await reader.read()
    return False


MANNERS: dict[str, Manner] = {
    "whole": _whole,
    "chunked": _chunked,
    "drip": _drip,
    "cut": _cut,
    "too_little": _too_little,
    "too_long_a_length": _too_long,
    "too_short_a_length": _too_short,
    "no_length_cut": _no_length_cut,
    "hang_up": _hang_up,
    "reset": _reset,
    "garbage": _garbage,
    "gzip": _gzip,
    "not_gzip": _not_gzip,
    "stall": _stall,
}


async def main(seed: int, notes: Path, *, calm: bool) -> None:
    """Serve until the process is ended."""
    out = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(line: dict[str, object]) -> None:
        os.write(out, json.dumps(line).encode() + b"\n")

    provider = Provider(Brain(seed, calm), note)
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0, limit=LIMIT)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/v1", flush=True)  # noqa: T201
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2]), calm=sys.argv[3:] == ["calm"]))
