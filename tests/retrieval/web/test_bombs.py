"""Bodies without measure are cut while memory stays small: HARD_CASES 15."""

import asyncio
import gzip
import json
import sys
import zlib
from pathlib import Path
from typing import Any

from draligned.schema.retrieval import ReturnStatus

from . import bombs
from .cases import EN, html
from .loopback import Reply, Site, chunked, head, reading, reply, serving

MEASURED = Path(__file__).with_name("measured.py")
GROWTH_KIB = 64 * 1024
GIB = 1024
UNITS = {"zeros": b"\0" * 16, "blanks": b" " * 16, "words": b"word word word  ",
         "markup": b"<p a b c d>x<b><", "rows": b"<table><tr><td>y"}  # fmt: skip
TYPED = "Content-Type: text/html"


def packed(body: bytes, encoding: str) -> Reply:
    return reply(body, 200, "text/html", f"Content-Encoding: {encoding}")


def test_the_bombs_are_what_they_say() -> None:
    assert len(bombs.gzipped(UNITS["zeros"], GIB)) < 1_100_000
    assert len(bombs.twice(UNITS["zeros"], 10 * GIB)) < 20_000
    assert zlib.decompress(bombs.bare(b"ab", 16), -15) == b"ab" * (bombs.BLOCK // 2)
    assert zlib.decompressobj().decompress(bombs.deflated(b"ab", 16), 4) == b"abab"
    inner = gzip.decompress(bombs.twice(b"ab", 16))
    assert zlib.decompressobj(31).decompress(inner, 4) == b"abab"


def compressed() -> dict[str, Reply]:
    pages: dict[str, Reply] = {}
    for name, unit in UNITS.items():
        pages[f"/gzip-{name}"] = packed(bombs.gzipped(unit, GIB), "gzip")
        pages[f"/twice-{name}"] = packed(bombs.twice(unit, 10 * GIB), "gzip, gzip")
    unit = b"<p>" + UNITS["words"][3:]
    pages["/x-gzip"] = packed(bombs.gzipped(unit, GIB), "x-gzip")
    pages["/deflate"] = packed(bombs.deflated(unit, GIB), "deflate")
    pages["/deflate-bare"] = packed(bombs.bare(unit, GIB), "deflate")
    pages["/mixed"] = packed(bombs.twice(unit, 10 * GIB), "gzip, x-gzip")
    return pages


def unpacked() -> dict[str, Reply]:
    many = html("PLACE").encode().replace(b"PLACE", EN.encode() * 300)
    return {
        "/fifty-megabytes": Reply([head(200, TYPED, length=50_000_000), b"<p>" + b"a b " * 4096],
                                  endless=True),
        "/endless": Reply([head(200, TYPED), b"<p>more and more</p>" * 500], endless=True),
        "/endless-chunks": Reply([*chunked([many]).pieces[:1], b"4000\r\n" + b"<p>x" * 4096
                                  + b"\r\n"], endless=True),
        "/endless-pdf": Reply([head(200, TYPED) + b"%PDF-1.7\n", b"1 0 obj " * 4096], endless=True),
        "/lying-length": Reply([head(200, TYPED, length=2_000_000_000) + b"<p>",
                                b"<i>y</i>" * 4096], endless=True),
    }  # fmt: skip


async def measured(site: Site, paths: list[str], **settings: object) -> dict[str, Any]:
    config = reading(**settings).model_dump_json()
    urls = [site.url(path) for path in ("/first", *paths)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(MEASURED), config, *urls, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(out)
    return found


async def test_compressed_bombs_are_cut_within_64_mib() -> None:
    pages = compressed()
    async with serving({**pages, "/first": reply(html(EN * 5).encode())}) as site:
        found = await measured(site, list(pages))
    assert found["grown"] < GROWTH_KIB, found
    for status, chars, truncated, raw, detail in found["read"]:
        assert (status, truncated, raw) == (ReturnStatus.TOO_LARGE, True, 4_000_000)
        assert chars <= 40_000
        assert "size limit" in detail
    assert found["workers"] == 0


async def test_endless_streams_are_cut_within_64_mib() -> None:
    pages = unpacked()
    async with serving({**pages, "/first": reply(html(EN * 5).encode())}) as site:
        found = await measured(site, list(pages))
    assert found["grown"] < GROWTH_KIB, found
    statuses = [status for status, *_ in found["read"]]
    assert statuses == [ReturnStatus.TOO_LARGE] * len(pages), found
    assert all(truncated for _, _, truncated, *_ in found["read"])
    sizes = [raw for *_, raw, _ in found["read"]]
    assert sizes == [2_000_000] * 3 + [10_000_000] + [2_000_000]


async def test_a_drip_is_cut_by_time_and_keeps_what_came() -> None:
    start = html(EN * 6).encode()
    drip = Reply([head(200, TYPED) + start, *(b"x" for _ in range(100))], pause=0.3)
    heads = Reply([b"H", *(b"T" for _ in range(100))], pause=0.3)
    pages = {"/drip": drip, "/drip-of-the-head": heads}
    async with serving({**pages, "/first": reply(html(EN * 5).encode())}) as site:
        found = await measured(site, list(pages), seconds=0.8)
    (body, head_only) = found["read"]
    assert (body[0], body[2], body[4]) == ("error", True, "no complete answer within 0.8 s")
    assert body[1] > 300
    assert (head_only[0], head_only[1]) == ("error", 0)
    assert found["grown"] < GROWTH_KIB
