"""Numbers printed in the paper, recomputed by our functions from label tables of the same counts.

Line numbers are those of the paper's notes. What the paper prints only as a count of a count
(363/390, 41/57 …) is recomputed as a share and nothing more. Numbers that contradict one another
there are not recomputed.
"""

from collections.abc import Callable
from typing import Any

import pytest
from scipy import stats

from draligned.measure.proportions import wilson
from draligned.measure.scaled import Scaled
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.errors import InventoryError

CONFIG = MeasureConfig(draws=200)

CELLS = (
    [("N", "P")] * 27 + [("N", "N")] + [("P", "P")] * 18 + [("P", "N")] * 9  # both readable: 55
    + [("N", None)] * 19 + [("P", None)] * 13  # requests only: 32
    + [("U", "P")] * 12 + [("U", "N")] * 2 + [("U", None)] * 9  # finals only: 14, neither: 9
)  # fmt: skip
"""What the P run's requests and final say; the Q run's say neither. A third of the requests of 40
pairs lean to P, so that d_A is 1/3 there: 0.153 over 87 pairs; d_F is 57/69 = 0.826."""


@pytest.fixture
def panel(study: Any) -> dict[str, Any]:
    for number, (request, final) in enumerate(CELLS):
        task, model = f"{number % 22 + 1:02d}", f"m{number // 22}"
        lean = [request, "N", "N"] if request == "P" else [request]
        study.run(task, "P", lean, final, model=model)
        study.run(task, "Q", ["N"], "N", model=model)
    wanted = ("estimates", "readability", "sensitivity")
    return build_tables(study.inputs(), CONFIG, ("D_A", "D_F"), only=wanted)


def test_readable_pairs_of_both_channels(panel: dict[str, Any]) -> None:
    """79.1 % and 62.7 % (L130): 87 and 69 of 110; 55 common, 47 of them zero in requests (L294)."""
    rows = panel["estimates"].query("model == 'all'").set_index(["estimand", "population"])
    shares = {"A": (87, 0.791), "F": (69, 0.627)}
    for channel, (count, share) in shares.items():
        row = rows.loc[(f"readability_{channel}", "planned")]
        assert (row["n_readable"], row["n_planned"]) == (count, 110)
        assert row["value"] == pytest.approx(share, abs=5e-4)
    cross = panel["readability"].query("unit == 'panel' and model == 'all'")
    counts = cross.groupby("status")["n"].sum().to_dict()
    assert counts == {"both": 55, "A_only": 32, "F_only": 14, "neither": 9}
    by_state = cross[cross["status"].isin(["both", "A_only"])].groupby("state")["n"].sum()
    assert by_state.to_dict() == {"dA_zero": 47, "dA_nonzero": 40}


def test_27_of_28(panel: dict[str, Any]) -> None:
    """96.4 % of pairs without a difference in requests differ in the assigned direction."""
    rows = panel["estimates"].query("model == 'all' and estimand == 'share_dF_positive'")
    row = rows.set_index("population").loc["dA_zero"]
    assert (row["n_pairs"], row["n_readable"]) == (47, 28)
    assert row["value"] == pytest.approx(27 / 28)
    assert round(100 * row["value"], 1) == 96.4
    assert (row["ci_lo"], row["ci_hi"]) == pytest.approx(wilson(27, 28))
    assert row["ci_method"] == "wilson"
    assert row["ci_union_lo"] < row["value"] < row["ci_union_hi"]


def test_coarse_bounds_of_the_planned_panel(panel: dict[str, Any]) -> None:
    """What 69 and 87 readable of 110 leave open, pair-weighted: F [0.15, 0.89], A [−0.30, 0.54]."""
    rows = panel["sensitivity"].query("setting == 'weighting'").set_index("estimand")
    bounds = {name: rows.loc[name, ["coarse_lo", "coarse_hi"]].tolist() for name in ("D_A", "D_F")}
    assert [round(x, 2) for x in bounds["D_F"]] == [0.15, 0.89]
    assert [round(x, 2) for x in bounds["D_A"]] == [-0.30, 0.54]
    assert [round(rows.loc[name, "value"], 2) for name in ("D_A", "D_F")] == [0.15, 0.83]


def test_risk_set_of_80_starts(study: Any) -> None:
    """49 OWN, 31 NONE, 0 OTHER (L387); independent documents of such states would separate with
    probability 1 − (31/80)² = 0.85, near the printed 0.83 (Q11)."""
    for number in range(80):
        study.run(str(number), "P", drafts=["P" if number < 49 else "N"], final="P")
    rows = build_tables(study.inputs(), CONFIG, (), only=["risk_set"])["risk_set"]
    row = rows.query("model == 'all' and start == 'last_draft'").iloc[0]
    assert row[["n", "n_own", "n_none", "n_other"]].tolist() == [80, 49, 31, 0]
    assert 1 - (row["n_none"] / row["n"]) ** 2 == pytest.approx(0.85, abs=5e-3)


def test_joint_reading(new_study: Callable[..., Any]) -> None:
    """106 units read in two ways (L375): 63 identical, 70 with zero states merged, 1 reversed."""
    said = [("P", "P")] * 63 + [("B", "N")] * 7 + [("P", "Q")] + [("P", "N")] * 35
    made = new_study(evaluators=("alone", "joint"))
    for number, (one, _) in enumerate(said):
        made.run(str(number), "P", [one], None)
    for row in made.request_reads:
        other = said[int(row["run_id"].split("-")[0])][1]
        if row["evaluator"] == "joint":
            slots = {"P": "ALPHA_ONLY", "Q": "BETA_ONLY", "N": "NEITHER"}
            turned = {"P": "Q", "Q": "P", "N": "N"} if row["alpha"] == "Q" else {}
            row["label"] = slots[turned.get(other, other)]
    rows = build_tables(made.inputs(), CONFIG, (), only=["agreement"])["agreement"]
    row = rows.query("unit == 'request' and model == 'all'").iloc[0]
    counts = ["n_both", "n_same", "n_same_x", "n_opposite"]
    assert row[counts].tolist() == [106, 63, 70, 1]


def test_scaled_counts_are_no_labels() -> None:
    """61.5 % and 624 are 8 of 13, scaled (L106, L144, L286)."""
    scaled = Scaled(n=384, of=624, basis_k=8, basis_n=13)
    assert "basis_n = 13" in str(scaled)
    with pytest.raises(InventoryError, match="8 of 13"):
        wilson(scaled, 624)  # type: ignore[arg-type]
    interval = wilson(8, 13)
    assert round(100 * 8 / 13, 1) == 61.5
    assert interval is not None
    assert interval[1] - interval[0] > 0.4


@pytest.mark.parametrize(
    ("count", "of", "percent"),
    [
        (363, 390, 93.1),  # same broad subproblem, L129
        (41, 57, 71.9),  # allocation, L129
        (0, 266, 0.0), (25, 29, 86.2), (2, 275, 0.7), (26, 32, 81.3),  # two factors, L131
        (84, 86, 97.7),  # first draft after the last retrieval, L135
        (39, 41, 95.1), (38, 41, 92.7), (18, 38, 47.4),  # OWN starts, L136
        (7, 9, 77.8),  # pre-check readings, L286
        (39, 94, 41.5), (92, 94, 97.9),  # construction review, L282
        (1691, 1732, 97.6),  # completed starts, L117
        (8, 10, 80.0), (30, 30, 100.0), (24, 216, 11.1), (9, 225, 4.0),  # L339, L351, L359
    ],
)  # fmt: skip
def test_shares_of_printed_counts(count: int, of: int, percent: float) -> None:
    share = wilson(count, of)
    assert 100 * count / of == pytest.approx(percent, abs=0.06)
    theirs = stats.binomtest(count, of).proportion_ci(method="wilson")
    assert share == pytest.approx((theirs.low, theirs.high))
