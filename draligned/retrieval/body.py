"""A response body, streamed under byte caps and decompressed in small pieces (hard case 15)."""

import zlib
from collections.abc import Iterable, Iterator
from enum import StrEnum

import httpx

from draligned.retrieval.limits import ReadLimits

_PIECE = 65_536
_LAYERS = 3
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

    def __init__(self, content_encoding: str, limits: ReadLimits) -> None:
        self.data = bytearray()
        self._layers = _layers(content_encoding, limits.body_bytes)
        self._received = 0
        self._limits = limits

    async def fill(self, response: httpx.Response) -> Cut | None:
        """Read until the end or a cap. Raises `BodyError` on data that does not decompress."""
        async for chunk in response.aiter_raw():
            room = self._limits.wire_bytes - self._received
            self._received += len(chunk)
            if not self._add(chunk[:room]) or len(chunk) > room:
                return Cut.BYTES
        return None

    def _add(self, chunk: bytes) -> bool:
        pieces: Iterable[bytes] = [chunk]
        for layer in self._layers:
            pieces = layer.expand(pieces)
        try:
            for piece in pieces:
                room = self._limits.body_bytes - len(self.data)
                self.data += piece[:room]
                if len(piece) > room:
                    return False
        except _CapReached:
            return False
        except zlib.error as error:
            raise BodyError("the compressed body is damaged") from error
        return True


class _Inflate:
    """One layer of gzip or deflate."""

    def __init__(self, encoding: str, cap: int) -> None:
        self._raw_deflate_possible = encoding == "deflate"
        self._wbits = 15 if encoding == "deflate" else 31
        self._engine = zlib.decompressobj(self._wbits)
        self._room = cap

    def expand(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Decompressed pieces. Raises `_CapReached` when more would come than allowed."""
        for chunk in chunks:
            yield from self._expand_one(chunk)

    def _expand_one(self, data: bytes) -> Iterator[bytes]:
        full = True
        while data or full:
            piece = self._decompress(data)
            full = len(piece) == _PIECE
            data = self._rest()
            if len(piece) > self._room:
                yield piece[: self._room]
                raise _CapReached
            self._room -= len(piece)
            if piece:
                yield piece

    def _decompress(self, data: bytes) -> bytes:
        try:
            return self._engine.decompress(data, _PIECE)
        except zlib.error:
            if not self._raw_deflate_possible:
                raise
            self._engine = zlib.decompressobj(-15)
            return self._engine.decompress(data, _PIECE)
        finally:
            self._raw_deflate_possible = False

    def _rest(self) -> bytes:
        if not self._engine.eof:
            return self._engine.unconsumed_tail
        rest = self._engine.unused_data
        if self._wbits == 31 and rest.startswith(b"\x1f"):
            self._engine = zlib.decompressobj(self._wbits)
            return rest
        return b""


def _layers(content_encoding: str, cap: int) -> list[_Inflate]:
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if len(names) > _LAYERS:
        raise BodyError("the body is compressed too many times")
    if any(name not in ("gzip", "x-gzip", "deflate") for name in names):
        raise BodyError("the body is compressed in a way that was not asked for")
    return [_Inflate(name, cap) for name in reversed(names)]
