"""How long scoring tau2-bench takes: every base task of a domain solved, several trials each.

Run it in the environment of `make test-tau2`:
    .venv-tau2/bin/python tools/bench_tau2.py [telecom] [4]
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from draligned.progress.statistics import Settings
from draligned.progress.tau2.benchmark import load_benchmark
from draligned.progress.tau2.frame import score_files
from draligned.progress.tau2.results import read_results
from draligned.progress.tau2.tables import build
from tests.progress.tau2.made import gold_results, tasks_of

T = TypeVar("T")


def timed(what: str, work: Callable[[], T]) -> T:
    """Do it and print its seconds by the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    made = work()
    spent = time.process_time() - processor
    print(f"{what}: {time.perf_counter() - clock:.1f} s, {spent:.1f} s of one core")  # noqa: T201
    return made


def main(domain: str, trials: int) -> None:
    """Make a results file, then read, replay and tabulate it."""
    benchmark = timed("import tau2-bench", load_benchmark)
    held = gold_results(benchmark, domain, tasks_of(domain), trials)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.json")
        path.write_text(json.dumps(held), encoding="utf-8")
        file = timed("read", lambda: read_results(path))
    fresh = load_benchmark()
    scored = timed("replay", lambda: score_files([("m", file)], fresh))
    timed("tables", lambda: build(scored, Settings()))
    said = f"{len(scored.runs)} runs, {len(scored.checkpoints)} checkpoints"
    print(f"{said}, {int(scored.runs['messages'].sum())} messages")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "telecom", int(sys.argv[2]) if sys.argv[2:] else 4)
