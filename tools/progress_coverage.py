"""How often the intervals of progress reports hold the truth; writes docs/progress.md.

`make progress-coverage` simulates 4,000 studies a cell: half a minute on one core. `--studies N`
takes fewer and says so on the page.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from draligned.progress.coverage import (  # noqa: E402
    CORRELATIONS,
    LEAST,
    THETAS,
    Covered,
    CoveredGap,
    coverage,
    coverage_of_differences,
)
from draligned.progress.statistics import ENOUGH, RARE  # noqa: E402

OUT = ROOT / "docs" / "progress.md"
NUMBERS = (6, 12, 24, 48, 96)
FEW_THETAS, FEW_CORRELATIONS = (0.02, 0.1, 0.5, 0.9), (0.05, 0.2)
PAIRS = ((0.25, 0.75), (0.5, 0.5), (0.1, 0.5), (0.05, 0.95), (0.02, 0.1))
ROWS = 40

TEXT = """\
# Intervals of progress reports

Written by `make progress-coverage` (`python tools/progress_coverage.py`): studies with a known
share θ, measured by the functions that make the table `shares`. Scenarios are drawn from a beta
distribution with mean θ, {rows} replies each (2 encodings × 20 repetitions) from a binomial; ρ is
the correlation of two replies of one scenario. {studies:,} studies a cell, {draws:,} draws each: a
share near 95 % is uncertain by ±{error:.1f} points (standard error). These are simulated shares and
no evidence about any language model.

## Which interval to read

- **`effective_lo`, `effective_hi`** is recommended wherever `marked` is true: Wilson's interval
  with the effective n (n over the design effect of the scenarios) and the quantile of Student's t
  with scenarios − 1 degrees of freedom. Of the {cells} cells at 12 scenarios it covers under 93 %
  in {weak}, all with {where}; it covers at least {least:.1f} %.
- **`ci_lo`, `ci_hi`**, the percentile bootstrap over scenarios that the paper uses, covers under
  93 % in {low} of these {cells} cells, and {worst:.1f} % in the worst. Hence `marked` is true with
  fewer than {enough} scenarios, as in every design of the paper, and with more where fewer than
  one reply in {rare:.0f} is a hit, or a miss.
- **`wilson_lo`, `wilson_hi`** takes replies as independent. It is right for ρ = 0 alone, and
  covers {plain:.1f} % in the worst cell: it stands in the table only because the paper gives it for
  plain proportions.

Where every scenario has the same share (`degenerate`) the bootstrap has no width; the effective
n is then the number of scenarios.

## Twelve scenarios

Coverage in per cent: bootstrap / effective / plain Wilson. ↓: under 93 %.

{twelve}
## Other numbers of scenarios

Coverage in per cent: bootstrap / effective.

{numbers}
## Contrasts

Differences of two cells of the same twelve scenarios, in the table `contrasts`. The bootstrap
(`ci_lo`, `ci_hi`) covers under 93 % in {gap_low} of {gaps} cells; so contrasts of fewer than
{enough} scenarios are `marked`, and `t_lo`, `t_hi` is recommended: Student's t from what each
scenario adds to the difference. It covers under 93 % in {gap_weak}, where both shares lie within
0.1 of 0 or 1. `excludes_zero` is of the bootstrap, as in the paper; the page draws what is
recommended. Coverage in per cent: bootstrap / t.

{contrasts}
What is printed in the paper and comes back by computation is listed in `docs/progress-numbers.md`.
"""


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4_000)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    twelve = list(coverage(rows=ROWS, studies=asked.studies, draws=asked.draws))
    others = {
        n: list(
            coverage(
                FEW_THETAS, FEW_CORRELATIONS, scenarios=n, rows=ROWS, studies=asked.studies,
                draws=asked.draws,
            )
        )
        for n in NUMBERS
    }  # fmt: skip
    gaps = list(coverage_of_differences(PAIRS, rows=ROWS, studies=asked.studies, draws=asked.draws))
    text = page(twelve, others, gaps, asked.studies, asked.draws)
    asked.out.write_text(text, encoding="utf-8")


def page(
    twelve: Sequence[Covered],
    others: dict[int, list[Covered]],
    gaps: Sequence[CoveredGap],
    studies: int,
    draws: int,
) -> str:
    """The page's text."""
    weak = [c for c in twelve if c.effective < LEAST]
    return TEXT.format(
        rows=ROWS, studies=studies, draws=draws, error=100 * (0.95 * 0.05 / studies) ** 0.5,
        cells=len(twelve), weak=len(weak), where=_where(weak),
        least=100 * min(c.effective for c in twelve), low=sum(c.marked for c in twelve),
        worst=100 * min(c.bootstrap for c in twelve), enough=ENOUGH, rare=1 / RARE,
        plain=100 * min(c.wilson for c in twelve), twelve=_twelve(twelve), numbers=_others(others),
        gaps=len(gaps), gap_low=sum(g.bootstrap < LEAST for g in gaps),
        gap_weak=sum(g.student < LEAST for g in gaps), contrasts=_gaps(gaps),
    )  # fmt: skip


def _where(weak: Sequence[Covered]) -> str:
    if not weak:
        return "no θ"
    off = max(min(c.theta, 1 - c.theta) for c in weak)
    return f"θ within {off:.2f} of 0 or 1 and ρ of at least {min(c.correlation for c in weak):g}"


def _twelve(cells: Sequence[Covered]) -> str:
    at = {(c.theta, c.correlation): c for c in cells}
    rows = [
        [f"{theta:g}", *(_three(at[theta, r]) for r in CORRELATIONS)] for theta in THETAS
    ]  # fmt: skip
    return grid(["θ", *(f"ρ = {r:g}" for r in CORRELATIONS)], rows)


def _others(found: dict[int, list[Covered]]) -> str:
    kinds = [(t, r) for t in FEW_THETAS for r in FEW_CORRELATIONS]
    by = {n: {(c.theta, c.correlation): c for c in cells} for n, cells in found.items()}
    rows = [
        [f"{t:g}", f"{r:g}", *(f"{_one(by[n][t, r].bootstrap)} / {_one(by[n][t, r].effective)}"
                               for n in found)]
        for t, r in kinds
    ]  # fmt: skip
    return grid(["θ", "ρ", *(f"{n} scenarios" for n in found)], rows)


def _gaps(cells: Sequence[CoveredGap]) -> str:
    at = {(c.plus, c.minus, c.correlation): c for c in cells}
    rows = [
        [f"{a:g} − {b:g}", *(f"{_one(at[a, b, r].bootstrap)} / {_one(at[a, b, r].student)}"
                             for r in CORRELATIONS)]
        for a, b in PAIRS
    ]  # fmt: skip
    return grid(["shares", *(f"ρ = {r:g}" for r in CORRELATIONS)], rows)


def _three(cell: Covered) -> str:
    return " / ".join(_one(v) for v in (cell.bootstrap, cell.effective, cell.wilson))


def _one(value: float) -> str:
    return f"{100 * value:.1f}" + (" ↓" if value < LEAST else "")


def grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows), ""])


if __name__ == "__main__":
    main()
