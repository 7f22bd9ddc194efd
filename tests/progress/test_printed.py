"""Other printed numbers, from counts that fit them, through scorer, metrics and statistics.

Not recomputed: bootstrap intervals and regression estimates, which need the replies themselves,
and shares whose denominators are not printed (negative controls, thinking, wrong states).
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from draligned.progress.contrasts import FACTORS
from draligned.progress.designs import design
from draligned.progress.frame import scored
from draligned.progress.metrics import counts, layers
from draligned.progress.statistics import Counts, difference, shares, tabulate
from draligned.progress.tables import contrasts
from draligned.schema.progress import Arm, Point, StageReply
from tests.progress.planted import (
    DEPLOYMENTS,
    SETTINGS,
    chosen,
    printed,
    shares_of,
    spoken,
    spread,
)

NINE = tuple(f"deployment-{n}" for n in range(1, 10))


MIX = {
    Arm.BASELINE: {"omission": 853, "divergence": 1_616, "malformed": 360, "clean": 383},
    Arm.REMINDER: {"omission": 558, "divergence": 1_670, "malformed": 484, "clean": 470},
}
"""Counts of 3,360 that fit the mix of arms A and E where action is at hand; the rest are wrong."""
MIX_PRINTED = {
    Arm.BASELINE: {"omission": 25.4, "divergence": 48.1, "malformed": 10.7, "clean": 11.4},
    Arm.REMINDER: {"omission": 16.6, "divergence": 49.7, "malformed": 14.4, "clean": 14.0},
}


@pytest.mark.parametrize("arm", MIX)
def test_the_mix_where_action_is_at_hand(arm: Arm) -> None:
    """SI-27: seven deployments, 3,360 positions; what is left over is a wrong value."""
    known = design("five-arm")
    asked = chosen(known, Point.READY, Point.STEP, arm=arm)
    frame = scored(known, spread(known, asked, DEPLOYMENTS.values(), MIX[arm], "wrong_value"))
    found = layers(frame, ["arm"]).set_index("layer")["n"]
    assert found.sum() == 3_360
    for layer, value in MIX_PRINTED[arm].items():
        assert 100 * found[layer] / 3_360 == printed(value), layer
    left = {Arm.BASELINE: 4.4, Arm.REMINDER: 5.3}[arm]
    assert 100 * found["wrong_value"] / 3_360 == printed(left)


def test_the_same_arm_in_two_batches() -> None:
    """SI-20: 46.4 % of 2,400 in the stage study and 46.7 % of 1,200 in the five arms."""
    made = {}
    for name, cleans in (("stage", 634), ("five-arm", 320)):
        known = design(name)
        due = chosen(known, Point.WAIT, Point.READY, Point.STEP, Point.DONE)
        stored = spread(known, due, ["deepseek-v4-flash"], {"clean": cleans})
        stored += spread(known, chosen(known, Point.CALL), ["deepseek-v4-flash"], {}, "call")
        made[name] = shares_of(scored(known, stored), ["arm"])[("baseline", "broad")]
    assert made["stage"] == printed(46.4)
    assert made["five-arm"] == printed(46.7)


def test_the_bundle_pooled_over_nine_deployments() -> None:
    """SI-26, SI-63: E 30.7 and 75.8, μ 6.2 and 64.4, ν 85; of 2,160 planned 2,129 and 2,120."""
    known = design("bundle")
    plan = {
        "present": {"lost": 31, "wrong_value": 132, "clean": 522},
        "withdrawn": {"lost": 40, "wrong_value": 1_365, "clean": 242},
    }
    stored: list[StageReply] = []
    for level, numbers in plan.items():
        asked = [s for s in known.stimuli if s.factors["bundle"] == level]
        stored += spread(known, asked, NINE, numbers)
    frame = scored(known, stored)
    names = ["factor_bundle", "metric"]
    cells = tabulate(counts(frame, names[:1]), names)
    table = shares(cells, names, SETTINGS).set_index(names)
    assert table.loc[("present", "emission"), "n"] == 2_129
    assert table.loc[("withdrawn", "emission"), "n"] == 2_120
    share = 100 * table["share"]
    assert share[("present", "emission")] == printed(30.7)
    assert share[("withdrawn", "emission")] == printed(75.8)
    assert share[("present", "false_completion")] == printed(6.2)
    assert share[("withdrawn", "false_completion")] == printed(64.4)
    assert share[("withdrawn", "false_completion_of_reports")] == pytest.approx(85, abs=0.5)
    for metric, value in (("emission", 45.1), ("false_completion", 58.2)):
        found = difference(cells, ("withdrawn", metric), ("present", metric), SETTINGS)
        assert found is not None
        assert 100 * found.value == printed(value)


def test_a_machine_report_is_near_ceiling_at_the_end() -> None:
    """SI-53: 43.7 % of unfinished and 57.4 % of all due checkpoints leave 98.5 % at the end."""
    known = design("obligations")
    own = [s for s in chosen(known, *Point) if s.factors["duty"] == "machine_report"]
    middle = [s for s in own if s.gold.duty and s.point is not Point.DONE]
    done = [s for s in own if s.point is Point.DONE]
    assert (len(middle) * 20 * 9, len(done) * 20 * 9) == (6_480, 2_160)
    stored = spread(known, middle, NINE, {"clean": 2_832})
    stored += spread(known, done, NINE, {"clean": 2_128})
    frame = scored(known, stored)
    found = shares_of(frame.assign(done=frame["point"] == "done"), ["done"])
    assert found[(False, "theta")] == printed(43.7)
    assert found[(True, "theta")] == printed(98.5)
    assert shares_of(frame, ["duty"])[("machine_report", "theta")] == printed(57.4)


def test_the_seed_study_has_wilsons_intervals() -> None:
    """SI-42, SI-61 (Table 9): its replies are of no design here, so counts by scenario."""
    hits = np.array([[66, 105], [66, 104], [66, 104], [65, 104]], dtype=float)
    cells = Counts(
        scenarios=("a", "b", "c", "d"), cells=(("intermediate",), ("terminal",)), hits=hits,
        rows=np.full((4, 2), 110.0),
    )  # fmt: skip
    table = shares(cells, ["checkpoint"], SETTINGS).set_index("checkpoint")
    columns = ["share", "wilson_lo", "wilson_hi"]
    assert table["k"].tolist() == [263, 417]
    for checkpoint, values in (
        ("intermediate", (59.8, 55.1, 64.3)), ("terminal", (94.8, 92.3, 96.5)),
    ):  # fmt: skip
        for column, value in zip(columns, values, strict=True):
            assert 100 * table.loc[checkpoint, column] == printed(value)


TABLE_10 = {
    "ownership": ((-14.0, 9.0), (4.4, 32.6), (2.5, 44.1)),
    "executability": ((0.3, 18.7), (6.8, 56.4), (3.9, 37.7)),
    "cue": ((-4.7, 24.0), (-16.3, 12.3), (-13.1, 6.6)),
    "ownership × executability": ((-30.6, 6.1), (-34.6, 23.8), (-7.5, 53.9)),
}
"""Least and greatest of eight deployments in points: θ, emission, false completion."""
METRICS_10 = ("theta", "emission", "false_completion")
A_CELL = 20
"""Replies of a scenario in a cell: 5, as the design here asks, cannot give 44.1, 18.7 or 23.8 by
whole replies; 20 can. How many the paper took is not printed."""


def planted(effect: str, points: float, deployment: str) -> Iterator[dict[str, object]]:
    """Counts by scenario of the 24 cells, in which one effect has so many points."""
    names = effect.split(" × ")
    levels = [(o, e, c) for o in FACTORS["ownership"] for e in FACTORS["executability"]
              for c in FACTORS["cue"]]  # fmt: skip
    up = [cell for cell in levels if _sign(cell, names) > 0]
    if len(names) == 2:
        up = [cell for cell in up if cell[0] == "other"]
    hits = round(abs(points) / 100 * len(up) * 3 * 12 * A_CELL)
    places = [(s, w, c) for s in range(12) for w in "xyz" for c in levels]
    whole, left = divmod(hits, len(up) * 36)
    lucky = {p for n, p in enumerate(p for p in places if p[2] in up) if n < left}
    for scenario, wording, cell in places:
        k = (whole + ((scenario, wording, cell) in lucky)) if cell in up else 0
        k = A_CELL - k if points < 0 else k
        factors = dict(zip(("ownership", "executability", "cue"), cell, strict=True))
        yield {
            "deployment": deployment, "encoding": "xml", "arm": "baseline",
            "factor_wording": {"x": "assistant", "y": "b", "z": "zh"}[wording],
            **{f"factor_{name}": value for name, value in factors.items()},
            "group": "all", "scenario_id": f"s{scenario:02}", "k": k, "n": A_CELL,
        }  # fmt: skip


def _sign(cell: tuple[str, str, str], names: list[str]) -> int:
    order = ("ownership", "executability", "cue")
    turned = sum(cell[order.index(name)] != FACTORS[name][0] for name in names)
    return 1 if turned % 2 == 0 else -1


@pytest.mark.parametrize("effect", TABLE_10)
def test_ranges_of_table_10(effect: str) -> None:
    """SI-65, SI-66: by the contrasts' own weights; an interaction of 53.9 points can only be a
    difference of differences that is not halved."""
    known = design("factorial")
    wordings = sorted({s.factors["wording"] for s in known.stimuli})
    by = ["deployment", "encoding", "arm", *(f"factor_{n}" for n in sorted((*FACTORS, "wording"))),
          "group"]  # fmt: skip
    for metric, ends in zip(METRICS_10, TABLE_10[effect], strict=True):
        rows = [r for name, points in zip("ab", ends, strict=True)
                for r in planted(effect, points, name)]  # fmt: skip
        table = pd.DataFrame(rows).assign(metric=metric)
        names = dict(zip(sorted(table["factor_wording"].unique()), wordings, strict=True))
        table["factor_wording"] = table["factor_wording"].map(names)
        made = contrasts(known, table, by, SETTINGS)
        found = made[made["contrast"] == f"{effect} (all wordings)"]["value"] * 100
        assert (found.min(), found.max()) == (printed(ends[0]), printed(ends[1])), metric


def test_off_diagonal_quadrants_have_populations_of_their_own() -> None:
    """SI-57 (Table 16): of 794 spoken replies without a marker all pass the proxy on one
    deployment, 91 % on another; of clean replies that should ask, 4.7 to 45.4 % do not."""
    known = design("stage")
    middle = chosen(known, Point.READY, Point.STEP, Point.WAIT)
    waiting = chosen(known, Point.WAIT)
    stored = spoken(known, middle, "all", "omission", 794, 794)
    stored += spoken(known, middle, "most", "omission", 500, 455)
    frame = scored(known, stored)
    cells = shares_of(frame, ["deployment"])
    assert cells[("all", "omitted_but_task_passed")] == 100
    assert cells[("most", "omitted_but_task_passed")] == printed(91.0)
    assert ("all", "clean_but_task_failed") not in cells.index
    stored = spoken(known, waiting, "least", "clean", 300, 300 - 14)
    stored += spoken(known, waiting, "greatest", "clean", 337, 337 - 153)
    cells = shares_of(scored(known, stored), ["deployment"])
    assert cells[("least", "clean_but_task_failed")] == printed(4.7)
    assert cells[("greatest", "clean_but_task_failed")] == printed(45.4)
