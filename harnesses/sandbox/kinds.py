"""The kinds of sandbox there are, and how each is started."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from draligned.harnesses.sandbox import bubblewrap, namespaces
from draligned.harnesses.sandbox.bundle import bundle
from draligned.harnesses.sandbox.inside import landlock
from draligned.harnesses.sandbox.limits import Limits
from draligned.harnesses.sandbox.users import next_user


class Kind(StrEnum):
    """What stands between the code and the machine."""

    BUBBLEWRAP = "bubblewrap"
    NAMESPACES = "namespaces"


COMMANDS: dict[Kind, Callable[[Limits, int | None, bool], list[str]]] = {
    Kind.BUBBLEWRAP: bubblewrap.command,
    Kind.NAMESPACES: namespaces.command,
}
PROGRAMS = {Kind.BUBBLEWRAP: 1, Kind.NAMESPACES: 2}
"""How many interpreters start one after the other, each reading the bundle."""
SEARCH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where programs are looked for; nothing else of the environment is handed on."""


def prelude(kind: Kind) -> bytes:
    """What is to be sent before the first request."""
    return bundle() * PROGRAMS[kind]


def start(kind: Kind, limits: Limits, errors: int) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a worker; the process and our end of its channel. Raises `OSError`.

    `errors` is where the standard error of the launcher and the worker goes.
    """
    argv = COMMANDS[kind](limits, next_user(), landlock.abi() > 0)
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(
                argv,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=errors,
                env={"PATH": SEARCH},
                cwd="/",
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
    return process, ours


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a launcher and the worker below it.

    Bubblewrap run by root gives its powers up, so that its own death does not reach a worker
    that has become another user.
    """
    below = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    with suppress(OSError):
        for child in below.read_text(encoding="ascii").split():
            os.kill(int(child), signal.SIGKILL)
    process.kill()
