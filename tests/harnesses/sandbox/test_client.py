"""The driver's side: requests in turn, failures that are the harness's, nothing left behind."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from draligned.harnesses.sandbox import kinds
from draligned.harnesses.sandbox.bundle import bundle
from draligned.harnesses.sandbox.client import SandboxWorkspace, open_workspace
from draligned.harnesses.sandbox.kinds import Kind
from draligned.harnesses.sandbox.limits import Limits
from draligned.harnesses.sandbox.protocol import CodeResult, FileEntry
from draligned.schema.errors import SandboxFailed, WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

from .kinds import needed

every_kind = pytest.mark.parametrize("kind", list(Kind))
FAKE = """
import sys
left = {skip}
while left: left -= len(sys.stdin.buffer.read(left))
sys.stdin.buffer.readline()
{then}
"""


async def opened(kind: Kind, limits: Limits | None = None) -> SandboxWorkspace:
    workspace = await open_workspace({"a.md": "one two"}, limits, needed(kind))
    assert isinstance(workspace, SandboxWorkspace)
    return workspace


def descendants(pid: int) -> list[int]:
    """Process ids below a process, nearest first."""
    found = [pid]
    for one in found:
        children = Path(f"/proc/{one}/task/{one}/children").read_text().split()
        found += [int(child) for child in children]
    return found[1:]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def gone(pids: list[int]) -> None:
    """Wait until none of the processes lives."""
    for _ in range(2000):
        if not any(alive(pid) for pid in pids):
            return
        await asyncio.sleep(0.01)
    pytest.fail("a process lives on")


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@every_kind
async def test_files_are_listed_read_written_and_edited(kind: Kind) -> None:
    workspace = await opened(kind)
    text = "中文 e\u0301 \u2028 \r\n {x} \x85\x1b"
    await workspace.write_file("b/报告.md", text)
    assert await workspace.read_file("b/报告.md") == text
    assert await workspace.edit_file("a.md", "two", "three {1}") == "one three {1}"
    assert await workspace.list_files() == (
        FileEntry("a.md", 13),
        FileEntry("b/报告.md", len(text.encode())),
    )
    await workspace.aclose()


@every_kind
async def test_refusals_leave_everything_as_it_was(kind: Kind) -> None:
    workspace = await opened(kind)
    for asked, reason in (
        (workspace.read_file("none.md"), RefusalReason.NOT_FOUND),
        (workspace.read_file("a.md/b"), RefusalReason.NOT_A_FILE),
        (workspace.write_file("a.md/b", "x"), RefusalReason.NOT_A_FILE),
        (workspace.edit_file("a.md", "absent", "x"), RefusalReason.OLD_TEXT_MISSING),
        (workspace.edit_file("a.md", "o", "x"), RefusalReason.OLD_TEXT_NOT_UNIQUE),
        (workspace.edit_file("none.md", "o", "x"), RefusalReason.NOT_FOUND),
        (workspace.run_python("\ud800"), RefusalReason.NOT_TEXT),
    ):
        with pytest.raises(WorkspaceRefusal) as caught:
            await asked
        assert caught.value.reason is reason
    assert await workspace.list_files() == (FileEntry("a.md", 7),)
    await workspace.aclose()


@every_kind
async def test_code_tells_what_it_changed(kind: Kind) -> None:
    workspace = await opened(kind)
    await workspace.write_file("old.md", "old")
    result = await workspace.run_python(
        "import os\nos.remove('old.md'); os.makedirs('d'); open('d/new.md', 'w').write('é')\n"
        "open('a.md').read(); print('said')"
    )
    assert result == CodeResult("ok", "said\n", {"d/new.md": "é"}, ("old.md",))
    result = await workspace.run_python("import sys; print('x'); sys.exit(3)")
    assert (result.exit, result.output) == ("error", "x\n")
    result = await workspace.run_python("1/0")
    assert result.exit == "error"
    assert result.output.endswith("ZeroDivisionError: division by zero\n")
    result = await workspace.run_python("import os; os.kill(os.getpid(), 9)")
    assert result.exit == "killed"
    await workspace.write_file("helper.py", "def two(): return 2")
    assert (await workspace.run_python("import helper; print(helper.two()); exit()")).exit == "ok"
    assert [entry.path for entry in await workspace.list_files()] == [
        "a.md",
        "d/new.md",
        "helper.py",
    ]
    await workspace.aclose()


@every_kind
async def test_requests_at_once_are_answered_each_with_its_own(kind: Kind) -> None:
    workspace = await opened(kind)
    await asyncio.gather(*(workspace.write_file(f"{n}.md", f"text {n}") for n in range(40)))
    texts = await asyncio.gather(*(workspace.read_file(f"{n}.md") for n in range(40)))
    assert texts == [f"text {n}" for n in range(40)]
    await workspace.aclose()


@every_kind
async def test_a_worker_killed_in_the_middle_is_a_failure_of_the_harness(kind: Kind) -> None:
    workspace = await opened(kind)
    assert workspace.pid is not None
    below = descendants(workspace.pid)
    running = asyncio.create_task(workspace.run_python("while True: pass"))
    await asyncio.sleep(0.2)
    os.kill(below[0], 9)
    with pytest.raises(SandboxFailed):
        await running
    with pytest.raises(SandboxFailed, match="cannot be used"):
        await workspace.list_files()
    await workspace.aclose()
    await gone(below)


@every_kind
async def test_nobody_outlives_a_workspace_whose_launcher_was_killed(kind: Kind) -> None:
    workspace = await opened(kind)
    assert workspace.pid is not None
    running = asyncio.create_task(workspace.run_python("while True: pass"))
    await asyncio.sleep(0.2)
    below = descendants(workspace.pid)
    os.kill(workspace.pid, 9)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await workspace.aclose()
    await gone(below)


@every_kind
async def test_a_cancelled_request_ends_the_workspace_and_leaves_nobody(kind: Kind) -> None:
    before = open_files()
    workspace = await opened(kind)
    assert workspace.pid is not None
    running = asyncio.create_task(workspace.run_python("import time; time.sleep(60)"))
    await asyncio.sleep(0.2)
    below = descendants(workspace.pid)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with pytest.raises(SandboxFailed, match="broken off"):
        await workspace.read_file("a.md")
    await workspace.aclose()
    await workspace.aclose()
    await gone([workspace.pid, *below])
    assert open_files() == before


@every_kind
async def test_a_hanging_worker_is_killed_with_a_request_half_sent(kind: Kind) -> None:
    workspace = await opened(kind, Limits(file_bytes=16 << 20))
    assert workspace.pid is not None
    below = descendants(workspace.pid)
    for pid in below:
        os.kill(pid, 19)
    writing = asyncio.create_task(workspace.write_file("big.md", "x" * (16 << 20)))
    await asyncio.sleep(0.1)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    await workspace.aclose()
    await gone(below)


@every_kind
async def test_closing_breaks_off_what_is_asked_meanwhile(kind: Kind) -> None:
    workspace = await opened(kind)
    asked = [asyncio.create_task(workspace.run_python("while True: pass")) for _ in range(3)]
    await asyncio.sleep(0.1)
    await workspace.aclose()
    for answer in await asyncio.gather(*asked, return_exceptions=True):
        assert isinstance(answer, SandboxFailed)
    with pytest.raises(SandboxFailed, match="closed"):
        await workspace.list_files()


@every_kind
async def test_opening_may_be_cancelled(kind: Kind) -> None:
    needed(kind)
    before = open_files()
    for wait in (0.0, 0.001, 0.005, 0.02):
        opening = asyncio.create_task(open_workspace({"a.md": "x"}, kind=kind))
        await asyncio.sleep(wait)
        opening.cancel()
        try:
            await (await opening).aclose()
        except asyncio.CancelledError:
            continue
    assert open_files() == before
    assert descendants(os.getpid()) == []


@every_kind
async def test_a_slow_worker_is_given_up(kind: Kind) -> None:
    workspace = await opened(kind, Limits(request_seconds=3.0))
    assert workspace.pid is not None
    below = descendants(workspace.pid)
    for pid in below:
        os.kill(pid, 19)
    with pytest.raises(SandboxFailed, match="TimeoutError"):
        await workspace.read_file("a.md")
    await workspace.aclose()
    await gone(below)


@every_kind
async def test_a_workspace_ends_with_its_driver(kind: Kind) -> None:
    needed(kind)
    code = (
        "import asyncio, sys\n"
        "from draligned.harnesses.sandbox.client import open_workspace\n"
        "async def main():\n"
        "    workspace = await open_workspace({}, kind=sys.argv[1])\n"
        "    print(workspace.pid, flush=True)\n"
        "    await workspace.run_python('while True: pass')\n"
        "asyncio.run(main())\n"
    )
    driver = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, kind.value, stdout=asyncio.subprocess.PIPE
    )
    assert driver.stdout is not None
    launcher = int(await driver.stdout.readline())
    await asyncio.sleep(0.2)
    below = descendants(launcher)
    assert below
    driver.kill()
    await driver.wait()
    await gone([launcher, *below])


@every_kind
async def test_many_at_once_stay_apart(kind: Kind) -> None:
    needed(kind)
    before = open_files()
    many = await asyncio.gather(*(open_workspace({"own.md": str(n)}, kind=kind) for n in range(24)))
    assert open_files() == before + len(many)
    texts = await asyncio.gather(*(workspace.read_file("own.md") for workspace in many))
    assert texts == [str(n) for n in range(24)]
    await asyncio.gather(*(workspace.aclose() for workspace in many))
    assert open_files() == before


async def test_first_files_are_checked_before_anything_starts() -> None:
    with pytest.raises(WorkspaceRefusal) as caught:
        await open_workspace({"../x": "x"}, kind=Kind.BUBBLEWRAP)
    assert caught.value.reason is RefusalReason.PARENT_PATH


@pytest.mark.parametrize(
    "then",
    [
        "",
        "print('no json', flush=True)",
        "print('[]', flush=True)",
        "print('{\"unknown\": 1}', flush=True)",
        "sys.stdout.write('x' * 300_000_000)",
        "sys.stdout.write('half a line'); sys.stdout.flush(); import time; time.sleep(9)",
        'print(\'{"refused": "no such reason", "path": null}\', flush=True)',
    ],
    ids=["silence", "text", "list", "other", "huge", "half", "reason"],
)
async def test_a_worker_that_answers_nonsense_is_a_failure(
    then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = FAKE.format(skip=len(bundle()), then=then)
    fake = [sys.executable, "-c", code]
    monkeypatch.setitem(kinds.COMMANDS, Kind.BUBBLEWRAP, lambda *_: fake)
    limits = Limits(request_seconds=2.0, disk_bytes=1 << 20)
    with pytest.raises(SandboxFailed):
        await open_workspace({}, limits, Kind.BUBBLEWRAP)


async def test_a_launcher_that_is_not_there_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kinds.COMMANDS, Kind.BUBBLEWRAP, lambda *_: ["/no/such/program"])
    with pytest.raises(SandboxFailed, match="did not start"):
        await open_workspace({}, kind=Kind.BUBBLEWRAP)
