"""A conversation with an MCP server in either of the protocol's two forms.

Up to revision 2025-11-25 it begins with `initialize`; from 2026-07-28 each request stands for
itself and says in `_meta` who asks. Most servers in use know the first, so it is tried first.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from draligned.retrieval.search.rpc import Json, RpcBroken, RpcError, Wire

HANDSHAKE_VERSION = "2025-11-25"
STATELESS_VERSION = "2026-07-28"
_CLIENT = {"name": "draligned", "version": "1"}
_PAGES = 20
_META = "io.modelcontextprotocol/"


class McpSession:
    """Lists and calls the tools of one server. Raises `RpcBroken` and `RpcError`."""

    def __init__(self, wire: Wire, seconds: float) -> None:
        self._wire = wire
        self._seconds = seconds
        self._number = 0
        self._version: str | None = None
        self._stateless = False
        self._opening = asyncio.Lock()
        self._users = 0
        self._retired = False

    @asynccontextmanager
    async def in_use(self) -> AsyncIterator[None]:
        """Held by each who asks: a retired session is closed by the last of them."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if self._retired and not self._users:
                await self.aclose()

    def retire(self) -> None:
        """Nobody is to begin anything here: it broke for one, and others may be under way."""
        self._retired = True

    async def tools(self) -> list[Json]:
        """All tools that the server offers."""
        await self._open()
        found: list[Json] = []
        cursor: Any = None
        for _ in range(_PAGES):
            result = await self._ask("tools/list", {"cursor": cursor} if cursor else {})
            listed = result.get("tools")
            if not isinstance(listed, list):
                raise RpcBroken("the server lists no tools")
            found += [tool for tool in listed if isinstance(tool, dict)]
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                break
        return found

    async def call(self, tool: str, arguments: Json) -> Json:
        """The result of one call, as it came."""
        await self._open()
        return await self._ask("tools/call", {"name": tool, "arguments": arguments})

    async def aclose(self) -> None:
        """Close the wire; a server that was started here is asked nothing more."""
        self._version, self._stateless = None, False
        await self._wire.aclose()

    async def _open(self) -> None:
        async with self._opening:
            if self._version is not None:
                return
            if self._retired:
                raise RpcBroken("the server did not begin")
            params = {
                "protocolVersion": HANDSHAKE_VERSION,
                "capabilities": {},
                "clientInfo": _CLIENT,
            }
            try:
                result = await self._ask("initialize", params)
            except RpcError:
                self._begin_stateless()
                return
            except RpcBroken as broken:
                if broken.reply is None or broken.reply.code != 400:
                    raise
                self._begin_stateless()
                return
            version = result.get("protocolVersion")
            self._version = version if isinstance(version, str) else HANDSHAKE_VERSION
            note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            await self._wire.tell(note, self._headers("", {}), self._seconds)

    def _begin_stateless(self) -> None:
        """Go on without a handshake: the server does not know it."""
        self._version, self._stateless = STATELESS_VERSION, True

    async def _ask(self, method: str, params: Json) -> Json:
        self._number += 1
        if self._stateless:
            params = {**params, "_meta": self._meta()}
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        answer = await self._wire.ask(message, self._headers(method, params), self._seconds)
        if isinstance(error := answer.get("error"), dict):
            raise RpcError(error.get("code"), error.get("message"))
        result = answer.get("result")
        if not isinstance(result, dict):
            raise RpcBroken("the answer has no result")
        return result

    def _meta(self) -> Json:
        return {
            f"{_META}protocolVersion": STATELESS_VERSION,
            f"{_META}clientCapabilities": {},
            f"{_META}clientInfo": _CLIENT,
        }

    def _headers(self, method: str, params: Json) -> Mapping[str, str]:
        if self._version is None:
            return {}
        headers = {"MCP-Protocol-Version": self._version}
        if self._stateless:
            headers["Mcp-Method"] = method
            name = params.get("name")
            if isinstance(name, str) and name.isascii() and name.isprintable():
                headers["Mcp-Name"] = name
        return headers
