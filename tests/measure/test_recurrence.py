from typing import Any

import pandas as pd
import pytest

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig

KEY = ["harness", "model", "environment", "channel"]


def rows(study: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    built = build_tables(
        study.inputs(), MeasureConfig(draws=200), ("D_F",), only=["recurrence", "estimates"]
    )
    return built["recurrence"].set_index(KEY), built["estimates"]


def fill(study: Any) -> None:
    finals = {"s1": "PPPN", "s2": "QPN."}
    for environment, letters in finals.items():
        for task, final in enumerate(letters):
            for arm, said in (("P", final if final != "." else None), ("Q", "N")):
                study.run(str(task), arm, ["N"], said, environment=environment,
                          replicate=int(environment[1]))  # fmt: skip


def test_signs_by_environment_and_together(study: Any) -> None:
    fill(study)
    found, estimates = rows(study)
    signs = ["n_planned", "n_readable", "n_positive", "n_zero", "n_negative"]
    assert found.loc[("coupled", "all", "s1", "F"), signs].tolist() == [4, 4, 3, 1, 0]
    assert found.loc[("coupled", "all", "s2", "F"), signs].tolist() == [4, 3, 1, 1, 1]
    assert found.loc[("coupled", "all", "all", "F"), signs].tolist() == [8, 7, 4, 2, 1]
    assert found.loc[("coupled", "m", "s1", "F"), "sign"] == "positive"
    assert found.loc[("coupled", "m", "s2", "F"), "sign"] == "zero"
    whole = estimates.query("estimand == 'D_F' and population == 'readable' and model == 'all'")
    together = found.loc[("coupled", "all", "all", "F")]
    assert together["value"] == whole["value"].iloc[0]
    assert together["ci_lo"] == whole["ci_union_lo"].iloc[0]


def test_every_mean_has_the_bounds_of_all_planned_pairs(study: Any) -> None:
    """One of four tasks is unreadable; where d is −1, 1 and 0, its range alone decides."""
    fill(study)
    found, estimates = rows(study)
    alone = found.loc[("coupled", "all", "s2", "F")]
    assert alone[["coarse_lo", "coarse_hi"]].tolist() == [-0.25, 0.25]
    bounds = ["coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi"]
    whole = estimates.query("estimand == 'D_F' and population == 'readable' and model == 'all'")
    assert (found.loc[("coupled", "all", "all", "F"), bounds] == whole[bounds].iloc[0]).all()


def test_environments_are_repeats_inside_a_task_and_never_clusters(study: Any) -> None:
    """Task means over both: (1 − 1)/2, 1, ½, 0; four tasks, not eight."""
    fill(study)
    found, _ = rows(study)
    together = found.loc[("coupled", "all", "all", "F")]
    assert together["value"] == pytest.approx((0 + 1 + 0.5 + 0) / 4)
    assert (together["n_tasks"], together["boot_tasks"]) == (4, 4)
    counts = ["n_tasks_positive", "n_tasks_zero", "n_tasks_negative"]
    assert together[counts].tolist() == [2, 2, 0]


def test_one_environment_has_the_same_row_twice(study: Any) -> None:
    study.run("1", "P", ["P"], "P")
    study.run("1", "Q", ["N"], "N")
    found, _ = rows(study)
    first, second = (found.loc[("coupled", "all", name, "F")] for name in ("all", "env"))
    pd.testing.assert_series_equal(first, second, check_names=False)


def test_nothing_readable_has_no_sign(study: Any) -> None:
    study.run("1", "P", [], None)
    study.run("1", "Q", ["N"], "N")
    found, _ = rows(study)
    row = found.loc[("coupled", "all", "all", "F")]
    assert (row["sign"], row["status"], row["n_readable"]) == ("unknown", "unknown", 0)
    assert pd.isna(row["positive_share"])
