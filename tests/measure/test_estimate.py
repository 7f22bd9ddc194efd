from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
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
    import numpy as np

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
