"""Measures the speed of measure: all tables of a study of the paper's size, the bootstrap, and
edit distances, each beside something done in the same run."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from scipy import stats

from draligned.measure.bootstrap import replicate
from draligned.measure.edit_distance import compare, token_distance
from draligned.measure.intervals import at, percentile
from draligned.measure.resample import TaskDraws
from draligned.measure.tokens import Cutter, content

DRAWS = 10_000
LOOPED = 100
"""Draws of the pandas loop that are timed; it takes the same time for each."""
ROUNDS = 5


class Row(NamedTuple):
    """One measurement."""

    what: str
    value: str
    beside: str
    ratio: str


TABLES = """
import json, resource, time
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.simulate.paper import paper_sized
from draligned.store.local import LocalStore
from draligned.study.tables import write_tables
import sys, tempfile, pathlib
inputs = paper_sized()
names = list(dict.fromkeys(inputs.request_reads["evaluator"]))
wall, cpu = time.perf_counter(), time.process_time()
made = build_tables(inputs, MeasureConfig(), ("D_A", "D_F"), evaluators=names)
built = time.perf_counter() - wall
used = time.process_time() - cpu
with tempfile.TemporaryDirectory() as folder:
    write_tables(LocalStore(pathlib.Path(folder)), made, {})
kept = time.perf_counter() - wall - built
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
found = {
    "built": built, "used": used, "kept": kept, "peak": peak, "tables": len(made),
    "rows": sum(map(len, made.values())), "runs": len(inputs.runs),
    "reads": len(inputs.request_reads) + len(inputs.document_reads),
}
sys.stdout.write(json.dumps(found))
"""


def tables() -> list[Row]:
    """All tables of a simulated study of the paper's size, in an interpreter of its own.

    The limit is of wall-clock time on two free cores; where other programs ran, CPU time and their
    load tell.
    """
    load = os.getloadavg()[0]
    done = subprocess.run(
        [sys.executable, "-c", TABLES], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    what = (
        f"all {found['tables']} tables of {found['runs']:,} runs × 60 requests, 3 evaluators × 2 "
        f"mirrors ({found['reads']:,} reads, simulated)"
    )
    return [
        Row(what, f"{found['built']:.1f} s on the clock, {found['used']:.1f} s of CPU",
            f"limit 10 s; load of other programs before: {load:.1f} on {os.cpu_count()} cores",
            f"{found['built'] / 10:.2f} of the limit ({found['used'] / 10:.2f} in CPU)"),
        Row("peak memory of that, the study included", f"{found['peak']:.0f} MiB",
            "limit 1,024 MiB", f"{found['peak'] / 1024:.2f} of the limit"),
        Row(f"their {found['rows']:,} rows written as parquet", f"{found['kept']:.1f} s", "", ""),
    ]  # fmt: skip


def bootstrap() -> list[Row]:
    """Percentile intervals of a panel's task-equal means, three ways on the same numbers."""
    pairs = _pairs()
    means = pairs.groupby("task_id").mean().to_numpy()
    seeds = iter(range(1_000))
    ours = _median(lambda: _ours(means, next(seeds)), 15)
    theirs = _median(lambda: _scipy(means, next(seeds)), 15)
    looped = _median(lambda: _loop(pairs, next(seeds)), 3) * DRAWS / LOOPED
    value = f"{ours * 1e3:.1f} ms"
    what = f"task bootstrap, {DRAWS:,} draws, {means.shape[1]} means over {len(means)} tasks"
    return [
        Row(what, value, f"a pandas group-by each draw: {looped:.1f} s", f"{looped / ours:,.0f}×"),
        Row("the same, with the standard errors of each draw", value,
            f"scipy.stats.bootstrap on the same array, without them: {theirs * 1e3:.1f} ms",
            f"{theirs / ours:.1f}×"),
    ]  # fmt: skip


MEANS = ("d_a", "d_f", "m_p", "m_q", "x_p", "x_q")


def _pairs(tasks: int = 24, models: int = 5, read: int = 69) -> pd.DataFrame:
    """Readable pairs of a panel like the paper's, with the numbers that are averaged."""
    draw = np.random.Generator(np.random.PCG64(1))
    task = np.repeat(np.arange(tasks), models)
    chosen = np.sort(draw.choice(len(task), size=read, replace=False))
    values = {name: draw.choice([-1.0, 0.0, 1.0], size=read, p=[0.1, 0.3, 0.6]) for name in MEANS}
    return pd.DataFrame({"task_id": task[chosen].astype(str), **values})


def _ours(means: NDArray[np.float64], seed: int) -> object:
    """As the table of estimates is made; the seed is new, so that nothing is remembered."""
    draws = TaskDraws(seed=seed, draws=DRAWS, n_tasks=len(means))
    redone = replicate(means, np.ones_like(means), draws)
    return [at(redone.value[:, k], percentile()) for k in range(means.shape[1])]


def _scipy(means: NDArray[np.float64], seed: int) -> object:
    return stats.bootstrap(
        (means,), np.mean, n_resamples=DRAWS, vectorized=True, axis=0, method="percentile",
        rng=np.random.default_rng(seed),
    )  # fmt: skip


def _loop(pairs: pd.DataFrame, seed: int) -> object:
    """Draw tasks, put their pairs together, take task means and their mean, draw by draw."""
    draw = np.random.default_rng(seed)
    by_task = [own for _, own in pairs.groupby("task_id")]
    found = []
    for _ in range(LOOPED):
        chosen = draw.integers(0, len(by_task), len(by_task))
        parts = [by_task[k].assign(drawn=place) for place, k in enumerate(chosen)]
        found.append(pd.concat(parts).groupby("drawn")[list(MEANS)].mean().mean().to_numpy())
    return np.quantile(found, percentile(), axis=0)


def edits() -> list[Row]:
    """Edit distance on given token lists, and from the texts, against bare rapidfuzz calls."""
    texts = _texts()
    cut = [content(text) for text in texts]
    couples = list(pairwise(cut))
    lists = [(a.tokens, b.tokens) for a, b in couples]
    bare = _median(lambda: [Levenshtein.normalized_distance(a, b) for a, b in lists])
    given = _median(lambda: [token_distance(a, b) for a, b in lists])
    whole = _median(lambda: _whole(texts))
    sizes = f"{len(lists)} couples of {statistics.median(map(len, (a for a, _ in lists))):,.0f}"
    beside = f"rapidfuzz alone: {bare * 1e3:.1f} ms"
    return [
        Row(f"edit distance on given token lists, {sizes} tokens", f"{given * 1e3:.1f} ms", beside,
            f"{given / bare:.2f}× its time; limit 1.2×"),
        Row("the whole measure from texts: tokens, distance, sentences", f"{whole * 1e3:.1f} ms",
            beside, f"{whole / bare:.2f}× its time; limit 2×"),
    ]  # fmt: skip


def _whole(texts: list[str]) -> object:
    """As the table of edits is made; the cutter is new, so that no line is known before."""
    cutter = Cutter()
    cut = [cutter.content(text) for text in texts]
    return [compare(a, b) for a, b in pairwise(cut)]


_WORDS = (
    "周末", "可以", "带", "孩子", "去", "杭州", "湿地", "公园", "观鸟", "也", "适合", "一起", "做",
    "手工", "预算", "每次", "两百", "元", "以内", "Weekend", "plans", "for", "Leeds", "and",
    "Bristol", "include", "the", "museum", "a", "market", "walk", "3", "short", "trips",
)  # fmt: skip


def _texts(number: int = 21, sentences: int = 260) -> list[str]:
    """Versions of one mixed document, a third of the sentences new in each: reports run to some
    thousands of tokens."""
    draw = np.random.Generator(np.random.PCG64(2))

    def sentence() -> str:
        return " ".join(draw.choice(_WORDS, size=int(draw.integers(8, 24)))) + "。"

    version = [sentence() for _ in range(sentences)]
    out = []
    for _ in range(number):
        version = [sentence() if draw.random() < 1 / 3 else kept for kept in version]
        out.append("\n".join(version))
    return out


def _median(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def rows() -> list[Row]:
    """All rows."""
    return [*tables(), *bootstrap(), *edits()]


if __name__ == "__main__":
    for row in rows():
        sys.stdout.write(" | ".join(row) + "\n")
