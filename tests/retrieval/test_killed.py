"""A kill in the middle of recording leaves either an answer or none."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from draligned.retrieval.archive import Archive
from draligned.retrieval.environment import Environment
from draligned.schema.errors import ReplayError
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore

from .sources import Fickle

ROOT = Path(__file__).parents[2]
MORTAL = """
import asyncio, os, signal, sys
from pathlib import Path
from draligned.retrieval.archive import Archive
from draligned.retrieval.environment import Environment
from draligned.store import local
from draligned.store.blobs import Blobs
from tests.retrieval.sources import Fickle

root, at, share = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
write_all, writes = local._write_all, []

def write(handle, data):
    writes.append(data)
    if len(writes) < at:
        return write_all(handle, data)
    os.write(handle, data[: int(len(data) * share)])
    os.kill(os.getpid(), signal.SIGKILL)

local._write_all = write
store = local.LocalStore(root)
environment = Environment(
    "env", "record", source=Fickle(salt="killed"), archive=Archive(store, Blobs(store))
)
asyncio.run(environment.bound("study", "p").read("https://a.example/1"))
"""


def killed(root: Path, at: int, share: float) -> None:
    """Record an answer in a process that dies at its `at`-th write, so much of it written."""
    done = subprocess.run(
        [sys.executable, "-c", MORTAL, str(root), str(at), str(share)],
        cwd=ROOT, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("at", [1, 2], ids=["text", "record"])
async def test_a_kill_while_an_answer_is_stored(tmp_path: Path, at: int, share: float) -> None:
    killed(tmp_path, at, share)
    store = LocalStore(tmp_path)
    archive = Archive(store, Blobs(store))
    replay = Environment("env", "replay", archive=archive).bound("study", "p")
    with pytest.raises(ReplayError):
        await replay.read("https://a.example/1")
    again = Environment("env", "record", source=Fickle(salt="again"), archive=archive)
    served = await again.bound("study", "q").read("https://a.example/1")
    assert "again" in served.answer.text
    assert (await replay.read("https://a.example/1")).answer == served.answer
