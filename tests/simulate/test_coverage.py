"""Summaries of trials, on rows written by hand."""

import pandas as pd
import pytest

from draligned.simulate import coverage as cov

ROWS = pd.DataFrame(
    {
        "estimand": "D_A",
        "population": "readable",
        "value": [0.1, 0.3, None, 0.2],
        "truth": 0.2,
        "actual": [0.1, 0.2, 0.2, 0.9],
        "readable": [0.5, 0.7, 0.0, 0.8],
        "n_readable": [5, 7, 0, 8],
        "ci_lo": [0.0, 0.25, None, 0.2],
        "ci_hi": [0.2, 0.4, None, 0.3],
        "ci_union_lo": [-0.1, 0.1, None, 0.1],
        "ci_union_hi": [0.3, 0.5, None, 0.4],
        "loo_task_lo": 0.0,
        "loo_task_hi": 1.0,
        "range_lo": -2.0,
        "range_hi": 2.0,
        "coarse_lo": -1.0,
        "coarse_hi": 1.0,
        "sharp_lo": [0.1, -1.0, -1.0, -1.0],
        "sharp_hi": [0.1, 0.0, 1.0, 1.0],
        "signflip_p": [0.04, 0.2, None, 0.01],
    }
)
PLANNED = ROWS.assign(population="planned")


def test_only_intervals_of_the_estimate_are_methods() -> None:
    assert cov.methods(ROWS) == ["ci", "ci_union"]


def test_coverage_counts_the_intervals_that_there_are_and_their_ends() -> None:
    rows = cov.coverage(ROWS).set_index("method")
    assert rows.loc["ci", "studies"] == 4
    assert rows.loc["ci", "intervals"] == 3
    assert rows.loc["ci", "inside"] == 2
    assert rows.loc["ci", "share"] == pytest.approx(2 / 3)
    assert rows.loc["ci", "mark"] == cov.BELOW
    assert rows.loc["ci_union", "share"] == 1
    assert rows.loc["ci_union", "mark"] == cov.ABOVE
    assert rows.loc["ci", "width"] == pytest.approx((0.2 + 0.15 + 0.1) / 3)


def test_a_share_inside_the_limits_has_no_mark() -> None:
    many = pd.concat([ROWS[:1]] * 95 + [ROWS[1:2]] * 5, ignore_index=True)
    rows = cov.coverage(many).set_index("method")
    assert rows.loc["ci", "share"] == pytest.approx(0.95)
    assert rows.loc["ci", "mark"] == ""


def test_bias_leaves_out_studies_without_a_value() -> None:
    row = cov.bias(ROWS).iloc[0]
    assert row["studies"] == 3
    assert row["bias"] == pytest.approx(0.0)
    assert row["error"] == pytest.approx(0.1 / 3**0.5)


def test_bounds_are_held_against_the_panels_own_mean() -> None:
    rows = cov.bounded(PLANNED).set_index("bounds")
    assert rows.loc["sharp", "inside"] == 3
    assert rows.loc["coarse", "inside"] == 4
    assert "open" not in rows.index


def test_zero_is_excluded_by_interval_and_by_test() -> None:
    row = cov.excluded_zero(ROWS, "ci_union").iloc[0]
    assert row["studies"] == 4
    assert row["interval"] == pytest.approx(2 / 4)
    assert row["test"] == pytest.approx(2 / 4)
    assert row["pairs"] == 5
