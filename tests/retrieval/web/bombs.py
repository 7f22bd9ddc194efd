"""Compressed bodies that unpack to a thousand times their size, made without unpacking them."""

import gzip
import zlib
from functools import cache

BLOCK = 1 << 24
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


@cache
def block(unit: bytes) -> bytes:
    """16 MiB of `unit` as raw deflate that may be repeated: a full flush forgets the window."""
    engine = zlib.compressobj(9, wbits=-15)
    return engine.compress(unit * (BLOCK // len(unit))) + engine.flush(zlib.Z_FULL_FLUSH)


def gzipped(unit: bytes, mebibytes: int) -> bytes:
    """So many mebibytes of `unit` in one gzip stream (its check sum is never reached)."""
    return _GZIP_HEAD + block(unit) * (mebibytes * (1 << 20) // BLOCK) + b"\x03\x00" + bytes(8)


def deflated(unit: bytes, mebibytes: int) -> bytes:
    """The same as deflate with a zlib header."""
    return b"\x78\xda" + gzipped(unit, mebibytes)[len(_GZIP_HEAD) :]


def bare(unit: bytes, mebibytes: int) -> bytes:
    """The same as deflate without one, as some servers send it."""
    return gzipped(unit, mebibytes)[len(_GZIP_HEAD) :]


def twice(unit: bytes, mebibytes: int) -> bytes:
    """gzip in gzip: ten kilobytes or so that hold gigabytes."""
    return gzip.compress(gzipped(unit, mebibytes), 9)
