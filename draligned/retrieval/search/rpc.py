"""JSON-RPC to an MCP server: over its standard streams, or by POST to its address.

The two transports of the Model Context Protocol, as little of them as a search needs: requests
and their answers. Messages that a server sends on its own are answered or passed over.
"""

import asyncio
import json
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol

import httpx

from draligned.retrieval.search.call import Call, Reply, Unanswered, search_client, send
from draligned.retrieval.search.judge import error_text, load
from draligned.retrieval.search.outcome import Unreadable
from draligned.schema.strictjson import visible

Json = dict[str, Any]
_LINE_BYTES = 4_000_000
_CLOSE_SECONDS = 1.0
_INHERITED = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "TEMP")
"""Of the environment, all that a server started here gets besides its key."""


class RpcBroken(Exception):
    """No answer came; `reply` is what came in its place over HTTP."""

    def __init__(self, detail: str, reply: Reply | None = None, *, timed_out: bool = False) -> None:
        super().__init__(detail)
        self.reply = reply
        self.timed_out = timed_out


class NotStarted(RpcBroken):
    """The command of a server cannot be run at all."""


class RpcError(Exception):
    """The server's own error."""

    def __init__(self, code: Any, message: Any) -> None:
        super().__init__(f"error {visible(str(code), 20)}: {visible(str(message), 200)}")


class Wire(Protocol):
    """Carries messages to a server."""

    async def ask(self, message: Json, headers: Mapping[str, str], seconds: float) -> Json:
        """Send a request; the message that answers it. Raises `RpcBroken`."""
        ...

    async def tell(self, message: Json, headers: Mapping[str, str], seconds: float) -> None:
        """Send a notification. Raises `RpcBroken`."""
        ...

    async def aclose(self) -> None:
        """Close the connection or end the process."""
        ...


class StdioWire:
    """A server started here, a message a line. Once it is gone, so is the wire."""

    def __init__(self, command: tuple[str, ...], extra: Mapping[str, str]) -> None:
        self._command = command
        self._env = {k: os.environ[k] for k in _INHERITED if k in os.environ} | dict(extra)
        self._process: Process | None = None
        self._listener: asyncio.Task[None] | None = None
        self._waiting: dict[Any, asyncio.Future[Json]] = {}
        self._closed = False

    async def ask(self, message: Json, headers: Mapping[str, str], seconds: float) -> Json:
        """See `Wire.ask`."""
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                await self._start()
                self._waiting[message["id"]] = answer
                await self._write(message)
                return await answer
        except TimeoutError:
            raise RpcBroken(f"no answer within {seconds:g} s", timed_out=True) from None
        finally:
            self._waiting.pop(message["id"], None)

    async def tell(self, message: Json, headers: Mapping[str, str], seconds: float) -> None:
        """See `Wire.tell`."""
        try:
            async with asyncio.timeout(seconds):
                await self._write(message)
        except TimeoutError:
            raise RpcBroken(f"nothing was taken within {seconds:g} s", timed_out=True) from None

    async def aclose(self) -> None:
        """End the process and what it started: its input closes, and what stays is killed.

        For good: who still waits to ask would start a process that nobody ends.
        """
        self._closed = True
        process, self._process = self._process, None
        listener, self._listener = self._listener, None
        if process is None:
            return
        if listener is not None:
            listener.cancel()
            await asyncio.gather(listener, return_exceptions=True)
        if process.stdin is not None:
            process.stdin.close()
        rest = asyncio.create_task(_discard(process))
        try:
            if not await _ended(process):
                _kill(process)
                await _ended(process)
        finally:
            _kill(process)
            rest.cancel()
            await asyncio.gather(rest, return_exceptions=True)

    async def _start(self) -> None:
        if self._closed:
            raise RpcBroken("the server has ended")
        if self._process is not None:
            return
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=self._env,
                limit=_LINE_BYTES, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise NotStarted(f"{self._command[0]} cannot be started: {error.strerror}") from error
        self._listener = asyncio.create_task(self._listen(self._process))

    async def _write(self, message: Json) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise RpcBroken("the server is not running")
        process.stdin.write(json.dumps(message, ensure_ascii=True).encode() + b"\n")
        try:
            await process.stdin.drain()
        except ConnectionError:
            raise RpcBroken("the server has ended") from None

    async def _listen(self, process: Process) -> None:
        """Hand answers to those who wait, until the server ends or says something too long."""
        why = "the server has ended"
        try:
            while process.stdout is not None and (line := await process.stdout.readline()):
                await self._take(line)
                await asyncio.sleep(0)  # a server that never stops talking leaves others their turn
        except ValueError:
            why = "the answer exceeds the size limit"
        except RpcBroken:
            pass
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(RpcBroken(why))

    async def _take(self, line: bytes) -> None:
        try:
            message = load(line)
        except Unreadable:
            return
        if not isinstance(message, dict):
            return
        answer = self._waiting.get(_id_of(message))
        if answer is not None and "method" not in message:
            if not answer.done():
                answer.set_result(message)
        elif "method" in message and "id" in message:
            await self._write(_answer_to(message))


async def _ended(process: Process) -> bool:
    """Whether the process has ended and its pipes are closed, within a short time."""
    try:
        await asyncio.wait_for(process.wait(), _CLOSE_SECONDS)
    except TimeoutError:
        return False
    return True


async def _discard(process: Process) -> None:
    """Read what is still said: the end of a process is noticed after all of it."""
    while process.stdout is not None and await process.stdout.read(_LINE_BYTES):
        pass


def _kill(process: Process) -> None:
    """Kill the process and its group, which may outlive it: a server is often a script's child."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class HttpWire:
    """A server at an address; each message is a POST, its answer JSON or one event of a stream."""

    def __init__(self, url: str, key: Callable[[], str]) -> None:
        self._url = url
        self._key = key
        self._client: httpx.AsyncClient | None = None
        self._session: str | None = None

    async def ask(self, message: Json, headers: Mapping[str, str], seconds: float) -> Json:
        """See `Wire.ask`."""
        reply = await self._post(message, headers, seconds)
        if reply.code != 200:
            raise RpcBroken(f"HTTP {reply.code}: {error_text(reply.body)}", reply)
        if message["method"] == "initialize":
            self._session = reply.headers.get("mcp-session-id")
        for payload in _messages(reply):
            if _answers(payload, message):
                return dict(payload)
        raise RpcBroken(f"the answer is no JSON-RPC: {error_text(reply.body)}", reply)

    async def tell(self, message: Json, headers: Mapping[str, str], seconds: float) -> None:
        """See `Wire.tell`."""
        reply = await self._post(message, headers, seconds)
        if reply.code >= 300:
            raise RpcBroken(f"HTTP {reply.code}: {error_text(reply.body)}", reply)

    async def aclose(self) -> None:
        """Close the connections. The session, if there is one, is left to end by itself."""
        client, self._client, self._session = self._client, None, None
        if client is not None:
            await client.aclose()

    async def _post(self, message: Json, headers: Mapping[str, str], seconds: float) -> Reply:
        self._client = self._client or search_client()
        key = self._key()
        sent = {"Accept": "application/json, text/event-stream", **headers}
        if key:
            sent["Authorization"] = f"Bearer {key}"
        if self._session:
            sent["Mcp-Session-Id"] = self._session
        call = Call(method="POST", url=self._url, headers=sent, body=message)
        said = await send(self._client, call, seconds)
        if isinstance(said, Unanswered):
            raise RpcBroken(said.detail, timed_out=said.timed_out)
        return said


def _answers(payload: Any, message: Json) -> bool:
    """Whether a message is the answer to a request; a server's own requests have ids too."""
    if not isinstance(payload, dict) or "method" in payload:
        return False
    return bool(payload.get("id") == message["id"])


def _messages(reply: Reply) -> Iterator[Any]:
    """The messages of a reply, whichever of the two forms it has; what is none is passed over."""
    streamed = reply.headers.get("content-type", "").lower().startswith("text/event-stream")
    parts = _events(reply.body) if streamed else [reply.body]
    for part in parts:
        try:
            payload = load(part)
        except Unreadable:
            continue
        yield from payload if isinstance(payload, list) else [payload]


def _events(body: bytes) -> Iterator[bytes]:
    """The data of server-sent events."""
    data: list[bytes] = []
    for line in [*body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"), b""]:
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []


def _id_of(message: Json) -> Any:
    found = message.get("id")
    return found if isinstance(found, int | str) else None


def _answer_to(message: Json) -> Json:
    """What a server that asks us gets: a pong, or that nothing is offered."""
    head = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "ping":
        return {**head, "result": {}}
    return {**head, "error": {"code": -32601, "message": "method not found"}}
