"""Driver CPU a model decision, and memory with many episodes in flight, over loopback.

The provider is another process, so that `time.process_time` counts the driver alone. The
competitors take turns within one run. Requests are answered from memory (`StoredPages`),
since a search is no cost of the loop; what the embedded corpus costs is given apart.
"""

import asyncio
import gc
import math
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from bench_loops import Episode, Reply, StoredPages, crowd

from draligned import api
from draligned.api.environments import Environments
from draligned.study.work import WorkSummary

EPISODES, AT_ONCE = 64, 32
TOML = """
[providers.loopback]
kind = "openai"
base_url = "{url}"
concurrency = {at_once}

[models.scripted]
provider = "loopback"
model = "scripted-{decisions}"

[run]
models = ["scripted"]
concurrency = {at_once}
record_models = {recorded}
"""


class Load(NamedTuple):
    """How many episodes, how many of them at once, and how often each asks the model."""

    decisions: int
    episodes: int = EPISODES
    at_once: int = AT_ONCE


class Spent(NamedTuple):
    """CPU for each model decision, in ms: of the driver, and of processes it started."""

    driver: float
    children: float


Competitor = Callable[[Load], Spent]


def spent(work: Callable[[], object], load: Load) -> Spent:
    """What `work` costs for each decision of `load`."""
    gc.collect()
    children, start = _children(), time.process_time()
    work()
    driver, children = time.process_time() - start, _children() - children
    decisions = load.episodes * load.decisions
    return Spent(1e3 * driver / decisions, 1e3 * children / decisions)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Bench:
    """A provider that listens, and a drafted study to be copied for every run."""

    url: str
    folder: Path

    @classmethod
    def drafted(cls, url: str, folder: Path) -> "Bench":
        """With a study of eight tasks, 16 conditions."""
        api.open(folder / "drafted").construct(tasks=8, lang="zh")
        return cls(url, folder)

    def loop(self, make: "Callable[[Any, str, Episode], Reply]") -> Competitor:
        """A hand-written loop."""
        episode = Episode.of(api.open(self.folder / "drafted").design().conditions[0])

        def run(load: Load) -> Spent:
            model = f"scripted-{load.decisions}"
            talks = crowd(
                self.url, model, episode, make, episodes=load.episodes, at_once=load.at_once
            )
            return spent(lambda: asyncio.run(talks), load)

        return run

    def harness(self, name: str, *, recorded: bool = False) -> Competitor:
        """`Study.run` whole: plan, claims, launches, headers, log, ledger, blobs, seals;
        `recorded`: and every call kept for a replay."""

        def run(load: Load) -> Spent:
            with self.study(name, load, recorded=recorded) as work:
                return spent(work, load)

        return run

    @contextmanager
    def study(
        self, harness: str, load: Load, *, recorded: bool = False
    ) -> Iterator[Callable[[], None]]:
        """A fresh study, removed at the end, and what runs its episodes."""
        root = Path(tempfile.mkdtemp(dir=self.folder)) / "study"
        shutil.copytree(self.folder / "drafted", root)
        toml = TOML.format(**load._asdict(), url=self.url, recorded=str(recorded).lower())
        (root / "study.toml").write_text(toml, encoding="utf-8")
        study = api.open(root)
        replicates = math.ceil(load.episodes / len(study.design().conditions))
        request = study.plan_runs(harnesses=[harness], replicates=replicates)

        done: list[WorkSummary] = []

        def work() -> None:
            with stored_pages():
                done.append(study.run(request, limit=load.episodes))

        yield work
        check(study, load, *done)
        shutil.rmtree(root.parent)


def check(study: api.Study, load: Load, done: WorkSummary) -> None:
    """Every episode must have submitted, after as many decisions as the script has."""
    ends = list(study.folder.root.glob("runs/*/a1/seal.json"))
    submitted = sum('"outcome":"submitted"' in seal.read_text("utf-8") for seal in ends)
    tries = [(row.tries, row.failed) for row in study.spend()]
    if submitted != load.episodes or tries != [(load.episodes * load.decisions, 0)]:
        sys.exit(f"{submitted} of {load.episodes} submitted; tries, failures: {tries}; {done}")


@contextmanager
def stored_pages() -> Iterator[None]:
    """Requests are answered from memory while the block runs."""
    with mock.patch.object(Environments, "bound", return_value=StoredPages()):
        yield
