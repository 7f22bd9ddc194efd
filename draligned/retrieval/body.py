"""A response body, streamed under byte caps and decompressed in small pieces (hard case 15)."""

import zlib
from collections.abc import Iterable, Iterator
from enum import StrEnum

import httpx

from draligned.schema.config import ReadingConfig

_PIECE = 65_536
_LAYERS = 3
PDF_MAGIC = b"%PDF-"
_GZIP_START = b"\x1f\x8b"
ACCEPTED_ENCODINGS = "gzip, deflate"


class Cut(StrEnum):
    """Why a body is incomplete."""

    BYTES = "bytes"
    TIME = "time"
    BROKEN = "broken"


class BodyError(Exception):
    """The body cannot be decoded; the message says why."""


class _CapReached(Exception):
    """A layer has put out as many bytes as allowed."""


class BodyBuffer:
    """Collects a body; `data` holds what was decoded so far, whatever stopped it."""

    def __init__(self, content_encoding: str, limits: ReadingConfig) -> None:
        self.data = bytearray()
        self._layers = _layers(content_encoding, limits)
        self._received = 0
        self._limits = limits

    async def fill(self, response: httpx.Response) -> Cut | None:
        """Read until the end or a cap. Raises `BodyError` on data that does not decompress."""
        if response.is_stream_consumed:
            # Built whole, and already decoded, by a transport inside the process.
            self._layers = []
            return None if self._add(response.content) else Cut.BYTES
        async for chunk in response.aiter_raw():
            room = self._cap(self._limits.wire_bytes) - self._received
            self._received += len(chunk)
            if not self._add(chunk[:room]) or len(chunk) > room:
                return Cut.BYTES
        if not all(layer.finished for layer in self._layers):
            raise BodyError("the compressed body ends too early")
        return None

    def _cap(self, usual: int) -> int:
        """A PDF is of no use without its end, so it may be larger than a page."""
        return max(usual, self._limits.pdf_bytes) if self.data.startswith(PDF_MAGIC) else usual

    def _add(self, chunk: bytes) -> bool:
        pieces: Iterable[bytes] = [chunk]
        for layer in self._layers:
            pieces = layer.expand(pieces)
        try:
            for piece in pieces:
                room = self._cap(self._limits.body_bytes) - len(self.data)
                self.data += piece[:room]
                if len(piece) > room:
                    return False
        except _CapReached:
            return False
        except zlib.error as error:
            raise BodyError("the compressed body is damaged") from error
        return True


class _Inflate:
    """One layer of gzip or deflate; deflate comes with a zlib header or, wrongly, without."""

    def __init__(self, encoding: str, cap: int) -> None:
        self._gzip = encoding != "deflate"
        self._engine = zlib.decompressobj(31) if self._gzip else None
        self._start = b""
        self._begun = False
        self._room = cap

    @property
    def finished(self) -> bool:
        """Whether the end was reached, or nothing has come."""
        return self._engine.eof if self._engine is not None and self._begun else not self._start

    def expand(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Decompressed pieces. Raises `_CapReached` when more would come than allowed."""
        for chunk in chunks:
            self._begun = self._begun or bool(chunk)
            if self._engine is None:
                self._start += chunk
                if len(self._start) < 2:
                    continue
                chunk = self._start
                self._engine = zlib.decompressobj(15 if _has_zlib_header(chunk) else -15)
            yield from self._pieces(self._engine, chunk)

    def _pieces(self, engine: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
        full = True
        while data or full:
            piece = engine.decompress(data, _PIECE)
            full = len(piece) == _PIECE
            if len(piece) > self._room:
                yield piece[: self._room]
                raise _CapReached
            self._room -= len(piece)
            if piece:
                yield piece
            data = engine.unconsumed_tail
            if engine.eof:
                data = engine.unused_data
                if not (self._gzip and data.startswith(_GZIP_START)):
                    return
                engine = self._engine = zlib.decompressobj(31)


def _has_zlib_header(data: bytes) -> bool:
    return data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0


def _layers(content_encoding: str, limits: ReadingConfig) -> list[_Inflate]:
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if len(names) > _LAYERS:
        raise BodyError("the body is compressed too many times")
    if any(name not in ("gzip", "x-gzip", "deflate") for name in names):
        raise BodyError("the body is compressed in a way that was not asked for")
    inner = [_Inflate(name, limits.body_bytes) for name in names[1:]]
    last = [_Inflate(name, max(limits.body_bytes, limits.pdf_bytes)) for name in names[:1]]
    return inner[::-1] + last
