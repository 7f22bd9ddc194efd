"""A study that dies again and again. Run as a program, so that nothing else is in the process:
`mortal.py DRAFTED WORK SEED KILLS EACH`; writes a JSON record to standard output.
Studies are begun until there were KILLS kills, about EACH to a study.

The parent imports everything and forks a child for every life; no event loop and no thread
is ever started in the parent. A life runs, reads and measures until it is killed: at the k-th
write of a file (before it, in the middle of it, after it), at the k-th request that reaches
the server, or after a time.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import langgraph.graph
import openai
import pandas as pd
import pyarrow.parquet
import trafilatura

from draligned.api import evaluating, running
from draligned.api import open as open_study
from draligned.evaluators.orientation import read_id
from draligned.harnesses import graph
from draligned.retrieval.embedded import EmbeddedRetrieval
from draligned.schema.ids import seed_of
from draligned.schema.labels import ReadRole
from draligned.store import local

WARM = (evaluating, running, graph, pd, httpx2, langgraph, openai, pyarrow, trafilatura)
HOWS = ("before", "amid", "after", "request", "time")
Call = tuple[int, int]
"""Declared seed and number of assistant messages: what (run, sequence) is on the wire."""


class Doom:
    """Kills this process at its k-th write of a file."""

    def __init__(self, how: str, at: int) -> None:
        self.how, self.left = how, at
        self._write = local._write_all

    def install(self) -> None:
        """Take the place of the store's one writing function."""
        local._write_all = self.write

    def write(self, handle: int, data: bytes) -> None:
        """Write as the store does, or die."""
        self.left -= 1
        if self.left == 0 and self.how == "before":
            die()
        if self.left == 0 and self.how == "amid":
            os.write(handle, data[: len(data) // 2])
            die()
        self._write(handle, data)
        if self.left == 0 and self.how == "after":
            die()


def die() -> None:
    """As a power cut would have it."""
    os.kill(os.getpid(), signal.SIGKILL)


def live(root: Path, life: str, how: str, at: int) -> None:
    """One life, from opening the study to its tables."""
    fatal = at if how == "request" else 0
    os.environ["PROOF_LIFE"] = f"{life}-{os.getpid()}-{fatal}"
    if how in {"before", "amid", "after"}:
        Doom(how, at).install()
    study = open_study(root)
    study.run()
    study.evaluate()
    study.measure()


def forked(work: Callable[[], None], seconds: float | None, errors: Path) -> int:
    """The wait status of a child that did `work`, killed after `seconds` if it still lived."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
            work()
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def on_disk(root: Path) -> dict[str, list[Any]]:
    """What the files say: calls whose answer is stored, calls of runs that were in flight,
    and the seeds of all runs that were begun."""
    stored, flying, seeds = set[Call](), set[Call](), set[int]()
    for log in root.glob("runs/*/a*/events.jsonl"):
        bodies = [json.loads(line)["body"] for line in log.read_bytes().split(b"\n")[:-1]]
        seed = seed_of(log.parts[-3])
        seeds.add(seed)
        began = {b["sequence"] for b in bodies if b["kind"] == "call_started"}
        ended = {b["sequence"] for b in bodies if b["kind"] == "model_turn"}
        stored |= {(seed, n - 1) for n in ended}
        flying |= {(seed, n - 1) for n in began - ended}
    for read in root.glob("reads/*/*/*.json"):
        evaluator, packet = read.parts[-3:-1]
        stored.add((seed_of(read_id(packet, evaluator, ReadRole(read.stem))), 0))
    return {"stored": sorted(stored), "flying": sorted(flying), "runs": sorted(seeds)}


def one_study(
    drafted: Path, root: Path, name: str, draw: random.Random, kills: int, size: dict[str, float]
) -> dict[str, Any]:
    """Kill a study `kills` times, let it come to its end, and say what happened."""
    shutil.copytree(drafted, root)
    lives = list[dict[str, Any]]()
    while True:
        how = draw.choice(HOWS) if len(lives) < kills else "old age"
        share = draw.random() * 2 / (kills + 1)
        at = 1 + int(share * (size["requests"] if how == "request" else size["writes"]))
        seconds = share * size["seconds"] if how == "time" else None
        life = f"{name}.{len(lives)}"
        status = forked(
            lambda life=life, how=how, at=at: live(root, life, how, at), seconds,  # type: ignore[misc]
            root.parent / f"{name}.err",
        )  # fmt: skip
        lives.append(
            {
                "life": life, "how": how, "at": at, "killed": os.WIFSIGNALED(status),
                "code": None if os.WIFSIGNALED(status) else os.WEXITSTATUS(status),
                **on_disk(root),
            }
        )  # fmt: skip
        if not os.WIFSIGNALED(status):
            return {"root": str(root), "lives": lives}


def measured(drafted: Path, root: Path) -> dict[str, float]:
    """An uninterrupted study: its writes, requests and seconds, in a child of its own."""
    shutil.copytree(drafted, root)
    note = root.parent / "size.json"

    def work() -> None:
        doom = Doom("never", 0)
        doom.install()
        begun = time.monotonic()
        live(root, "whole", "never", 0)
        size = {"writes": -doom.left, "seconds": time.monotonic() - begun}
        note.write_text(json.dumps(size), encoding="utf-8")

    status = forked(work, None, root.parent / "whole.err")
    assert status == 0, (root.parent / "whole.err").read_text("utf-8")
    size: dict[str, float] = json.loads(note.read_text("utf-8"))
    return size | {"requests": len(on_disk(root)["stored"])}


def main(drafted: Path, work: Path, seed: int, kills: int, each: int) -> None:
    """All lives of all studies."""
    EmbeddedRetrieval("zh")
    size = measured(drafted, work / "whole")
    draw = random.Random(seed)
    told, left = list[dict[str, Any]](), kills
    while left > 0:
        name = f"s{len(told)}"
        told.append(one_study(drafted, work / name, name, draw, min(each, left), size))
        left -= sum(life["killed"] for life in told[-1]["lives"])
    sys.stdout.write(json.dumps({"size": size, "studies": told}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:6]))
