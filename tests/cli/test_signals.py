"""Ctrl-C, SIGTERM, a closed output and a full disk: one line, and the same command goes on."""

import errno
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Copy
from tests.cli.console import CLI, begin, call

STOPPED = "draligned: stopped; what is done stays done, the same command goes on"
MANY = ["run", "--replicates", "40"]


def heeding() -> None:
    """Take ctrl-C even where these tests themselves were begun in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def deaf() -> None:
    """As a shell script begins what stands before an `&`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def interrupted(
    words: list[str], root: Path, number: signal.Signals, born: Callable[[], None] = heeding
) -> tuple[int, list[str]]:
    """Send a signal once work has begun; the exit code and the lines on standard error."""
    with begin(*words, str(root), cwd=root, preexec_fn=born) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        process.send_signal(number)
        _, rest = process.communicate(timeout=60)
    return process.returncode, [first.strip(), *rest.splitlines()]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_says_so_in_one_line_and_can_go_on(
    study: Copy, number: signal.Signals, code: int
) -> None:
    root = study("draft")
    ended, lines = interrupted(MANY, root, number)
    assert ended == code
    assert lines[-1] == STOPPED
    assert all(line.startswith("episodes: ") for line in lines[:-1]), lines
    assert call("status", str(root)).code == 0


def test_a_run_in_the_background_of_a_script_can_be_ended(study: Copy) -> None:
    root = study("draft")
    ended, lines = interrupted(MANY, root, signal.SIGTERM, deaf)
    assert (ended, lines[-1]) == (143, STOPPED)
    assert call("status", str(root)).code == 0


def test_a_stopped_evaluation_goes_on_to_the_same_tables(study: Copy, stages: Path) -> None:
    root = study("ran")
    ended, lines = interrupted(["evaluate", "--mirrored"], root, signal.SIGINT)
    assert ended == 130
    assert lines[-1] == STOPPED
    assert all(line.startswith("reads: ") for line in lines[:-1]), lines
    assert call("evaluate", str(root), "--mirrored").code == 0
    for table in (stages / "read" / "tables").iterdir():
        assert (root / "tables" / table.name).read_bytes() == table.read_bytes()


def test_a_closed_output_makes_no_noise(study: Copy) -> None:
    root = study("ran")
    run = next((root / "runs").iterdir()).name
    with begin("show", run, str(root), cwd=root) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    with Path("/dev/full").open("w") as full:
        done = begin("show", run, str(root), cwd=root, stdout=full)
        _, said = done.communicate(timeout=60)
    assert done.returncode == 2
    assert said == (
        "draligned: No space left on device; make room and run the same command again: "
        "what is done stays done\n"
    )


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
from draligned.cli.main import main
main()
"""


def test_a_full_disk_is_one_line_and_the_study_goes_on(study: Copy, stages: Path) -> None:
    root = study("draft")
    words = [sys.executable, "-c", LIMITED, "run", str(root)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    said = [line for line in done.stderr.splitlines() if not line.startswith("episodes")]
    assert said == [
        f"draligned: {os.strerror(errno.EFBIG)}; the system allows no larger file: "
        "what is done stays done"
    ]
    assert not [p for p in root.rglob("._*") if p.is_file()]
    assert call("run", str(root)).code == 0
    assert call("evaluate", str(root), "--mirrored").code == 0
    for table in (stages / "read" / "tables").iterdir():
        assert (root / "tables" / table.name).read_bytes() == table.read_bytes()


def test_on_a_terminal_progress_is_one_live_line(study: Copy) -> None:
    root = study("draft")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*CLI, "run", str(root)], stdout=subprocess.DEVNULL, stderr=theirs, text=True
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while more := os.read(ours, 4096):
                shown += more
        except OSError:
            pass
    os.close(ours)
    assert process.returncode == 0
    assert shown.startswith(b"\r\x1b[Kepisodes: 0/4")
    assert shown.endswith(b"\r\x1b[Kepisodes: 4/4\r\n")
    assert shown.count(b"\n") == 1
