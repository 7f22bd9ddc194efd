"""What an episode asks of its workspace."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

CodeExit = Literal["ok", "error", "timeout", "killed"]


class FileEntry(NamedTuple):
    """One file of a workspace."""

    path: str
    size_bytes: int


@dataclass(frozen=True)
class CodeResult:
    """How a piece of code ended and what it did to the files."""

    exit: CodeExit
    """`ok` status 0, `error` any other, `timeout` a time limit, `killed` another limit."""
    output: str
    """Output and errors as one text, cut at the limit; lines in `[...]` at its end are ours."""
    saved: Mapping[str, str] = field(default_factory=dict)
    """New or changed files."""
    removed: tuple[str, ...] = ()
    """Files that were there before and are no longer."""


class Workspace(Protocol):
    """The files of one episode.

    Every method raises `WorkspaceRefusal` for what the agent may not do, and `SandboxFailed`
    when the workspace itself broke. One request runs at a time; others wait for their turn.
    """

    async def list_files(self) -> tuple[FileEntry, ...]:
        """All files, in the order of their paths."""
        ...

    async def read_file(self, path: str) -> str:
        """The text of a file."""
        ...

    async def write_file(self, path: str, content: str) -> None:
        """Make or replace a file and the folders above it."""
        ...

    async def edit_file(self, path: str, old: str, new: str) -> str:
        """Replace the one place where `old` occurs; returns the whole new text."""
        ...

    async def run_python(self, code: str) -> CodeResult:
        """Run code in the workspace's folder, with nothing but the standard library."""
        ...

    async def aclose(self) -> None:
        """End the workspace and everything that runs in it; may be called twice."""
        ...
