"""Measures the viewer over a study of 2,000 runs: its pages, and the list in a real browser.

The study is four rehearsal runs, copied; what is measured is the looking. A browser is measured
where chromium and playwright are there.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from starlette.testclient import TestClient

sys.path.insert(0, str(Path(__file__).parents[1]))

from draligned.view.app import make_app
from draligned.view.serve import Viewer, listen
from tests.view import studies
from tests.view.many import grow

RUNS = 2_000
ROUNDS = 5
_PAINTED = """() => new Promise(done => {
    const told = () => {
        const paint = performance.getEntriesByName('first-contentful-paint')[0];
        if (paint) done([paint.startTime, performance.now()]);
        else requestAnimationFrame(told);
    };
    requestAnimationFrame(() => requestAnimationFrame(told)); })"""
_SCROLLED = """() => new Promise(done => {
    const gaps = []; let last = performance.now(), n = 0;
    const step = now => { gaps.push(now - last); last = now; scrollBy(0, 900);
        if (++n < 90) requestAnimationFrame(step); else done(gaps.sort((a, b) => a - b)); };
    requestAnimationFrame(step); })"""


class Row(NamedTuple):
    """One measurement."""

    what: str
    value: str
    beside: str
    ratio: str


def rows() -> list[Row]:
    """The rows of this part of BENCHMARKS.md."""
    with tempfile.TemporaryDirectory() as name:
        root = studies.finished(Path(name) / "study")
        grow(root, RUNS // 4)
        return [*_pages(root), *_browser(root)]


def _pages(root: Path) -> Iterator[Row]:
    """Processor time of the server: of the first list, which reads every seal, and of the next."""
    seals = _cpu(lambda: [p.read_bytes() for p in (root / "runs").rglob("seal.json")])
    app = make_app(root)
    client = TestClient(app, base_url="http://127.0.0.1:8765")
    client.get("/", params={"token": app.token})
    fresh = make_app(root)
    other = TestClient(fresh, base_url="http://127.0.0.1:8765")
    other.get("/no-such-page", params={"token": fresh.token})
    first = _cpu(lambda: other.get("/runs"))
    again = min(_cpu(lambda: client.get("/runs")) for _ in range(ROUNDS))
    chosen = min(_cpu(lambda: client.get("/runs?arm=P&state=done")) for _ in range(ROUNDS))
    deep = min(_cpu(lambda: client.get("/runs?q=no-such-words&logs=1")) for _ in range(ROUNDS))
    size = len(client.get("/runs").content)
    yield Row(f"viewer: first list of {RUNS:,} runs, processor time", f"{first * 1e3:.0f} ms",
              f"the seals alone: {seals * 1e3:.0f} ms", f"{first / seals:.1f}×")  # fmt: skip
    yield Row("viewer: the list again", f"{again * 1e3:.0f} ms",
              f"{size / 1e3:,.0f} kB", "")  # fmt: skip
    yield Row("viewer: half of it, by filters", f"{chosen * 1e3:.0f} ms", "", "")
    yield Row("viewer: words looked for in all logs", f"{deep * 1e3:.0f} ms", "", "")


def _cpu(work: Any) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _browser(root: Path) -> Iterator[Row]:
    executable = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    if executable is None:
        return
    with Viewer(make_app(root), listen()) as viewer, sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield from _painted(opened.new_page(), viewer)
        opened.close()


def _painted(page: Any, viewer: Viewer) -> Iterator[Row]:
    page.goto(viewer.address)
    page.wait_for_selector("h1")
    base = page.url.split("/?")[0].rstrip("/")
    found = []
    for _ in range(ROUNDS):
        page.goto(f"{base}/runs", wait_until="load")
        found.append(page.evaluate(_PAINTED))
    first, whole = (min(f[k] for f in found) for k in (0, 1))
    yield Row(f"viewer: list of {RUNS:,} runs laid out in Chromium", f"{whole / 1e3:.2f} s",
              f"first paint after {first / 1e3:.2f} s", "")  # fmt: skip
    gaps = page.evaluate(_SCROLLED)
    yield Row("viewer: a frame while scrolling it, median", f"{gaps[len(gaps) // 2]:.0f} ms",
              f"95th percentile {gaps[int(len(gaps) * 0.95)]:.0f} ms", "")  # fmt: skip


def main() -> None:
    """Print this part alone."""
    sys.stdout.writelines(" | ".join(row) + "\n" for row in rows())


if __name__ == "__main__":
    main()
