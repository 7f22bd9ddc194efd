"""MCP servers that are started here: they hang, never stop talking, and end with us."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from draligned.retrieval.search.mcp import McpSearch
from draligned.schema.retrieval import ReturnStatus

from .doubles import source
from .test_mcp import GOOD, SERVER


async def test_a_server_that_hangs_ends_with_the_time_allowed_and_is_killed() -> None:
    command = (sys.executable, "-S", SERVER, json.dumps({"result": GOOD, "hang": True}))
    backend = McpSearch("web", source("mcp", None, command=command, timeout_seconds=0.5))
    outcome = await backend.search("x")
    assert (outcome.status, outcome.timed_out) == (ReturnStatus.ERROR, True)
    await backend.aclose()


HELLO = """
import json, sys
sys.stdin.readline()
hello = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25"}}
print(json.dumps(hello), flush=True)
while True:
    print('{"jsonrpc": "2.0", "id": 7, "method": "ping"}')
"""


@pytest.mark.parametrize(
    "command",
    [
        ("yes", "no JSON"),
        ("yes", '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'),
        (sys.executable, "-S", "-c", HELLO),
        ("sh", "-c", "head -c 9000000 /dev/zero | tr '\\0' a; sleep 600"),
    ],
)
async def test_a_server_that_never_stops_talking_holds_nobody_up(command: tuple[str, ...]) -> None:
    backend = McpSearch("web", source("mcp", None, command=command, timeout_seconds=0.3))
    async with asyncio.timeout(30):
        assert (await backend.search("x")).status is ReturnStatus.ERROR
        await backend.aclose()


LATE = """
import json, os, sys, time
pids, plan = sys.argv[1:]
first = not os.path.exists(pids)
with open(pids, "a") as note:
    note.write(f"{os.getpid()}\\n")
if first:
    time.sleep(600)
os.execv(sys.executable, [sys.executable, "-S", SERVER, plan])
"""


async def test_searches_that_wait_for_a_server_that_hangs_leave_no_process(tmp_path: Path) -> None:
    pids, script = tmp_path / "pids", LATE.replace("SERVER", repr(SERVER))
    command = (sys.executable, "-S", "-c", script, str(pids), json.dumps({"result": GOOD}))
    backend = McpSearch("web", source("mcp", None, command=command, timeout_seconds=2.0))
    found = await asyncio.gather(*(backend.search(str(n)) for n in range(4)))
    assert {outcome.status for outcome in found} == {ReturnStatus.ERROR}
    assert (await backend.search("again")).status is ReturnStatus.OK
    await backend.aclose()
    started_here = [int(pid) for pid in pids.read_text().split()]
    assert len(started_here) == 2
    async with asyncio.timeout(30):
        while any(map(_runs, started_here)):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


async def test_what_a_server_started_ends_with_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = f"sleep 600 & echo $! > {note}; wait"
    backend = McpSearch(
        "web", source("mcp", None, command=("sh", "-c", script), timeout_seconds=1.0)
    )
    async with asyncio.timeout(30):
        assert (await backend.search("x")).status is ReturnStatus.ERROR
        await backend.aclose()
        while _runs(int(note.read_text())):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


def _runs(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        return b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
