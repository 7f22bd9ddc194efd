"""`python -m tests.faults 1000`: the table of what happened to so many episodes."""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import pytest

from .test_episodes import run


def main(number: int) -> None:
    """Run, check and tell."""
    with tempfile.TemporaryDirectory() as root, pytest.MonkeyPatch.context() as patch:
        began, worked = time.monotonic(), time.process_time()
        found = asyncio.run(run(Path(root), number, patch))
        took = f"{time.monotonic() - began:.0f} s, of them {time.process_time() - worked:.0f} busy"
    sys.stdout.write(f"{number} episodes: {took}\n{found.table()}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
