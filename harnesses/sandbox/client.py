"""The driver's side of a workspace: one worker process, one request at a time."""

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from draligned.harnesses.sandbox.find import require
from draligned.harnesses.sandbox.kinds import Kind, kill, prelude, start
from draligned.harnesses.sandbox.limits import Limits
from draligned.harnesses.sandbox.paths import check_path
from draligned.harnesses.sandbox.protocol import CodeExit, CodeResult, FileEntry, Workspace
from draligned.harnesses.sandbox.texts import as_bytes
from draligned.schema.errors import SandboxFailed, WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

GRACE_SECONDS = 2.0
"""How long a worker may take to end by itself, so that its launcher can collect it."""


async def open_workspace(
    files: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    kind: Kind | None = None,
) -> Workspace:
    """Start a worker and give it the first files.

    Raises `ConfigError` where no sandbox works, `SandboxFailed` where it does not start, and
    `WorkspaceRefusal` for a file it does not take.
    """
    chosen = await asyncio.to_thread(require) if kind is None else kind
    workspace = SandboxWorkspace(limits or Limits(), chosen)
    try:
        await workspace.start(files or {})
    except BaseException:
        await workspace.aclose()
        raise
    return workspace


class SandboxWorkspace:
    """A `Workspace` in a worker process; made by `open_workspace`."""

    def __init__(self, limits: Limits, kind: Kind) -> None:
        self._limits = limits
        self._kind = kind
        self._turn = asyncio.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._broken: str | None = "it was not started"
        self._ending: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The launcher's process id, while there is one."""
        return self._process.pid if self._process else None

    async def start(self, files: Mapping[str, str]) -> None:
        """Start the process and write the first files."""
        for path, content in files.items():
            self._check(path, content)
        try:
            self._process, ours = start(self._kind, self._limits, subprocess.DEVNULL)
        except OSError as failure:
            raise SandboxFailed(f"{self._kind.value} did not start: {failure}") from failure
        self._streams = await _connected(ours, self._limits.line_bytes)
        self._streams[1].write(prelude(self._kind))
        self._broken = None
        await self._ask("fill", files=dict(files))

    async def list_files(self) -> tuple[FileEntry, ...]:
        """See `Workspace`."""
        return tuple(FileEntry(path, size) for path, size in await self._ask("list"))

    async def read_file(self, path: str) -> str:
        """See `Workspace`."""
        check_path(path)
        return cast(str, await self._ask("read", path=path))

    async def write_file(self, path: str, content: str) -> None:
        """See `Workspace`."""
        self._check(path, content)
        await self._ask("write", path=path, content=content)

    async def edit_file(self, path: str, old: str, new: str) -> str:
        """See `Workspace`."""
        self._check(path, old)
        self._check(path, new)
        return cast(str, await self._ask("edit", path=path, old=old, new=new))

    async def run_python(self, code: str) -> CodeResult:
        """See `Workspace`."""
        as_bytes(code, None, self._limits.file_bytes)
        done = await self._ask("run", self._limits.code_seconds, source=code)
        return CodeResult(
            exit=cast(CodeExit, done["exit"]),
            output=done["output"],
            saved=done["saved"],
            removed=tuple(done["removed"]),
        )

    async def aclose(self) -> None:
        """See `Workspace`. Ends it even if the caller is cancelled meanwhile."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    def _check(self, path: str, content: str) -> None:
        check_path(path)
        as_bytes(content, path, self._limits.file_bytes)

    async def _ask(self, do: str, more_seconds: float = 0.0, **fields: Any) -> Any:
        line = json.dumps({"do": do, **fields}, ensure_ascii=False).encode() + b"\n"
        async with self._turn:
            reason = "it was closed" if self._ending else self._broken
            if reason is not None:
                raise SandboxFailed(f"the workspace cannot be used: {reason}")
            self._broken = "a request was broken off"
            answer = await self._exchange(line, self._limits.request_seconds + more_seconds)
            self._broken = None
        if isinstance(answer, WorkspaceRefusal):
            raise answer
        return answer["done"]

    async def _exchange(self, line: bytes, seconds: float) -> dict[str, Any] | WorkspaceRefusal:
        assert self._streams is not None
        reader, writer = self._streams
        try:
            async with asyncio.timeout(seconds):
                writer.write(line)
                await writer.drain()
                answer = await reader.readuntil(b"\n")
            return _read_answer(answer)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as failure:
            self._broken = f"{type(failure).__name__} while waiting for the worker"
            if self._process is not None:
                kill(self._process)
            raise SandboxFailed(f"the workspace broke: {self._broken}") from failure

    async def _end(self) -> None:
        if self._streams is not None:
            # Nothing more is to be sent: a worker that hangs would never take it.
            self._streams[1].transport.abort()
            with suppress(OSError):
                await self._streams[1].wait_closed()
        if self._process is not None:
            await _collected(self._process)


async def _connected(
    ours: socket.socket, limit: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        return await asyncio.open_unix_connection(sock=ours, limit=limit)
    except BaseException:
        ours.close()
        raise


def _read_answer(line: bytes) -> dict[str, Any] | WorkspaceRefusal:
    answer = json.loads(line)
    if isinstance(answer, dict) and set(answer) == {"refused", "path"}:
        return WorkspaceRefusal(RefusalReason(answer["refused"]), answer["path"])
    if isinstance(answer, dict) and set(answer) == {"done"}:
        return answer
    raise ValueError("not an answer")


async def _collected(process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has ended, in the end by killing it; no zombie stays."""
    if process.poll() is not None:
        return
    ended = asyncio.Event()
    handle = os.pidfd_open(process.pid)
    loop = asyncio.get_running_loop()
    loop.add_reader(handle, ended.set)
    try:
        async with asyncio.timeout(GRACE_SECONDS):
            await ended.wait()
    except TimeoutError:
        kill(process)
        await ended.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)
        process.wait()
