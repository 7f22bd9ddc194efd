"""Connections go to addresses that were judged, and nothing is sent before that."""

import asyncio
import socket
from collections.abc import Iterable, Sequence
from contextlib import suppress

import httpcore
import pytest

from draligned.retrieval.address import AddressPolicy, AddressRefused
from draligned.retrieval.transport import GuardedBackend
from draligned.retrieval.web import web_reader
from draligned.schema.config import ReadingConfig
from draligned.schema.retrieval import ReturnStatus

PAGE = b"<html><body><article>" + b"<p>The museum by the harbour opens at nine.</p>" * 6
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + PAGE
GOOD = "93.184.216.34"


class Recorder(httpcore.AsyncNetworkBackend):
    """Sockets that only write down where they would go and what they would send."""

    def __init__(self, *said: bytes, peer: str | None = None, down: Sequence[str] = ()) -> None:
        self.said = list(said) or [OK]
        self.opened: list[tuple[str, int]] = []
        self.sent: list[bytes] = []
        self.names: list[str | None] = []
        self.peer = peer
        self.down = down

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the base class has it
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.opened.append((host, port))
        if host in self.down:
            raise httpcore.ConnectError("down")
        return _Wire(self, self.peer or host)


class _Wire(httpcore.AsyncNetworkStream):
    def __init__(self, recorder: Recorder, peer: str) -> None:
        self._recorder = recorder
        self._peer = peer
        self._left = [recorder.said[min(len(recorder.sent), len(recorder.said) - 1)]]

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        return self._left.pop() if self._left else b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self._recorder.sent.append(buffer)

    async def aclose(self) -> None:
        pass

    async def start_tls(
        self,
        ssl_context: object,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        self._recorder.names.append(server_hostname)
        return self

    def get_extra_info(self, info: str) -> object:
        return (self._peer, 80) if info == "server_addr" else None


class Names:
    """A name service that may answer otherwise each time."""

    def __init__(self, *answers: Sequence[str] | OSError) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, OSError):
            raise answer
        return answer


async def read(
    url: str, wires: Recorder, names: Names, robots: bool = False, times: int = 1
) -> list[ReturnStatus]:
    config = ReadingConfig(robots=robots, delay_seconds=0.0)
    pages = web_reader(config, resolver=names, backend=wires)
    try:
        return [(await pages.read(url)).status for _ in range(times)]
    finally:
        await pages.aclose()


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::1"], ["fe80::1%2"], ["100.64.0.1"],
     ["::ffff:127.0.0.1"], ["2002:7f00:1::1"], ["64:ff9b::7f00:1"], ["0.0.0.0"], ["224.0.0.1"],
     [GOOD, "127.0.0.1"], ["192.168.1.1", GOOD], ["no address"]],
)  # fmt: skip
@pytest.mark.parametrize("robots", [False, True])
async def test_a_name_for_a_bad_address_opens_and_sends_nothing(
    addresses: list[str], robots: bool
) -> None:
    wires = Recorder()
    found = await read("http://evil.example/", wires, Names(addresses), robots)
    assert found == [ReturnStatus.ADDRESS]
    assert (wires.opened, wires.sent) == ([], [])


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://0x7f.1/", "http://[::1]/",
                                 "http://localhost/", "http://a:b@example.com/"])  # fmt: skip
async def test_a_bad_address_as_written_asks_no_name_service(url: str) -> None:
    wires, names = Recorder(), Names([GOOD])
    assert await read(url, wires, names) == [ReturnStatus.ADDRESS]
    assert (wires.opened, wires.sent, names.asked) == ([], [], [])


async def test_the_connection_goes_to_the_very_address_that_was_judged() -> None:
    wires, names = Recorder(), Names([GOOD], ["127.0.0.1"])
    assert await read("https://page.example/x", wires, names) == [ReturnStatus.OK]
    assert wires.opened == [(GOOD, 443)]
    assert names.asked == ["page.example"]
    assert wires.names == ["page.example"]
    assert b"\r\nHost: page.example\r\n" in b"".join(wires.sent)


async def test_a_name_that_changes_its_answer_gains_nothing() -> None:
    wires, names = Recorder(), Names([GOOD], ["127.0.0.1"], [GOOD], ["10.0.0.1"])
    found = await read("http://evil.example/", wires, names, times=4)
    ok, no = ReturnStatus.OK, ReturnStatus.ADDRESS
    assert found == [ok, no, ok, no]
    assert wires.opened == [(GOOD, 80)] * 2
    assert len(names.asked) == 4


async def replies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *said: bytes) -> None:
    """Answer one request with each of `said`, then end the connection without a word."""
    with suppress(asyncio.IncompleteReadError):
        for reply in said:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply)
            await writer.drain()
    writer.close()


async def visit(paths: Sequence[str], *said: bytes, origins: int = 1) -> tuple[list[str], int]:
    """Read `paths` in turn from each of so many servers of `said`: titles, and connections."""
    opened = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        await replies(reader, writer, *said)

    servers = [await asyncio.start_server(serve, "127.0.0.1", 0) for _ in range(origins)]
    ports = [server.sockets[0].getsockname()[1] for server in servers]
    config = ReadingConfig(
        allow=("127.0.0.1",), robots=False, delay_seconds=0.0, body_bytes=4_000, pdf_bytes=4_000
    )
    pages = web_reader(config)
    try:
        found = []
        for port in ports:
            for path in paths:
                answer = await pages.read(f"http://127.0.0.1:{port}/{path}")
                found.append(answer.title or str(answer.status))
                await asyncio.sleep(0.05)  # the end of a connection has arrived
        return found, opened
    finally:
        await pages.aclose()
        for server in servers:
            server.close()


def kept(title: str, more: bytes = b"") -> bytes:
    """A page whose server keeps the connection; `more` stands behind its end."""
    page = b"<title>" + title.encode() + b"</title>" + PAGE
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s%s" % (
        len(page), page, more,
    )  # fmt: skip


async def test_a_connection_serves_its_own_origin_again_and_no_other() -> None:
    assert await visit("ab", kept("first"), kept("second")) == (["first", "second"], 1)
    found = await visit("ab", kept("first"), kept("second"), origins=2)
    assert found == (["first", "second"] * 2, 2)


async def test_a_connection_that_the_server_ended_is_not_used_again() -> None:
    assert await visit("abc", kept("one")) == (["one"] * 3, 3)


async def test_what_stands_behind_an_answer_is_never_another_page() -> None:
    late = b"<html><body>the rest of a page that is longer than it says</body></html>"
    found, _ = await visit("ab", kept("first", late), kept("second"))
    assert found[0] == "first"
    assert found[1] in ("second", ReturnStatus.ERROR)


async def test_an_answer_that_was_cut_ends_its_connection() -> None:
    big = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 90000\r\n\r\n"
    big += b"<title>big</title>" + PAGE + b" " * 90_000
    assert await visit("ab", big, kept("second")) == (["big", "big"], 2)


@pytest.mark.parametrize("target", [b"http://10.0.0.1/", b"http://inside.example/", b"//[::1]/",
                                    b"http://2130706433/", b"http://x@b.example/"])  # fmt: skip
async def test_a_redirect_is_judged_like_the_first_address(target: bytes) -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: " + target + b"\r\nContent-Length: 0\r\n\r\n"
    wires, names = Recorder(moved), Names([GOOD], ["192.168.0.1"])
    assert await read("http://a.example/", wires, names) == [ReturnStatus.ADDRESS]
    assert wires.opened == [(GOOD, 80)]


async def test_where_a_connection_ended_is_judged_once_more() -> None:
    wires = Recorder(peer="127.0.0.1")
    assert await read("http://a.example/", wires, Names([GOOD])) == [ReturnStatus.ADDRESS]
    assert wires.sent == []


async def test_further_addresses_are_tried_up_to_four() -> None:
    many = [f"93.184.216.{n}" for n in range(34, 44)]
    wires = Recorder(down=many[:1])
    assert await read("http://a.example/", wires, Names(many)) == [ReturnStatus.OK]
    assert [host for host, _ in wires.opened] == many[:2]
    wires = Recorder(down=many)
    assert await read("http://a.example/", wires, Names(many)) == [ReturnStatus.ERROR]
    assert [host for host, _ in wires.opened] == many[:4]


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (socket.gaierror(socket.EAI_NONAME, "no"), ReturnStatus.NOT_FOUND),
        (socket.gaierror(socket.EAI_AGAIN, "later"), ReturnStatus.ERROR),
        (OSError("broken"), ReturnStatus.ERROR),
    ],
)
@pytest.mark.parametrize("robots", [False, True])
async def test_a_name_without_an_address(
    failure: OSError, status: ReturnStatus, robots: bool
) -> None:
    assert await read("http://a.example/", Recorder(), Names(failure), robots) == [status]
    assert await read("http://a.example/", Recorder(), Names(()), robots) == [ReturnStatus.ERROR]


async def test_local_sockets_are_not_opened() -> None:
    with pytest.raises(AddressRefused):
        await GuardedBackend(AddressPolicy()).connect_unix_socket("/run/x")


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    wires = Recorder()
    assert await read("http://a.example/", wires, Names([GOOD])) == [ReturnStatus.OK]
    assert wires.opened == [(GOOD, 80)]


async def test_a_reader_goes_past_the_proxies_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    recorder = Recorder()
    pages = web_reader(ReadingConfig(robots=False), backend=recorder)
    answer = await pages.read(f"http://{GOOD}/")
    await pages.aclose()
    assert answer.status is ReturnStatus.OK
    assert recorder.opened == [(GOOD, 80)]
