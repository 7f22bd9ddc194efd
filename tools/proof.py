"""The longer proofs of `make proof`; writes docs/proof.md.

Known truth over 40 seeds and four plans at label level and over five seeds through the whole
pipeline, 50 kills counted by a loopback server, and, where DRALIGNED_REAL_LLM names the base
URL of an OpenAI-compatible server, a small study and sixty checkpoints of progress reports with a
real language model. Options name the parts to run (`labels`, `pipeline`, `kills`, `real`,
`checkpoints`); without any, all are run.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import draligned  # noqa: E402
from draligned.measure import made  # noqa: E402
from draligned.measure.contrasts import estimates, groups  # noqa: E402
from draligned.measure.estimate import Settings  # noqa: E402
from draligned.measure.pairs import build_pairs  # noqa: E402
from draligned.measure.variants import core_targets  # noqa: E402
from draligned.simulate.labels import simulate_many  # noqa: E402
from draligned.simulate.plan import PLANS as LABEL_PLANS  # noqa: E402
from draligned.simulate.truth import truth  # noqa: E402
from tests.proof import planted, tiny  # noqa: E402
from tests.proof.killing import tell  # noqa: E402
from tests.proof.studies import table_bytes  # noqa: E402

Lines = list[str]
REAL = "DRALIGNED_REAL_LLM"
SEEDS = 40
PIPELINE_SEEDS = range(1, 6)
QUANTITIES = {
    "D_A": "d_a", "D_F": "d_f", "readability_A": "readability_a", "readability_F": "readability_f",
}  # fmt: skip
HEAD = """\
# Proofs

Written by `make proof` (`python tools/proof.py`). Rehearsal models play scripted plans and
label studies are drawn from planted parameters: none of this is evidence about any language
model, but for the last two sections, which show what a very small real one does to the pipeline.
"""
REAL_TOML = """\
[construction]
lang = "en"
tasks = 2

[run]
models = ["agent", "agent-made-to-call", "rehearsal-a"]
concurrency = 2

[evaluate]
evaluators = ["reader"]
concurrency = 2

[measure]
draws = 1000

[providers.local]
base_url = "{url}"
concurrency = 2
send_seed = true
attempts = {{ tries = 2, timeout_seconds = 900.0 }}

[models]
agent = {{ provider = "local", model = "{model}", params = {{ max_tokens = 1200 }} }}
reader = {{ provider = "local", model = "{model}", params = {{ max_tokens = 600 }} }}

[models.agent-made-to-call]
provider = "local"
model = "{model}"
params = {{ max_tokens = 400, tool_choice = "required" }}
"""


def by_labels(_work: Path) -> Lines:
    """In how many of 40 seeds the intervals cover what was planted in the labels."""
    rows = []
    for plan in LABEL_PLANS:
        inputs = simulate_many(plan, range(SEEDS))
        matrix, _ = made.matrix_of(made.read(inputs), "block_none")
        panels = groups(build_pairs(matrix, "first"), by_model=False)
        found = estimates(panels, core_targets, Settings(seed=20260929, draws=2000))
        expected = truth(plan)
        for name, own in QUANTITIES.items():
            mine, value = found[found["estimand"] == name], getattr(expected, own)
            counts = [_covered(mine, value, kind) for kind in ("ci", "ci_union")]
            rows.append((plan.name, name, f"{value:.3f}", *counts))
    return [
        f"## Known truth at the labels: {SEEDS} seeds × 24 tasks",
        "Seeds in which a reported 95 % interval covers the planted value; `ci_union` is the one "
        "that keeps its coverage at 24 tasks.",
        _table(("plan", "quantity", "planted", "ci", "ci_union"), rows),
    ]


def _covered(rows: pd.DataFrame, value: float, interval: str) -> str:
    low, high = rows[f"{interval}_lo"], rows[f"{interval}_hi"]
    inside = (low <= value + 1e-9) & (value <= high + 1e-9)
    known = int((low.notna() & high.notna()).sum())
    return f"{int(inside.fillna(False).sum())}/{known}" if known else "–"


def by_pipeline(work: Path) -> Lines:
    """The same from prompts to tables, with rehearsal models."""
    drafted = planted.draft(work)
    found = [
        check
        for plan in planted.PLANS
        for seed in PIPELINE_SEEDS
        for check in planted.checks(
            plan, seed, planted.study_of(plan, seed, drafted, work / f"{plan}-{seed}")
        )
    ]
    hits = Counter((c.plan, c.what, f"{c.planted:.3f}") for c in found if c.hit)
    keys = dict.fromkeys((c.plan, c.what, f"{c.planted:.3f}") for c in found)
    rows = [(*key, f"{hits[key]}/{len(PIPELINE_SEEDS)}") for key in keys]
    missed = [
        (c.plan, str(c.seed), c.what, f"{c.planted:.3f}", f"[{c.low:.3f}, {c.high:.3f}]")
        for c in found
        if not c.hit
    ]
    return [
        f"## Known truth through the pipeline: {len(PIPELINE_SEEDS)} seeds × 24 tasks × 2 models",
        f"{sum(c.hit for c in found)} of {len(found)} intervals cover the planted value.",
        _table(("plan", "quantity", "planted", "covered"), rows),
        "Missed:",
        _table(("plan", "seed", "quantity", "planted", "interval"), missed),
    ]


def by_kills(work: Path) -> Lines:
    """50 kills over studies of 2 tasks × 2 models, resumed, and what the server counted."""
    told = tell(work, seed=20260930, kills=50, each=5)
    whole = table_bytes(draligned.open(work / "whole"))
    same = sum(table_bytes(draligned.open(s["root"])) == whole for s in told.studies)
    asked = [told.asked[life["life"]] for s in told.studies for life in s["lives"]]
    total = sum(sum(counts.values()) for counts in asked)
    needed = len(told.asked["whole"]) * len(told.studies)
    places = Counter((life["how"], told.stage(life)) for life in told.kills)
    rows = [(how, stage, str(n)) for (how, stage), n in sorted(places.items())]
    return [
        f"## {len(told.kills)} kills",
        f"{same} of {len(told.studies)} studies that were killed and resumed have the tables of "
        f"the uninterrupted one, byte for byte. The server was asked {total} times for {needed} "
        f"calls: {total - needed} were in flight at a kill and asked again.",
        _table(("killed at", "stage", "kills"), rows),
        "`before`, `amid` and `after` the write of a file, at a `request` that had reached the "
        "server, or after a `time`.",
    ]


def by_real_model(work: Path) -> Lines:
    """Two tasks with a real language model as agent and as evaluator."""
    url = os.environ.get(REAL, "").rstrip("/")
    if not url:
        return ["## A real language model", f"Not run: {REAL} is not set."]
    root = work / "real"
    root.mkdir()
    model = _first_model(url)
    (root / "study.toml").write_text(REAL_TOML.format(url=url, model=model), encoding="utf-8")
    study = draligned.open(root)
    study.construct()
    begun = time.monotonic()
    ran, read = study.run(), study.evaluate()
    study.report()
    minutes = (time.monotonic() - begun) / 60
    blocks = study.status().blocks
    ends = Counter((b.model, o) for b in blocks for o, n in b.outcomes.items() for _ in range(n))
    records = [r for e in study.plan().evaluators for r in study.readings().records(e)]
    reads = Counter((r.kind, r.void.value if r.void else "answered") for r in records)
    cells = Counter(
        (c.status.value, c.reason.value if c.reason else (c.label or "")) for r in records
        for c in r.cells
    )  # fmt: skip
    items = sum(len(r.items) for r in records)
    dropped = Counter(d.reason for r in records for d in r.dropped)
    return [
        "## A real language model",
        f"`{model}` as agent, free and made to call tools (`tool_choice`), and as evaluator of "
        f"these runs and of a rehearsal model's; 2 tasks: {ran.done} runs and {read.done} reads in "
        f"{minutes:.1f} minutes, {ran.left_open + read.left_open} left open, and nothing crashed.",
        _table(("agent", "outcome", "runs"), _counted(ends)),
        f"{sum(b.failed for b in blocks)} runs failed, {sum(b.censored for b in blocks)} were "
        "censored.",
        _table(("packets", "read", "n"), _counted(reads)),
        _table(("request cell", "label or reason", "n"), _counted(cells))
        if cells
        else "The agents made no request, so no request cell was read.",
        f"Document items: {items} valid.",
        _table(("dropped item", "n"), _counted(dropped)),
    ]


def by_checkpoints(work: Path) -> Lines:
    """Sixty checkpoints of progress reports put to a real language model."""
    url = os.environ.get(REAL, "").rstrip("/")
    if not url:
        return ["## Progress reports of a real language model", f"Not run: {REAL} is not set."]
    model = _first_model(url)
    study = tiny.prechecked(work / "checkpoints", url, model)
    (lane,) = study.progress.status("stage")
    frame = tiny.asked(study).progress.replies("stage")
    cells = Counter(
        (point, layer, problem or "")
        for point, layer, problem in zip(
            frame["point"], frame["layer"], frame["problem"], strict=True
        )
    )
    return [
        "## Progress reports of a real language model",
        f"`{model}` at {len(frame)} checkpoints (12 scenarios in English, baseline, XML, once "
        f"each): {lane.good} of its {lane.probes} probes were good, so the precheck "
        f"{'admits it' if lane.admitted else 'does not admit it and asks it nothing'}. "
        "For the sake of the pipeline its lane was then admitted by hand. Every reply came to "
        "exactly one layer. That is no evidence about any language model's reports: this one is "
        "far too small to be asked.",
        _table(("checkpoint", "layer", "report", "n"), _counted(cells)),
    ]


def _first_model(url: str) -> str:
    import httpx

    found: str = httpx.get(f"{url}/models", timeout=30).json()["data"][0]["id"]
    return found


def _counted(counts: Counter[object]) -> list[tuple[str, ...]]:
    return sorted(
        (*map(str, key if isinstance(key, tuple) else (key,)), str(n)) for key, n in counts.items()
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = [header, ["---"] * len(header), *(rows or [])]
    return "\n".join("| " + " | ".join(row) + " |" for row in body)


PARTS: dict[str, Callable[[Path], Lines]] = {
    "labels": by_labels,
    "pipeline": by_pipeline,
    "kills": by_kills,
    "real": by_real_model,
    "checkpoints": by_checkpoints,
}


def main() -> None:
    """Run the parts asked for and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all without any")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "proof.md")
    asked = parser.parse_args()
    lines = [HEAD]
    for name in asked.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="draligned-proof-") as work:
            lines += PARTS[name](Path(work))
        sys.stderr.write(f"{name}: done\n")
    asked.out.write_text("\n\n".join(line.strip() for line in lines) + "\n", encoding="utf-8")
    sys.stdout.write(f"{asked.out}\n")


if __name__ == "__main__":
    main()
