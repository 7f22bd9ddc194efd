"""One exchange: every failure is a value, nothing depends on earlier exchanges."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import httpx
import pytest

from draligned.retrieval.body import Cut
from draligned.retrieval.fetch import Fetched, ReadingClient, fetch
from draligned.schema.config import ReadingConfig

Handler = Callable[[httpx.Request], httpx.Response]


async def get(handler: Handler, url: str = "https://a.invalid/", **limits: float) -> Fetched:
    async with aclosing(ReadingClient(httpx.MockTransport(handler))) as client:
        return await fetch(client, httpx.URL(url), ReadingConfig.model_validate(limits))


class Endless(httpx.AsyncByteStream):
    """A stream without an end that notices when it is closed."""

    def __init__(self, pause: float = 0.0) -> None:
        self.closed = False
        self._pause = pause

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(self._pause)
            yield b"<p>more and more</p>"

    async def aclose(self) -> None:
        self.closed = True


async def test_an_endless_stream_is_cut_and_closed() -> None:
    stream = Endless()
    fetched = await get(lambda _: httpx.Response(200, stream=stream), wire_bytes=1_000)
    assert (fetched.code, fetched.cut, len(fetched.body)) == (200, Cut.BYTES, 1_000)
    assert stream.closed


async def test_a_drip_is_cut_by_time_and_keeps_what_came() -> None:
    stream = Endless(pause=0.01)
    fetched = await get(lambda _: httpx.Response(200, stream=stream), seconds=0.2)
    assert (fetched.code, fetched.cut) == (200, Cut.TIME)
    assert fetched.body.startswith(b"<p>more")
    assert fetched.detail == "no complete answer within 0.2 s"
    assert stream.closed


async def test_a_connection_that_breaks_half_way_keeps_what_came() -> None:
    class Broken(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"half"
            raise httpx.RemoteProtocolError("peer closed connection")

    fetched = await get(lambda _: httpx.Response(200, stream=Broken()))
    assert (fetched.code, fetched.body, fetched.cut) == (200, b"half", Cut.BROKEN)
    assert fetched.detail == "the exchange failed (RemoteProtocolError)"


async def test_no_connection_is_no_code() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    fetched = await get(refuse)
    assert (fetched.code, fetched.detail) == (None, "the exchange failed (ConnectError)")


async def test_an_encoding_that_was_not_asked_for_fails() -> None:
    fetched = await get(lambda _: httpx.Response(200, headers={"Content-Encoding": "br"}))
    assert fetched.cut is Cut.BROKEN


async def test_redirects_are_followed_up_to_the_limit() -> None:
    def twice(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/c":
            return httpx.Response(200, text="end")
        return httpx.Response(302, headers={"Location": {"/": "/b", "/b": "/c"}[request.url.path]})

    assert (await get(twice, redirects=2)).body == b"end"
    fetched = await get(twice, redirects=1)
    assert (fetched.code, fetched.detail) == (None, "more than 1 redirects")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "http://", "ht tp://[", "//[x"])
async def test_redirects_to_nowhere_fail(target: str) -> None:
    fetched = await get(lambda _: httpx.Response(302, headers={"Location": target}), redirects=2)
    assert fetched.detail
    assert fetched.body == b""


async def test_no_cookie_survives_an_exchange() -> None:
    seen: list[str | None] = []
    counter = itertools.count()

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("cookie"))
        return httpx.Response(200, headers={"Set-Cookie": f"visit={next(counter)}; Path=/"})

    async with aclosing(ReadingClient(httpx.MockTransport(handler))) as client:
        for _ in range(2):
            await fetch(client, httpx.URL("https://a.invalid/"), ReadingConfig())
    assert seen == [None, None]


async def test_only_encodings_with_a_cap_are_offered() -> None:
    seen: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["accept-encoding"])
        return httpx.Response(200)

    await get(handler)
    assert seen == ["gzip, deflate"]


async def asked_for(url: str, *locations: bytes) -> list[bytes]:
    """The paths that a server is asked for, with so many redirects."""
    seen: list[bytes] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path)
        if len(seen) <= len(locations):
            return httpx.Response(302, headers=[(b"Location", locations[len(seen) - 1])])
        return httpx.Response(200, text="end")

    await get(handler, url)
    return seen


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("/item/百度", b"/item/%E7%99%BE%E5%BA%A6"),
        ("/item/%E7%99%BE%E5%BA%A6", b"/item/%E7%99%BE%E5%BA%A6"),
        ("/item/%e7%99%be", b"/item/%e7%99%be"),
        ("/item/%B0%D9%B6%C8", b"/item/%B0%D9%B6%C8"),
        ("/item/%25E7%2Fx", b"/item/%25E7%2Fx"),
        ("/s?wd=%B0%D9&x=a+b", b"/s?wd=%B0%D9&x=a+b"),
    ],
)
async def test_what_was_given_is_what_is_asked_for(written: str, sent: bytes) -> None:
    assert await asked_for(f"https://a.invalid{written}") == [sent]


@pytest.mark.parametrize(
    ("location", "sent"),
    [
        ("/百度".encode(), b"/%E7%99%BE%E5%BA%A6"),
        ("/百度".encode("gbk"), b"/%B0%D9%B6%C8"),
        (b"/%b0%d9", b"/%b0%d9"),
        (b"/a b", b"/a%20b"),
        (b" /x ", b"/x"),
        (b"?q=1", b"/y?q=1"),
        (b"//a.invalid/z", b"/z"),
        (b"x:80/z", b"/y"),
    ],
)
async def test_a_redirect_leads_to_the_bytes_it_names(location: bytes, sent: bytes) -> None:
    seen = await asked_for("https://a.invalid/y", location)
    assert seen[-1] == sent


async def test_the_last_address_is_told() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/end":
            return httpx.Response(200, text="end")
        return httpx.Response(301, headers={"Location": "http://b.invalid/end#part"})

    assert (await get(handler)).url == "http://b.invalid/end#part"
