"""The section of BENCHMARKS.md on the driver: what the harness costs beside the model."""

import asyncio
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench_driver import AT_ONCE, EPISODES, Bench, Competitor, Load, Spent
from bench_loops import creating, posting
from bench_server import serving
from bench_shares import shares

from draligned.retrieval.embedded import EmbeddedRetrieval
from draligned.retrieval.protocol import Retrieval
from draligned.schema.retrieval import RetrievalAnswer

SHORT, LONG = 22, 96
ROUNDS = 3
CROWDS = (("coupled", SHORT, 500), ("coupled", LONG, 100), ("H-W", SHORT, 500))
MIB = 1 << 20
POST, CREATE = "hand-written, `post`", "hand-written, `chat.completions.create`"
HARNESSES = ("coupled", "H-W")
RECORDED = "coupled, every call kept for a replay"
TEXT = """
## The driver's own cost

CPU of the driver (`time.process_time`) for each model decision, {episodes} episodes of which
{at_once} run at once, over loopback. The provider is a scripted process of its own; all
competitors take turns in one run and see turns, calls and results of the same sizes. The
hand-written loops encode the history, send it, read the calls and append the results, and do
nothing else. The harnesses run whole, as `draligned run` does: plan, claims, launches, header,
hash-chained log, attempt ledger, blobs, budgets, validation of every call, seal. Medians of
{rounds} rounds at {short} decisions, one round at {long}.

Requests are answered from memory for all of them, with six hits of 200 characters or a page of
3,000, since the cost of a search is not the loop's; rendering the answer is counted. The
embedded corpus takes {search:.2f} ms of CPU for a search and {read:.2f} ms for a page, given
apart.

Known peers on comparable work, not measured here: deepagents 13 ms, a widely used evaluation
framework 16 ms.
"""


class Cell(NamedTuple):
    """One competitor at one length."""

    who: str
    decisions: int
    spent: Spent


def race(competitors: dict[str, Competitor], load: Load, rounds: int) -> list[Cell]:
    """Medians of rounds in which every competitor has its turn."""
    laps = [{who: run(load) for who, run in competitors.items()} for _ in range(rounds)]
    return [
        Cell(
            who,
            load.decisions,
            Spent(*map(statistics.median, zip(*(lap[who] for lap in laps), strict=True))),
        )
        for who in competitors
    ]


def race_table(cells: Sequence[Cell]) -> list[str]:
    """Costs, and ratios to the loop over `post` at that length and to the own cost when short."""
    found = {(c.who, c.decisions): c.spent for c in cells}
    lines = [
        "| driver | decisions | CPU a decision | beside `post` | beside its own at "
        f"{SHORT} | processes it started |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for cell in cells:
        own, base = found[cell.who, SHORT].driver, found[POST, cell.decisions].driver
        children = f"{cell.spent.children:.2f} ms" if cell.spent.children > 0.005 else ""
        lines.append(
            f"| {cell.who} | {cell.decisions} | {cell.spent.driver:.2f} ms "
            f"| {cell.spent.driver / base:.2f}× | {cell.spent.driver / own:.2f}× | {children} |"
        )
    return lines


def shares_table(bench: Bench, harness: str) -> list[str]:
    """Where the driver's time goes, sampled."""
    lines = ["", f"Where it goes, `{harness}` at {SHORT} decisions (sampled):", ""]
    with bench.study(harness, Load(SHORT)) as work:
        found = shares(work)
    lines += ["| part | share |", "| --- | --- |"]
    return [*lines, *(f"| {place} | {share:.0%} |" for place, share in found.items())]


class Memory(NamedTuple):
    """Peak resident memory of a driver, and of the processes it started, in MiB."""

    driver: float
    children: float
    processes: int


def memory(harness: str, decisions: int, episodes: int) -> Memory:
    """Peak memory of a fresh driver with `episodes` in flight."""
    command = [sys.executable, __file__, harness, str(decisions), str(episodes)]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    watch = _Watch(driver.pid)
    watch.start()
    out, _ = driver.communicate()
    watch.stopped.set()
    watch.join()
    if driver.returncode:
        sys.exit(f"the driver of {episodes} episodes of {harness} failed")
    return Memory(float(out), watch.peak / MIB, watch.processes)


class _Watch(threading.Thread):
    """Proportional memory of all descendants of a process but the provider, polled."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.stopped = threading.Event()
        self.peak, self.processes = 0, 0
        self._pid = pid

    def run(self) -> None:
        while not self.stopped.wait(0.5):
            below = [pid for pid in _descendants(self._pid) if not _serves(pid)]
            self.peak = max(self.peak, sum(map(_pss, below)))
            self.processes = max(self.processes, len(below))


def _descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = _read(stat).rpartition(")")[2].split()
        if fields:
            parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, todo = list[int](), [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def _serves(pid: int) -> bool:
    return "bench_server" in _read(Path(f"/proc/{pid}/cmdline"))


def _pss(pid: int) -> int:
    for line in _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def memory_table() -> list[str]:
    """Peak memory of crowds. A long history is measured with fewer, since it takes minutes."""
    lines = [
        "",
        "Peak memory with many episodes in flight, every one of them with a call of its own open "
        "at once. It grows with the texts of a history: what the agent was shown is held as text "
        "and as the bytes that go out again.",
        "",
        "| harness | decisions | episodes in flight | driver | processes it started |",
        "| --- | --- | --- | --- | --- |",
    ]
    for harness, decisions, episodes in CROWDS:
        peak = memory(harness, decisions, episodes)
        apart = f"{peak.children:.0f} MiB in {peak.processes}" if peak.processes else "none"
        lines.append(f"| {harness} | {decisions} | {episodes} | {peak.driver:.0f} MiB | {apart} |")
    return lines


def embedded_ms() -> tuple[float, float]:
    """CPU of one search and of one page of the embedded corpus."""
    source: Retrieval = EmbeddedRetrieval("zh")
    queries = [f"公开演讲 练习 计划 {n}" for n in range(200)]
    answers = asyncio.run(_all(source, queries))
    urls = sorted({hit.url for answer in answers for hit in answer.hits})
    start = time.process_time()
    asyncio.run(_all(source, queries))
    searched = time.process_time()
    asyncio.run(_all(source, urls, read=True))
    read = time.process_time() - searched
    return 1e3 * (searched - start) / len(queries), 1e3 * read / len(urls)


async def _all(
    source: Retrieval, asked: Sequence[str], *, read: bool = False
) -> list[RetrievalAnswer]:
    ask = source.read if read else source.search
    return [(await ask(request)).answer for request in asked]


def section() -> list[str]:
    """The lines of the section."""
    with serving() as url, tempfile.TemporaryDirectory() as name:
        bench = Bench.drafted(url, Path(name))
        competitors = {POST: bench.loop(posting), CREATE: bench.loop(creating)}
        competitors |= {harness: bench.harness(harness) for harness in HARNESSES}
        competitors[RECORDED] = bench.harness("coupled", recorded=True)
        race(competitors, Load(4, AT_ONCE), 1)
        cells = race(competitors, Load(SHORT), ROUNDS) + race(competitors, Load(LONG), 1)
        where = [line for harness in HARNESSES for line in shares_table(bench, harness)]
    search, read = embedded_ms()
    text = TEXT.format(
        episodes=EPISODES, at_once=AT_ONCE, rounds=ROUNDS, short=SHORT, long=LONG,
        search=search, read=read,
    )  # fmt: skip
    return [*text.splitlines(), "", *race_table(cells), *where, *memory_table(), ""]


def _one_crowd(harness: str, decisions: int, episodes: int) -> None:
    """In a process of its own: run a crowd, print the peak in MiB."""
    with serving() as url, tempfile.TemporaryDirectory() as name:
        bench = Bench.drafted(url, Path(name))
        with bench.study(harness, Load(decisions, episodes, episodes)) as work:
            work()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(f"{peak / 1024:.1f}\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _one_crowd(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.stdout.write("\n".join(section()))
