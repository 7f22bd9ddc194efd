"""The console command, in this process or as a process of its own."""

import contextlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from draligned.cli.main import main

CLI = [sys.executable, "-c", "from draligned.cli.main import main; main()"]
SMALL = """\
[construction]
lang = 'en'
tasks = 1

[controls]
aa_share = 0
neutral_share = 0
placebo_share = 0
masked_share = 0
sentinel_share = 0

[measure]
draws = 100
"""
"""A study.toml of one task, two models: 4 runs."""


class Said(NamedTuple):
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


def call(*words: str) -> Said:
    """Run a command line in this process, as the console script does."""
    out, err = io.StringIO(), io.StringIO()
    before = signal.getsignal(signal.SIGTERM)
    code = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["draligned", *words])
        patch.setenv("COLUMNS", "80")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        finally:
            signal.signal(signal.SIGTERM, before)
    return Said(code, out.getvalue(), err.getvalue())


def begin(*words: str, cwd: Path, **more: object) -> "subprocess.Popen[str]":
    """Start a command as a process of its own."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more}
    environment = {**os.environ, "PYTHONUTF8": "1"}
    return subprocess.Popen([*CLI, *words], cwd=cwd, env=environment, **pipes)  # type: ignore[call-overload, no-any-return]


def snapshot(root: Path) -> dict[str, tuple[bytes, int] | None]:
    """Everything under `root`: content and time of files, and folders."""
    found = {str(root): None} if root.is_file() else {}
    for path in sorted(root.rglob("*")):
        whole = path.is_file() and not path.is_symlink()
        found[str(path)] = (path.read_bytes(), path.stat().st_mtime_ns) if whole else None
    return found
