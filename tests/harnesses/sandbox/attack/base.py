"""What the attacks share."""

from collections.abc import Awaitable, Callable

from draligned.harnesses.sandbox.kinds import Kind
from draligned.harnesses.sandbox.limits import MIB, Limits
from draligned.harnesses.sandbox.protocol import CodeResult, Workspace
from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

LIMITS = Limits(
    file_bytes=MIB, files=12, disk_bytes=4 * MIB, output_bytes=4096, code_seconds=20.0, processes=6
)
HASTY = Limits(code_seconds=0.5, processes=6)
MARK = "DRALIGNED_TEST_SECRET"
TRY = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, do, *args):
    try:
        done = do(*args)
    except BaseException as failure:
        number = getattr(failure, "errno", None)
        print(name, errno.errorcode.get(number, type(failure).__name__), flush=True)
    else:
        failed = isinstance(done, int) and done == -1
        print(name, errno.errorcode[ctypes.get_errno()] if failed else "DONE", flush=True)
"""

Attack = Callable[[Workspace], Awaitable[None]]
ATTACKS: dict[str, Attack] = {}


def attack(function: Attack) -> Attack:
    """Register an attack under its name."""
    ATTACKS[function.__name__] = function
    return function


async def lines(workspace: Workspace, code: str) -> list[str]:
    """Lines that code prints; it must end well."""
    result = await workspace.run_python(TRY + code)
    assert result.exit == "ok", result
    return result.output.splitlines()


async def refused(asked: Awaitable[object]) -> RefusalReason:
    """The reason of a refusal."""
    try:
        await asked
    except WorkspaceRefusal as refusal:
        return refusal.reason
    raise AssertionError("it was not refused")


async def works(workspace: Workspace) -> None:
    """The workspace still does its work, and its answers are its own."""
    await workspace.write_file("after.md", "still here")
    assert await workspace.read_file("after.md") == "still here"
    result = await workspace.run_python("print(open('after.md').read())")
    assert result == CodeResult("ok", "still here\n"), result


class Opened:
    """A workspace that knows its kind."""

    def __init__(self, workspace: Workspace, kind: Kind) -> None:
        self.kind = kind
        self._workspace = workspace

    def __getattr__(self, name: str) -> object:
        return getattr(self._workspace, name)
