"""Bodies under byte caps and decompression in pieces: hard case 15."""

import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterable

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.retrieval.body import BodyBuffer, BodyError, Cut
from draligned.schema.config import ReadingConfig

LIMITS = ReadingConfig(wire_bytes=1_000, body_bytes=2_000)


class Stream(httpx.AsyncByteStream):
    """Chunks handed out one by one."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


async def fill(
    chunks: Iterable[bytes], encoding: str = "", limits: ReadingConfig = LIMITS
) -> tuple[bytes, Cut | None]:
    buffer = BodyBuffer(encoding, limits)
    cut = await buffer.fill(httpx.Response(200, stream=Stream(chunks)))
    return bytes(buffer.data), cut


def _raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush()


async def test_a_body_at_the_cap_is_whole_and_one_byte_more_is_cut() -> None:
    assert await fill([b"a" * 600, b"b" * 400]) == (b"a" * 600 + b"b" * 400, None)
    assert await fill([b"a" * 600, b"b" * 401]) == (b"a" * 600 + b"b" * 400, Cut.BYTES)


async def test_the_body_cap_holds_without_compression() -> None:
    limits = ReadingConfig(wire_bytes=1_000, body_bytes=500)
    assert await fill([b"a" * 400, b"b" * 101], limits=limits) == (
        b"a" * 400 + b"b" * 100,
        Cut.BYTES,
    )


async def test_the_decompressed_cap_is_exact_as_well() -> None:
    assert await fill([gzip.compress(b"a" * 2_000)], "gzip") == (b"a" * 2_000, None)
    assert await fill([gzip.compress(b"a" * 2_001)], "gzip") == (b"a" * 2_000, Cut.BYTES)


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"text" * 100)),
        ("x-gzip", gzip.compress(b"text" * 100)),
        ("deflate", zlib.compress(b"text" * 100)),
        ("deflate", _raw_deflate(b"text" * 100)),
        ("gzip, gzip", gzip.compress(gzip.compress(b"text" * 100))),
        ("deflate, GZIP", gzip.compress(zlib.compress(b"text" * 100))),
        ("gzip", gzip.compress(b"text" * 50) + gzip.compress(b"text" * 50)),
        ("gzip", gzip.compress(b"text" * 100) + b"trailing garbage"),
        ("identity", b"text" * 100),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 10_000])
async def test_encodings_are_undone_however_chunks_fall(
    encoding: str, packed: bytes, size: int
) -> None:
    chunks = [packed[i : i + size] for i in range(0, len(packed), size)]
    assert await fill(chunks, encoding) == (b"text" * 100, None)


@pytest.mark.parametrize("times", [1, 2])
async def test_a_bomb_stays_small_in_memory(times: int) -> None:
    bomb = b"\0" * 50_000_000
    for _ in range(times):
        bomb = gzip.compress(bomb)
    limits = ReadingConfig(wire_bytes=100_000, body_bytes=200_000)
    tracemalloc.start()
    try:
        data, cut = await fill([bomb], ", ".join(["gzip"] * times), limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(data), cut) == (200_000, Cut.BYTES)
    assert peak < 2_000_000


async def test_layers_that_put_out_nothing_are_capped_too() -> None:
    empty_blocks = zlib.compress(b"", level=0)[:2] + b"\x00\x00\x00\xff\xff" * 100_000
    limits = ReadingConfig(wire_bytes=100_000, body_bytes=200_000)
    data, cut = await fill([gzip.compress(empty_blocks)], "deflate, gzip", limits)
    assert (data, cut) == (b"", Cut.BYTES)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br", "gzip, gzip, gzip, gzip"])
def test_encodings_that_were_not_asked_for_are_refused(encoding: str) -> None:
    with pytest.raises(BodyError):
        BodyBuffer(encoding, LIMITS)


async def test_damaged_data_is_an_error_that_keeps_what_came() -> None:
    good = gzip.compress(b"text" * 400, mtime=0)
    buffer = BodyBuffer("gzip", LIMITS)
    with pytest.raises(BodyError, match="damaged"):
        await buffer.fill(httpx.Response(200, stream=Stream([good[:-8], b"\x00" * 8])))
    assert bytes(buffer.data) == b"text" * 400


@given(st.binary(max_size=400), st.sampled_from(["gzip", "deflate", "gzip, deflate"]))
async def test_any_bytes_end_in_data_or_a_body_error(body: bytes, encoding: str) -> None:
    try:
        data, _ = await fill([body], encoding)
    except BodyError:
        return
    assert len(data) <= LIMITS.body_bytes
