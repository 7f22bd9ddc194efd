"""Measures the speed of the parts that long studies lean on; writes BENCHMARKS.md.

Each row is compared with something done in the same run on the same machine, so
that the ratio means the same elsewhere.
"""

import asyncio
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import bench_measure
import bench_overhead
import bench_progress
import bench_reading
import bench_retrieval
import bench_view
import numpy as np

from draligned import api
from draligned.evaluators.cells import validate_cells
from draligned.measure.bootstrap import replicate
from draligned.measure.resample import TaskDraws
from draligned.models.answers import answer_in
from draligned.schema.events import CallStarted
from draligned.schema.packets import PacketRequest, RequestPacket, SlotText
from draligned.store.local import LocalStore
from draligned.study.log import EventLog, read_events

OUT = Path(__file__).parents[1] / "BENCHMARKS.md"


class Row(NamedTuple):
    """One measurement."""

    what: str
    value: str
    beside: str
    ratio: str


def timed(work: Callable[[], object], repeats: int = 5) -> float:
    """Median seconds of several runs."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def python(code: str) -> Callable[[], object]:
    """A fresh interpreter that runs `code`."""
    return lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def start_up() -> Row:
    """`draligned --help` against importing typer and rich."""
    code = (
        "import sys; sys.argv = ['draligned', '--help']; import draligned.cli.main as m; m.main()"
    )
    base = timed(python("import typer, rich"), 11)
    ours = timed(python(code), 11)
    beside = f"import typer, rich: {base * 1e3:.0f} ms"
    return Row("`draligned --help`", f"{ours * 1e3:.0f} ms", beside, f"{ours / base:.2f}×")


def events(folder: Path, number: int = 20_000) -> list[Row]:
    """Events appended and read, against plain lines."""
    body = CallStarted(sequence=1, request_sha256="0" * 64)
    log = EventLog(LocalStore(folder), "bench/events.jsonl")
    path = folder / "plain.jsonl"
    line = body.to_json() + "\n"
    ours = timed(lambda: [log.append(body) for _ in range(number)], 1)
    plain = timed(lambda: [_append(path, line) for _ in range(number)], 1)
    read = timed(lambda: read_events(LocalStore(folder), "bench/events.jsonl"), 3)
    parse = timed(lambda: [json.loads(x) for x in path.read_text().splitlines()], 3)
    return [
        Row("events appended", f"{number / ours:,.0f}/s",
            f"open, append a line, close: {number / plain:,.0f}/s", f"{plain / ours:.2f}×"),
        Row("events read, chain checked", f"{number / read:,.0f}/s",
            f"json.loads alone: {number / parse:,.0f}/s", f"{parse / read:.2f}×"),
    ]  # fmt: skip


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line)


def packets(number: int = 500) -> Row:
    """Replies of 30 requests decoded and validated, against json.loads of the same text."""
    slot = SlotText(sentence="常住地：杭州。", words=("杭州",))
    requests = tuple(
        PacketRequest(no=i, tool="search", request=f"杭州 演讲 俱乐部 {i}") for i in range(1, 31)
    )
    packet = RequestPacket(
        lang="zh", question="?", guidance="?", alpha=slot, beta=slot, requests=requests
    )
    cells = [{"no": i, "label": "ALPHA_ONLY", "quote": "杭州"} for i in range(1, 31)]
    text = json.dumps({"cells": cells}, ensure_ascii=False)

    def ours() -> None:
        for _ in range(number):
            answer = answer_in(text)
            assert isinstance(answer, dict)
            validate_cells(answer, packet, tuple(range(1, 31)))

    base = timed(lambda: [json.loads(text) for _ in range(number)])
    mine = timed(ours)
    return Row("packets of 30 requests validated", f"{number / mine:,.0f}/s",
               f"json.loads alone: {number / base:,.0f}/s", f"{base / mine:.2f}×")  # fmt: skip


def bootstrap(tasks: int, draws: int = 10_000) -> Row:
    """The task bootstrap of five estimates, against a loop over numpy means."""
    generator = np.random.Generator(np.random.PCG64(1))
    values = generator.normal(size=(tasks, 5))
    ones = np.ones_like(values)
    seeds = iter(range(100))

    def ours_once() -> None:
        replicate(values, ones, TaskDraws(seed=next(seeds), draws=draws, n_tasks=tasks))

    ours = timed(ours_once, 3)

    def loop() -> None:
        for _ in range(draws // 20):
            values[generator.integers(0, tasks, tasks)].mean(axis=0)

    base = timed(loop, 3) * 20
    return Row(f"bootstrap, {draws:,} draws, {tasks:,} tasks, 5 estimates", f"{ours * 1e3:.0f} ms",
               f"numpy mean in a loop: {base * 1e3:.0f} ms", f"{base / ours:.1f}×")  # fmt: skip


def study(folder: Path) -> list[Row]:
    """A rehearsal study: episodes and reads a second, against bare calls of the same app."""
    opened = api.open(folder / "study")
    opened.construct(tasks=8, lang="zh")
    warm = opened.plan_runs(replicates=1)
    opened.run(warm, limit=4)
    request = opened.plan_runs(replicates=6)
    start = time.perf_counter()
    done = opened.run(request).done
    ran = time.perf_counter() - start
    decisions = sum(r.tries for r in opened.spend() if r.purpose == "agent")
    start = time.perf_counter()
    reads = opened.evaluate(mirrored=True).done
    read = time.perf_counter() - start
    start = time.perf_counter()
    opened.measure()
    measured = time.perf_counter() - start
    bare = asyncio.run(_bare_call())
    share = bare * decisions / ran
    return [
        Row("rehearsal episodes", f"{done / ran:.1f}/s",
            f"{decisions} model calls; a bare call of the app takes {bare * 1e3:.1f} ms",
            f"{share:.2f} of the time"),
        Row("rehearsal reads", f"{reads / read:.1f}/s", "", ""),
        Row("all tables of that study", f"{measured:.1f} s", f"{done} runs, {reads} reads", ""),
    ]  # fmt: skip


async def _bare_call(number: int = 100) -> float:
    import httpx

    from draligned.rehearsal.app import make_app

    body = {"model": "rehearsal-agent-a", "messages": [{"role": "user", "content": "任务：\n好"}]}
    transport = httpx.ASGITransport(app=make_app())
    async with httpx.AsyncClient(
        transport=transport, base_url="http://rehearsal.invalid"
    ) as client:
        start = time.perf_counter()
        for _ in range(number):
            await client.post("/v1/chat/completions", json=body)
        return (time.perf_counter() - start) / number


def replay() -> Row:
    """Requests served from records alone, against reading the same files."""
    found = bench_retrieval.replay_requests_per_second()
    return Row("requests replayed from records", f"{found.replayed:,.0f}/s",
               f"the files alone: {found.bare:,.0f}/s",
               f"{found.replayed / found.bare:.2f}×")  # fmt: skip


def main() -> None:
    """Measure and write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            start_up(), *events(folder), packets(), bootstrap(24), bootstrap(1000), *study(folder),
            *bench_measure.rows(), *bench_reading.rows(),
            *bench_progress.rows(), replay(), *bench_view.rows(),
        ]  # fmt: skip
    lines = [
        "# Benchmarks",
        "",
        "Made by `make bench`. Ratios compare within one run on one machine; absolute numbers are "
        "of that machine. The rehearsal models are scripted: their speed says nothing about any "
        "language model.",
        "",
        f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}.",
        "",
        "| what | measured | beside | ratio |",
        "| --- | --- | --- | --- |",
        *(f"| {r.what} | {r.value} | {r.beside} | {r.ratio} |" for r in rows),
        *bench_overhead.section(),
    ]
    OUT.write_text("\n".join(lines), encoding="utf-8")
    sys.stdout.write("\n".join(lines))


if __name__ == "__main__":
    main()
