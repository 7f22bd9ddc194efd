"""The namespaces alone, without the filter of system calls: each wall holds by itself.

A probe runs where the worker would. Each test shows as well that the probe finds a missing wall,
so that none of them can pass by looking the wrong way.
"""

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from draligned.harnesses.sandbox import bubblewrap, namespaces, view
from draligned.harnesses.sandbox.bundle import bundle
from draligned.harnesses.sandbox.kinds import SEARCH, Kind
from draligned.harnesses.sandbox.limits import MIB, Limits
from draligned.harnesses.sandbox.users import next_user

from .kinds import needed

PROBE = """
import json, os, socket, sys
port, abstract = sys.argv[1:]
def tried(do, *args):
    try:
        do(*args)
    except OSError as failure:
        return type(failure).__name__
    return "went well"
def fill():
    with open("/files/big", "wb", buffering=0) as file:
        while file.write(bytes(1 << 20)) == 1 << 20:
            pass
print(json.dumps({
    "interfaces": [name for _, name in socket.if_nameindex()],
    "connect": tried(socket.create_connection, ("127.0.0.1", int(port)), 2),
    "abstract": tried(socket.socket(socket.AF_UNIX).connect, "\\0" + abstract),
    "me": os.getpid(),
    "write": [tried(open, path, "w") for path in ("/x", "/usr/x", "/dev/x", "/files/x")],
    "disk": os.statvfs("/files").f_blocks * os.statvfs("/files").f_frsize,
    "fill": tried(fill),
    "root": sorted(os.listdir("/")),
    "host": os.uname().nodename,
    "variables": sorted(os.environ),
}))
"""
ABSTRACT = "draligned-test-listener"
LIMITS = Limits(disk_bytes=2 * MIB)


@pytest.fixture
def listeners() -> Iterator[str]:
    """Something of the host to reach: a port, which is returned, and an abstract name."""
    with ExitStack() as held:
        port = held.enter_context(socket.create_server(("127.0.0.1", 0)))
        named = held.enter_context(socket.socket(socket.AF_UNIX))
        named.bind("\0" + ABSTRACT)
        named.listen()
        yield str(port.getsockname()[1])


def probe(kind: Kind, port: str) -> dict[str, object]:
    payload = [view.view().python, "-I", "-S", "-c", PROBE, port, ABSTRACT]
    around = {Kind.BUBBLEWRAP: bubblewrap.around, Kind.NAMESPACES: namespaces.around}[kind]
    done = subprocess.run(
        around(LIMITS, next_user(), payload),
        input=bundle() if kind is Kind.NAMESPACES else b"",
        capture_output=True,
        env={"PATH": SEARCH, "SECRET": "x"},
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("kind", list(Kind))
def test_every_wall_holds_by_itself(kind: Kind, listeners: str) -> None:
    seen = probe(needed(kind), listeners)
    assert seen["interfaces"] == ["lo"]
    assert seen["connect"] in {"ConnectionRefusedError", "OSError"}
    assert seen["abstract"] == "ConnectionRefusedError"
    assert seen["me"] == 1
    writes = seen["write"]
    assert isinstance(writes, list)
    assert "went well" not in writes[:3]
    assert writes[3] == "went well"
    assert seen["disk"] == 2 * MIB
    assert seen["fill"] == "OSError"
    assert seen["host"] == "sandbox"
    variables = seen["variables"]
    assert isinstance(variables, list)
    assert "SECRET" not in variables
    root = seen["root"]
    assert isinstance(root, list)
    assert set(root) - {"lib", "lib32", "lib64", "libx32", "python"} == {
        "bin",
        "dev",
        "files",
        "usr",
    }


def test_the_probe_sees_a_missing_network_wall_in_bubblewrap(
    listeners: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed(Kind.BUBBLEWRAP)
    walls = tuple(wall for wall in bubblewrap.NAMESPACES if wall != "--unshare-net")
    monkeypatch.setattr(bubblewrap, "NAMESPACES", walls)
    seen = probe(Kind.BUBBLEWRAP, listeners)
    assert (seen["connect"], seen["abstract"]) == ("went well", "went well")
