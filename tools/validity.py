"""How far the instrument can be trusted when the truth is known; writes docs/validity.md.

`make validity` simulates 1,000 to 4,000 studies for each scenario and measures them with
measure's own functions: 20 minutes on one core. `--studies N` takes fewer and says so on the page.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from draligned.measure.intervals import RECOMMENDED  # noqa: E402
from draligned.simulate import coverage as cov  # noqa: E402
from draligned.simulate import validity  # noqa: E402
from draligned.simulate.faults import order_and_noise  # noqa: E402

OUT = ROOT / "docs" / "validity.md"
BY = ["table", "scenario", "design"]
METHODS = {
    "ci": "percentile",
    "ci_expanded": "expanded",
    "ci_bca": "BCa",
    "ci_t": "bootstrap-t",
    "ci_score": "score",
    "twoway": "two-way",
    "ci_union": "**union**",
}
Lines = list[str]

HEAD = """\
# Validity

Written by `make validity` (`python tools/validity.py`): studies drawn from planted parameters,
whose truth is known, measured by the same functions as real ones. They show how far the numbers
can be trusted, and are no evidence about any language model.

Panels, numbers of tasks and A/A are tried with {studies:,} studies each, all else with
{fewer:,}: a share near 95 % is uncertain by ±{error:.1f} and ±{wider:.1f} points (standard
error). Each bootstrap takes {draws:,} draws; a study's own tables take 10,000. What is planted
stands in `draligned/simulate/scenarios.py`; the truth, in closed form, in
`draligned/simulate/expected.py`. **paper**: near D_A 0.15 and D_F 0.83, 79 % and
63 % of pairs readable at random, intervals as wide as the paper's. **by state**: as many
readable, but runs that lean to their own endpoint more often. **null**: no difference on average,
tasks differ in either direction. **sparse**: 30 % of pairs readable. Tasks are the clusters.
"""
MARKS = """\
↓ below 93 %, ↑ above 98 %. **union** (`ci_union`) is the recommended interval; `ci` is the
paper's. Intervals are of the mean over readable pairs; {missing}
"""


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4_000)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    fewer = max(1, asked.studies // 4)
    made = validity.try_all(asked.studies, asked.draws, _progress)
    power = validity.power_tables(max(1, asked.studies // 8), asked.draws, _progress)
    errors = [100 * (0.95 * 0.05 / n) ** 0.5 for n in (asked.studies, fewer)]
    head = HEAD.format(
        studies=asked.studies, fewer=fewer, draws=asked.draws, error=errors[0], wider=errors[1]
    )
    sections = [
        [head], _short(made), _panel(made), _clusters(made), _harder(made), _same(made),
        _readers(made), _flips(), _power(power, asked.studies // 8),
    ]  # fmt: skip
    text = "\n".join(line for section in sections for line in section)
    asked.out.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def _progress(label: str, done: int, total: int) -> None:
    print(f"{label}: {done}/{total}", file=sys.stderr, flush=True)  # noqa: T201


def grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]


def share(row: "pd.Series[float] | None") -> str:
    """A coverage in per cent, marked when it is outside 93–98."""
    if row is None:
        return "–"
    arrow = {cov.BELOW: " ↓", cov.ABOVE: " ↑"}.get(str(row["mark"]), "")
    return f"{100 * row['share']:.1f}{arrow}"


def covered(made: pd.DataFrame, table: str) -> pd.DataFrame:
    """Coverage of one of the page's tables, indexed for looking up."""
    rows = cov.coverage(made[made["table"] == table], BY)
    return rows.set_index(["scenario", "design", "estimand", "population", "method"])


def _rows(made: pd.DataFrame, table: str) -> list[tuple[str, str, str]]:
    found = made.loc[made["table"] == table, ["scenario", "design", "estimand"]].drop_duplicates()
    return [(str(a), str(b), str(c)) for a, b, c in found.itertuples(index=False, name=None)]


def _at(rows: pd.DataFrame, *key: str) -> "pd.Series[float] | None":
    return rows.loc[key] if key in rows.index else None


def _intervals(made: pd.DataFrame, table: str) -> Lines:
    rows = covered(made, table)
    header = ["scenario", "cells", "", *METHODS.values(), "width: percentile", "union"]
    lines = []
    for key in _rows(made, table):
        cells = [_at(rows, *key, "readable", method) for method in METHODS]
        widths = [_at(rows, *key, "readable", method) for method in ("ci", RECOMMENDED)]
        wide = ["–" if w is None else f"{w['width']:.3f}" for w in widths]
        lines.append([*key, *map(share, cells), *wide])
    return grid(header, lines)


def _short(made: pd.DataFrame) -> Lines:
    """What the tables below come to, in figures."""
    rows = covered(made, "clusters").reset_index()
    own = rows[(rows["method"] == RECOMMENDED) & (rows["population"] == "readable")]
    larger = own[own["design"] != "12 × 5"]
    bias = cov.bias(made[made["table"] == "panel"], BY)
    random = bias[bias["scenario"] == "paper"]
    state = bias[bias["scenario"] == "by state"]
    planned = covered(made, "panel").reset_index()
    held = planned[(planned["scenario"] == "by state") & (planned["method"] == "im")]
    same = cov.excluded_zero(_readable(made, "aa"), RECOMMENDED, BY)
    return [
        "## In short",
        "",
        f"- Missing at random, D̂ over readable pairs is off by at most "
        f"{random['bias'].abs().max():.4f} (asked for: under 0.01).",
        f"- Missing by state, it is off by up to {state['bias'].abs().max():.3f}; the interval of "
        f"all planned pairs contains the truth in at least {100 * held['share'].min():.1f} % of "
        "studies (asked for: 95 %).",
        f"- The recommended interval covers the truth in {100 * own['share'].min():.1f} % or more "
        f"at 12, 24 and 50 tasks (asked for: 93 %), and in {100 * larger['share'].max():.1f} % at "
        "most at 24 and 50 (98 %).",
        f"- Where both runs of a pair are of one condition, it excludes zero in "
        f"{100 * same['interval'].min():.1f} to {100 * same['interval'].max():.1f} % of studies, "
        f"and the sign-flip test in {100 * same['test'].min():.1f} to "
        f"{100 * same['test'].max():.1f} %.",
        "- Where it does not hold is below under Harder cases.",
        "",
    ]


def _readable(made: pd.DataFrame, table: str) -> pd.DataFrame:
    return made[(made["table"] == table) & (made["population"] == "readable")]


def _panel(made: pd.DataFrame) -> Lines:
    """Bias over readable pairs, and the planned panel."""
    own = made[made["table"] == "panel"]
    bias = cov.bias(own, BY).set_index(["scenario", "design", "estimand"])
    bounds = cov.bounded(own, BY).set_index(["scenario", "design", "estimand", "bounds"])
    rows = covered(made, "panel")
    header = ["scenario", "cells", "", "truth", "readable", "bias", "± its error", "union",
              "planned: sharp", "requests open", "coarse", "bounds hold the panel"]  # fmt: skip
    lines = []
    for key in _rows(made, "panel"):
        one, held = bias.loc[key], bounds.loc[(*key, "sharp")]
        planned = [_at(rows, *key, "planned", m) for m in ("im", "im_open", "im_coarse")]
        lines.append(
            [*key, f"{one['truth']:.3f}", f"{100 * one['readable']:.0f} %", f"{one['bias']:+.4f}",
             f"{one['error']:.4f}", share(_at(rows, *key, "readable", RECOMMENDED)),
             *("–" if p is None else f"{100 * p['share']:.1f}" for p in planned),
             f"{100 * held['share']:.1f}"]
        )  # fmt: skip
    return [
        "## Studies shaped like the panel",
        "",
        "24 tasks × 5 models without 10 cells, and 22 tasks × 5 models. `planned`: share of",
        "studies whose interval of the mean over all planned pairs (Imbens and Manski's: `im`,",
        "`im_open`, `im_coarse`) contains the truth; the last column: share whose sharp bounds",
        "contain the mean of the panel itself, had every pair been read.",
        "",
        *grid(header, lines),
    ]


def _clusters(made: pd.DataFrame) -> Lines:
    missing = "what is unreadable is so at random."
    return [
        "## Coverage by number of tasks", "", MARKS.format(missing=missing),
        *_intervals(made, "clusters"),
    ]  # fmt: skip


def _harder(made: pd.DataFrame) -> Lines:
    """Where intervals of readable pairs fail, and by how much."""
    rows, planned = covered(made, "harder"), []
    for key in _rows(made, "harder"):
        cells = [_at(rows, *key, "planned", method) for method in ("im", "im_open")]
        planned.append([*key, *("–" if c is None else f"{100 * c['share']:.1f}" for c in cells)])
    return [
        "## Harder cases",
        "",
        "**users**: the two tasks of a user are alike, while tasks are drawn as if independent.",
        "**ceiling**: 85 % of finals lean to their own endpoint, 2 % of requests do and none to",
        "the other: most tasks have one and the same value. **by request**: a request that leans",
        "to the run's endpoint is identified more often than one that does not, so that readable",
        "pairs are biased too; only `im_open` answers for that.",
        "",
        *_intervals(made, "harder"),
        "The interval of all planned pairs in the same studies:",
        "",
        *grid(["scenario", "cells", "", "im", "im_open"], planned),
    ]


def _same(made: pd.DataFrame) -> Lines:
    found = cov.excluded_zero(_readable(made, "aa"), RECOMMENDED, BY)
    lines = [
        [str(r["design"]), str(r["estimand"]), f"{100 * r['interval']:.1f} %",
         f"{100 * r['test']:.1f} %", f"{r['half_width']:.3f}"]
        for r in found.to_dict("records")
    ]  # fmt: skip
    return [
        "## A/A: both runs of a pair of one condition",
        "",
        "Share of studies in which a difference is found where there is none; nominal is 5 %.",
        "",
        *grid(["cells", "", "union excludes zero", "sign-flip test", "half width"], lines),
        *_intervals(made, "aa"),
    ]


def _readers(made: pd.DataFrame) -> Lines:
    """What an evaluator's faults do to D̂."""
    own = made[made["table"] == "readers"]
    bias = cov.bias(own, BY).set_index(["scenario", "design", "estimand"])
    rows = covered(made, "readers")
    lines = []
    for key in _rows(made, "readers"):
        one = bias.loc[key]
        lines.append(
            [key[0], key[2], f"{one['truth']:.3f}", f"{100 * one['readable']:.0f} %",
             f"{one['bias']:+.4f}", share(_at(rows, *key, "readable", RECOMMENDED))]
        )  # fmt: skip
    return [
        "## Faults of the evaluator",
        "",
        "One at a time, 24 × 5 cells, in requests and finals alike. Noise and slot bias mostly",
        "leave units unidentified: mirrored reads disagree. An error that both reads agree on",
        "cannot be seen in them and shrinks D̂; qualification and sentinels are for that.",
        "",
        *grid(["fault", "", "truth", "readable", "bias", "union"], lines),
    ]


def _flips() -> Lines:
    """A slot bias and noise, as the tables of order flips and retests show them."""
    lines = [
        [str(r["evaluator"]), str(r["kind"]), f"{100 * r['flips']:.1f} %",
         f"{100 * r['retests']:.1f} %", f"{100 * r['excess']:+.1f}{_ends(r['low'], r['high'])}",
         f"{r['slot_lean']:+.3f}"]
        for r in order_and_noise().to_dict("records")
    ]  # fmt: skip
    return [
        "## Order or noise",
        "",
        "Evaluators with one planted fault, reading one study of 240 runs, all reads made again",
        "in the same orientation. Order flips beyond retests show a slot bias; noise shows in",
        "retests, and no more in flips.",
        "",
        *grid(["evaluator", "units", "order flips", "retests that differ", "excess (points)",
               "lean to ALPHA"], lines),
    ]  # fmt: skip


def _ends(low: object, high: object) -> str:
    """An interval of shares in points; nothing where there is none."""
    if pd.isna(low) or pd.isna(high):  # type: ignore[call-overload]
        return ""
    return f" [{100 * float(str(low)):+.1f}, {100 * float(str(high)):+.1f}]"


def _power(power: pd.DataFrame, studies: int) -> Lines:
    lines = [
        [str(r["study"]), str(r["estimand"]), f"{r['planted']:g}", f"{r['mean']:.3f}",
         f"{r['pairs']:.0f}", f"{r['half_width']:.3f}", f"{100 * r['interval']:.0f} %",
         f"{100 * r['test']:.0f} %",
         f"{100 * r['planned_interval']:.0f} %"]
        for r in power.to_dict("records")
    ]  # fmt: skip
    return [
        "## Power",
        "",
        f"As `draligned simulate power` gives it, {studies:,} studies for each row: how often the",
        "union excludes zero, the sign-flip test rejects it, and the interval of all planned pairs",
        "excludes it.",
        "",
        *grid(["study", "", "true D", "mean D̂", "readable pairs", "half width", "union", "test",
               "planned"], lines),
    ]  # fmt: skip


if __name__ == "__main__":
    main()
