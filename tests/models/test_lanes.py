"""Connections to a provider: used again, one a request at a time, left to a proxy where one is."""

import asyncio

import httpx2
import pytest

from draligned.models.lanes import Lanes, lanes


class Server:
    """A loopback server that counts connections, and ends its answers once all are under way."""

    def __init__(self, at_once: int) -> None:
        self.connections = 0
        self.under_way = asyncio.Barrier(at_once)
        self.handlers: set[asyncio.Task[None] | None] = set()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.handlers.add(asyncio.current_task())
        while await reader.readline():
            while (await reader.readline()).strip():
                pass
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok")
            await self.under_way.wait()
            writer.write(b"ay")
        writer.close()
        await writer.wait_closed()


async def _served(at_once: int, rounds: int) -> Server:
    server = Server(at_once)
    listening = await asyncio.start_server(server, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
    async with httpx2.AsyncClient(transport=Lanes()) as client:
        for _ in range(rounds):
            answers = await asyncio.gather(*(client.get(url) for _ in range(at_once)))
            assert [answer.text for answer in answers] == ["okay"] * at_once
    listening.close()
    await asyncio.gather(*(task for task in server.handlers if task is not None))
    return server


async def test_a_connection_is_used_again_and_never_twice_at_once() -> None:
    """Bodies still under way hold their connections: headers alone set none free."""
    assert (await _served(at_once=3, rounds=4)).connections == 3


async def test_more_connections_are_kept_than_the_pool_would_keep() -> None:
    assert (await _served(at_once=120, rounds=3)).connections == 120


async def test_a_call_that_fails_gives_its_lane_back() -> None:
    transport = Lanes()
    async with httpx2.AsyncClient(transport=transport) as client:
        for _ in range(3):
            with pytest.raises(httpx2.ConnectError):
                await client.get("http://127.0.0.1:1/")
        assert len(transport._all) == len(transport._free) == 1


def test_a_proxy_is_left_to_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert lanes() is None
    monkeypatch.delenv("HTTPS_PROXY")
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert isinstance(lanes(), Lanes)
