"""Which kinds work here: each is started once and tried, since being installed proves nothing."""

import json
import os
import platform
import socket
import sys
import tempfile
from collections.abc import Mapping
from functools import cache

from draligned.harnesses.sandbox.inside import seccomp
from draligned.harnesses.sandbox.kinds import Kind, kill, prelude, start
from draligned.harnesses.sandbox.limits import Limits
from draligned.schema.errors import ConfigError

VARIABLE = "DRALIGNED_SANDBOX"
PATIENCE = 15.0
"""Seconds that a trial may take."""
TRIAL = """
import os, socket
assert os.getuid() != 0, "still root"
assert sorted(os.listdir("/files")) == ["trial.md"], "wrong folder"
assert not os.path.exists("/etc/passwd") and not os.path.exists("/proc/1"), "the host shows"
for attempt in (lambda: socket.socket(), lambda: open("/made", "w"), lambda: os.mkdir("/made")):
    try:
        attempt()
    except OSError:
        continue
    raise AssertionError("something that must fail went well")
os.waitpid(os.fork() or os._exit(0), 0)
print("confined")
"""
"""Code that ends well only where the sandbox holds."""
HINT = "install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap)"


def available() -> tuple[Kind, ...]:
    """The kinds that work here, best first; tried once for each process."""
    return tuple(kind for kind in Kind if problem(kind) is None)


def require() -> Kind:
    """The kind to use: the one that `DRALIGNED_SANDBOX` names, else the best that works.

    Raises `ConfigError` with what is missing where there is none: nothing runs unprotected.
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return _first()
    if named not in {kind.value for kind in Kind}:
        choices = ", ".join(kind.value for kind in Kind)
        raise ConfigError(f"{VARIABLE} is {named!r}; it may be one of: {choices}")
    kind = Kind(named)
    why = problem(kind)
    if why is not None:
        raise ConfigError(f"{VARIABLE} asks for {kind.value}, which does not work here: {why}")
    return kind


def _first() -> Kind:
    reasons = []
    for kind in Kind:
        why = problem(kind)
        if why is None:
            return kind
        reasons.append(f"{kind.value}: {why}")
    found = "; ".join(reasons)
    raise ConfigError(
        f"no sandbox works here, and workspaces never run without one ({found}); {HINT}"
    )


@cache
def problem(kind: Kind) -> str | None:
    """Why a kind does not work here, in one line; none if it does."""
    if not sys.platform.startswith("linux"):
        return f"sandboxes need Linux, and this is {platform.system()}"
    if not seccomp.supported(platform.machine()):
        known = ", ".join(seccomp.MACHINES)
        return f"the system call filter knows {known}, and this is {platform.machine()}"
    with tempfile.TemporaryFile() as errors:
        try:
            return _trial(kind, errors.fileno())
        except FileNotFoundError as missing:
            return f"{missing.filename} is not installed"
        except (OSError, ValueError, KeyError) as failure:
            errors.seek(0)
            said = errors.read(4096).decode("utf-8", "replace").strip().splitlines()
            return said[-1] if said else f"{type(failure).__name__}: {failure}"


def _trial(kind: Kind, errors: int) -> str | None:
    process, ours = start(kind, Limits(), errors)
    try:
        with ours:
            ours.settimeout(PATIENCE)
            ours.sendall(prelude(kind))
            _exchange(ours, {"do": "write", "path": "trial.md", "content": "text"})
            ended = _exchange(ours, {"do": "run", "source": TRIAL})["done"]
    finally:
        kill(process)
        process.wait()
    if ended["output"] == "confined\n" and ended["exit"] == "ok":
        return None
    return f"a trial ended with: {str(ended['output']).strip().splitlines()[-1:]}"


def _exchange(ours: socket.socket, request: Mapping[str, str]) -> dict[str, dict[str, str]]:
    ours.sendall(json.dumps(request).encode() + b"\n")
    with ours.makefile("rb") as answers:
        answer: dict[str, dict[str, str]] = json.loads(answers.readline())
    return answer
