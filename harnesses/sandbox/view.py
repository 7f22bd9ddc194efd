"""What can be seen from inside: system libraries, the interpreter, and no more."""

import json
import os
import sys
from functools import cache
from typing import NamedTuple

from draligned.harnesses.sandbox.bundle import options
from draligned.harnesses.sandbox.limits import Limits
from draligned.harnesses.sandbox.paths import WORK

SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin")
STORES = ("/nix/store", "/gnu/store")
"""Where whole systems keep their libraries; shown where the interpreter comes from there."""
PREFIX = "/python"
"""Where an interpreter from elsewhere is shown."""


class View(NamedTuple):
    """Trees, links and variables of the inside; everything is read-only but the work folder."""

    binds: tuple[tuple[str, str], ...]
    """Path outside, path inside."""
    links: tuple[tuple[str, str], ...]
    """Text of the link, path inside."""
    python: str
    variables: tuple[tuple[str, str], ...]


@cache
def view() -> View:
    """The view for this interpreter on this system."""
    prefix = os.path.realpath(sys.base_prefix)
    python = os.path.realpath(sys.executable)
    stores = [s for s in STORES if prefix.startswith(f"{s}/")]
    present = [p for p in SYSTEM if os.path.isdir(p)]
    binds = [(p, p) for p in [*present, *stores] if not os.path.islink(p)]
    links = [(os.readlink(p).lstrip("/"), p) for p in present if os.path.islink(p)]
    if not _shown(prefix, binds):
        binds.append((prefix, PREFIX))
        python = os.path.join(PREFIX, os.path.relpath(python, prefix))
    return View(tuple(binds), tuple(links), python, _variables(prefix, python))


def worker_argv(limits: Limits, user: int | None, walled: bool) -> list[str]:
    """The worker's command inside; `user` is the id it drops to, none where it is already that."""
    settings = {**limits.settings(), "user": user or 0, "walled": walled}
    return [view().python, *options("main"), json.dumps(settings)]


def _shown(path: str, binds: list[tuple[str, str]]) -> bool:
    return any(path == inside or path.startswith(f"{inside}/") for _, inside in binds)


def _variables(prefix: str, python: str) -> tuple[tuple[str, str], ...]:
    variables = {
        "PATH": "/usr/bin:/bin",
        "HOME": WORK,
        "TMPDIR": WORK,
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
    }
    if prefix != "/usr":
        libraries = os.path.join(os.path.dirname(os.path.dirname(python)), "lib")
        variables["LD_LIBRARY_PATH"] = libraries
    return tuple(variables.items())
