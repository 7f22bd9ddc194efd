"""What an episode has saved: its report, or its files in the sandbox."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from draligned.harnesses.sandbox.protocol import CodeResult, Workspace
from draligned.schema.errors import SandboxFailed
from draligned.store.blobs import Blobs

T = TypeVar("T")
OpenWorkspace = Callable[[Mapping[str, str]], Awaitable[Workspace]]


class Desk:
    """Saved texts by path. The sandbox is started when a file is first touched, with the
    files that the log knows of, and started again should it die."""

    def __init__(self, blobs: Blobs, saved: Mapping[str, str], opener: OpenWorkspace) -> None:
        self._blobs = blobs
        self._opener = opener
        self._workspace: Workspace | None = None
        self.saved: dict[str, str] = dict(saved)
        """SHA-256 of the text of every path, as of the calls that have run."""

    def text(self, path: str) -> str | None:
        """The text saved at `path`, if any."""
        sha256 = self.saved.get(path)
        return None if sha256 is None else self._blobs.get(sha256)

    def keep(self, path: str, text: str) -> str:
        """Remember a saved text; its SHA-256."""
        self.saved[path] = self._blobs.put(text)
        return self.saved[path]

    async def use(self, work: Callable[[Workspace], Awaitable[T]]) -> T:
        """`work` on the sandbox; once more in a new one where the first one died.

        Raises `WorkspaceRefusal`, or `SandboxFailed` when the second one dies too.
        """
        try:
            return await work(await self._open())
        except SandboxFailed:
            await self.aclose()
            return await work(await self._open())

    async def run_code(self, code: str) -> CodeResult:
        """Run code, once. Raises `SandboxFailed` where it took the sandbox down with it."""
        workspace = await self._open()
        try:
            return await workspace.run_python(code)
        except SandboxFailed:
            await self.aclose()
            raise

    def forget(self, path: str) -> None:
        """A file that code removed."""
        self.saved.pop(path, None)

    async def aclose(self) -> None:
        """End the sandbox; what was saved is not lost."""
        workspace, self._workspace = self._workspace, None
        if workspace is not None:
            await workspace.aclose()

    async def _open(self) -> Workspace:
        if self._workspace is None:
            files = {path: self._blobs.get(sha) for path, sha in self.saved.items()}
            self._workspace = await self._opener(files)
        return self._workspace
