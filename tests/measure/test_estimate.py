from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure import imbens_manski, tables
from draligned.measure import intervals as iv
from draligned.measure.estimate import holds_zero
from draligned.measure.proportions import wilson
from draligned.schema.config import MeasureConfig


def estimate(study: Any, name: str, population: str = "readable") -> pd.Series:
    config = MeasureConfig(draws=200)
    table = tables.build_tables(study.inputs(), config, (), evaluators=("ev",), only=["estimates"])[
        "estimates"
    ]
    rows = table[(table["model"] == "all") & (table["estimand"] == name)]
    return rows[rows["population"] == population].iloc[0]


def pair(study: Any, task: str, p_final: str | None, model: str = "m") -> None:
    study.run(task, "P", ["N"], p_final, model=model)
    study.run(task, "Q", ["N"], "N", model=model)


def test_nothing_readable_is_empty_and_not_zero(study: Any) -> None:
    pair(study, "1", None)
    row = estimate(study, "D_F")
    assert (row["status"], row["reason"], row["n_readable"]) == ("unknown", "empty", 0)
    assert row[["value", "ci_lo", "ci_hi", "ci_method", "signflip_p", "degenerate"]].isna().all()
    assert (row["coarse_lo"], row["coarse_hi"]) == (-1.0, 1.0)
    assert row["boot_empty"] == row["boot_draws"] == 200


def test_one_task_has_a_value_and_no_interval(study: Any) -> None:
    pair(study, "1", "P")
    row = estimate(study, "D_F")
    assert (row["status"], row["reason"], row["value"]) == ("ok", "one_task", 1.0)
    assert row[["ci_lo", "ci_hi", "ci_union_lo", "loo_task_lo"]].isna().all()


@pytest.mark.parametrize("n", [5, 60])
def test_no_variation_is_marked_and_has_a_cautious_interval(study: Any, n: int) -> None:
    for task in range(n):
        pair(study, str(task), "P", "a")
        pair(study, str(task), "P", "b")
    row = estimate(study, "D_F")
    assert row["degenerate"]
    assert (row["ci_lo"], row["ci_hi"], row["n_tasks"]) == (1.0, 1.0, n)
    assert row["ci_union_lo"] == pytest.approx(2 * n / (n + 1.959964**2) - 1, abs=1e-6)
    assert row["ci_union_method"] == "wilson_scaled"
    share = estimate(study, "readability_F", "planned")
    assert share["degenerate"]
    assert share["ci_method"] == "wilson_tasks"
    assert share["ci_lo"] < share["ci_hi"] == 1.0


def test_models_weigh_equally_inside_a_task_and_tasks_equally(study: Any) -> None:
    for model in ("a", "b", "c"):
        pair(study, "1", "P", model)
    pair(study, "2", "N", "a")
    pair(study, "2", "P", "b")
    pair(study, "3", None, "a")
    row = estimate(study, "D_F")
    assert row["value"] == pytest.approx((1 + 0.5) / 2)
    assert (row["n_readable"], row["n_planned"], row["n_tasks"]) == (5, 6, 2)
    assert row["n_tasks_planned"] == row["boot_tasks"] == 3
    assert row["coarse_lo"] == pytest.approx((1 + 0.5 - 1) / 3)
    assert row["coarse_hi"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert row["sharp_lo"] == pytest.approx((1 + 0.5 - 1) / 3)


def test_the_planned_mean_is_a_value_only_when_all_is_read(study: Any) -> None:
    pair(study, "1", "P")
    pair(study, "2", "N")
    assert estimate(study, "D_F", "planned")["value"] == 0.5
    pair(study, "3", None)
    row = estimate(study, "D_F", "planned")
    assert (row["status"], row["reason"]) == ("bounded", "unreadable_pairs")
    assert pd.isna(row["value"])
    assert row["tipping"] == pytest.approx(-1.0)


def test_resampling_can_be_redone_from_the_row(study: Any) -> None:
    """Only what the row says: generator, seed, draws, tasks in order of task_id."""
    values = {"10": "P", "2": "N", "1": "P", "3": None, "7": "Q"}
    for task, final in values.items():
        pair(study, task, final)
    row = estimate(study, "D_F")
    assert row["boot_order"] == "task_id ascending"
    sign = {"P": 1.0, "N": 0.0, "Q": -1.0}
    means = [sign[values[task]] if values[task] else None for task in sorted(values)]  # type: ignore[index]
    rng = np.random.Generator(np.random.PCG64(row["boot_seed"]))
    index = rng.integers(0, row["boot_tasks"], size=(row["boot_draws"], row["boot_tasks"]))
    drawn = [[means[t] for t in line if means[t] is not None] for line in index]
    redone = [float(np.mean(line)) for line in drawn if line]
    assert row["boot_empty"] == sum(not line for line in drawn)
    assert (row["ci_lo"], row["ci_hi"]) == pytest.approx(tuple(np.quantile(redone, [0.025, 0.975])))


def test_requests_seen_in_part_leave_the_open_bounds_wide(study: Any) -> None:
    study.run("1", "P", ["P"], "P", observes_a="partial")
    study.run("1", "Q", ["N"], "N")
    row = estimate(study, "D_A")
    assert row["value"] == row["sharp_lo"] == row["sharp_hi"] == 1.0
    assert (row["open_lo"], row["open_hi"]) == (-1.0, 1.0)


def test_planned_panel_has_intervals_of_its_bounds(study: Any) -> None:
    for task, final in enumerate(["P", "P", "N", None, "P", "Q"]):
        pair(study, str(task), final)
    readable, planned = estimate(study, "D_F"), estimate(study, "D_F", "planned")
    assert readable[["im_lo", "im_hi", "im_coarse_lo"]].isna().all()
    lows = np.array([1.0, 1.0, 0.0, -1.0, 1.0, -1.0])
    highs = np.array([1.0, 1.0, 0.0, 1.0, 1.0, -1.0])
    expected = imbens_manski.interval(lows, highs, (-1.0, 1.0))
    assert (planned["im_lo"], planned["im_hi"]) == pytest.approx(expected)
    assert planned["im_lo"] < planned["sharp_lo"] < planned["sharp_hi"] < planned["im_hi"]
    assert planned["tipping"] == pytest.approx(-2.0)
    assert not planned["tipping_reachable"]


@pytest.mark.parametrize(
    ("low", "high", "holds"),
    [(5.6e-17, 0.4, True), (-0.4, -5.6e-17, True), (1e-11, 0.4, False), (None, 0.4, False)],
)
def test_what_summing_leaves_is_no_side_of_zero(
    low: float | None, high: float, holds: bool
) -> None:
    assert holds_zero({"sharp_lo": low, "sharp_hi": high}) is holds


def test_tipping_point_within_the_bounds_can_be_reached(study: Any) -> None:
    for task, final in enumerate(["P", None, None, "N"]):
        pair(study, str(task), final)
    row = estimate(study, "D_F", "planned")
    assert row["tipping"] == pytest.approx(-0.5)
    assert row["tipping_reachable"]
    for task in range(4, 6):
        pair(study, str(task), "P")
    all_read = estimate(study, "D_A", "planned")
    assert all_read[["tipping", "tipping_reachable"]].isna().all()


def test_share_of_pairs_has_a_clustered_interval_beside_wilsons(study: Any) -> None:
    """Models of a task agree, so that eight tasks say less than forty pairs would."""
    for task in range(8):
        for model in range(5):
            pair(study, str(task), "P" if task < 5 else "N", f"m{model}")
    row = estimate(study, "share_dF_positive")
    assert (row["ci_lo"], row["ci_hi"]) == pytest.approx(wilson(25, 40))
    rng = np.random.Generator(np.random.PCG64(row["boot_seed"]))
    means = (rng.integers(0, 8, size=(200, 8)) < 5).mean(axis=1)
    assert row["ci_expanded_lo"] <= np.quantile(means, 0.025) < row["ci_lo"]
    assert row["ci_union_hi"] - row["ci_union_lo"] > 1.5 * (row["ci_hi"] - row["ci_lo"])


def test_all_pairs_positive_has_wilsons_interval_over_tasks(study: Any) -> None:
    for task in range(9):
        pair(study, str(task), "P")
        pair(study, str(task), "P", "n")
    row = estimate(study, "share_dF_positive")
    assert (row["ci_lo"], row["ci_hi"]) == pytest.approx(wilson(18, 18))
    assert (row["ci_union_lo"], row["ci_union_hi"]) == pytest.approx(wilson(9, 9))
    assert row["ci_union_method"] == "wilson_tasks"


def test_intervals_of_a_row_are_those_of_its_tasks(study: Any) -> None:
    """Every interval again from the tasks' means and the draws that the row describes."""
    means = {"0": "PP", "1": "PN", "2": "NN", "3": "PQ", "4": "PP", "5": "PN", "6": "PP"}
    for task, finals in means.items():
        for model, final in enumerate(finals):
            pair(study, task, final, f"m{model}")
    row = estimate(study, "D_F")
    sign = {"P": 1.0, "N": 0.0, "Q": -1.0}
    values = np.array([np.mean([sign[x] for x in finals]) for finals in means.values()])
    ones = np.ones(7)
    rng = np.random.Generator(np.random.PCG64(row["boot_seed"]))
    drawn = values[rng.integers(0, 7, size=(200, 7))]
    at, errors = drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / np.sqrt(7)
    error = values.std(ddof=1) / np.sqrt(7)
    plain, wide, corrected = iv.at(at, iv.percentile(), iv.expanded(7), iv.bca(at, values, ones))
    student = iv.studentised(at, np.where(errors < 1e-9, 0.0, errors), values.mean(), error)
    assert student is not None
    student = iv.clip(student, -1.0, 1.0)
    scored = iv.score(values.mean(), error, 7, (-1.0, 1.0))
    found = {"ci": plain, "ci_expanded": wide, "ci_bca": corrected, "ci_t": student,
             "ci_score": scored, "ci_union": iv.union(plain, student, scored)}  # fmt: skip
    for name, interval in found.items():
        assert (row[f"{name}_lo"], row[f"{name}_hi"]) == pytest.approx(interval), name
    assert row["ci_union_method"] == "percentile_t_score"


def test_each_row_says_under_which_choices_it_was_made(study: Any) -> None:
    pair(study, "1", "P")
    config = MeasureConfig(draws=100, unresolved_items="ignore", pairing="all_cross")
    built = tables.build_tables(study.inputs(), config, (), only=["estimates", "sensitivity"])
    chosen = ["unresolved_items", "pairing"]
    assert set(map(tuple, built["estimates"][chosen].to_numpy())) == {("ignore", "all_cross")}
    rows = built["sensitivity"].set_index(["setting", "choice"])[chosen].drop_duplicates()
    assert rows.loc[("unresolved_items", "block_all")].to_list() == ["block_all", "all_cross"]
    assert rows.loc[("pairing", "first")].to_list() == ["ignore", "first"]
