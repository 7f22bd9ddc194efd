"""Sets beside the panel: A/A, neutral arm, two factors; each by itself, known answers by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig
from draligned.schema.errors import InventoryError
from draligned.schema.frames import InputSet, MeasureInputs

NAMES = ["estimates", "aa_estimates", "neutral_estimates", "two_factor_estimates"]


def built(
    panel: MeasureInputs, sets: dict[InputSet, MeasureInputs], **config: Any
) -> dict[str, pd.DataFrame]:
    config = {"draws": 100, **config}
    inputs = replace(panel, sets=sets)
    return tables.build_tables(inputs, MeasureConfig(**config), ("D_A", "D_F"), only=NAMES)


def value(table: pd.DataFrame, estimand: str, **where: str) -> float:
    where = {"population": "readable", "model": "all", **where}
    for name, word in where.items():
        table = table[table[name] == word]
    (found,) = table.loc[table["estimand"] == estimand, "value"]
    return float(found)


@pytest.fixture
def panel(new_study: Callable[..., Any]) -> Any:
    """Three tasks in which both arms lean to their own side."""
    made = new_study()
    for task in ("1", "2", "3"):
        made.run(task, "P", ["P", "N"], "PN")
        made.run(task, "Q", ["Q", "N"], "QN")
    return made


def test_without_sets_the_tables_are_empty_and_the_panel_is_what_it_is(panel: Any) -> None:
    made = built(panel.inputs(), {})
    assert all(made[name].empty for name in NAMES[1:])
    assert value(made["estimates"], "D_A") == 1.0


def test_two_runs_of_one_condition_are_a_set_of_their_own(
    panel: Any, new_study: Callable[..., Any]
) -> None:
    aa = new_study()
    aa.run("1", "P", ["P", "N"], "PN")
    aa.run("1", "Q", ["P", "N"], "PN")
    aa.run("2", "P", ["P", "N"], "PN")
    aa.run("2", "Q", ["N", "N"], "NN")
    made = built(panel.inputs(), {InputSet.AA: aa.inputs()})
    assert value(made["aa_estimates"], "D_A") == pytest.approx((0.0 + 0.5) / 2)
    assert value(made["aa_estimates"], "D_F") == pytest.approx((0 + 1) / 2)
    assert value(made["estimates"], "D_A") == 1.0
    assert not made["aa_estimates"]["primary"].any()
    assert set(made["aa_estimates"]["n_planned"]) == {2}


def test_the_neutral_arm_stands_for_either_arm_of_its_pairs(
    panel: Any, new_study: Callable[..., Any]
) -> None:
    neutral = new_study()
    neutral.run("1", "P", ["N", "N"], "NN")
    neutral.run("2", "P", ["P", "N"], "PN")
    rows = built(panel.inputs(), {InputSet.NEUTRAL: neutral.inputs()})["neutral_estimates"]
    assert set(rows["comparison"]) == {"p_q", "p_neutral", "neutral_q", "neutral"}
    assert value(rows, "m_neutral", comparison="neutral") == pytest.approx((0.0 + 0.5) / 2)
    assert value(rows, "x_neutral", comparison="neutral") == pytest.approx(0.5)
    assert value(rows, "D_A", comparison="p_neutral") == pytest.approx((0.5 + 0.0) / 2)
    assert value(rows, "D_A", comparison="neutral_q") == pytest.approx((0.5 + 1.0) / 2)
    assert value(rows, "D_A", comparison="p_q") == 1.0
    assert value(rows, "D_F", comparison="p_neutral") == pytest.approx((1 + 0) / 2)
    assert value(rows, "D_F", comparison="neutral_q") == 1.0
    assert set(rows["n_planned"]) == {2}, "pairs without a neutral run are no part of it"


def test_parts_of_a_difference_add_up(panel: Any, new_study: Callable[..., Any]) -> None:
    """m is additive: P minus neutral, and neutral minus Q, are P minus Q."""
    neutral = new_study()
    for task, requests in (("1", ["N"]), ("2", ["P", "N", "N"]), ("3", ["Q", "B"])):
        neutral.run(task, "P", requests, "NN")
    rows = built(panel.inputs(), {InputSet.NEUTRAL: neutral.inputs()})["neutral_estimates"]
    parts = [value(rows, "D_A", comparison=c) for c in ("p_neutral", "neutral_q", "p_q")]
    assert parts[0] + parts[1] == pytest.approx(parts[2])


def test_an_unread_neutral_run_is_counted_and_not_a_zero(
    panel: Any, new_study: Callable[..., Any]
) -> None:
    neutral = new_study()
    neutral.run("1", "P", ["P"], "PN")
    neutral.run("2", "P", ["U"], None, state="failed", outcome="budget_tokens")
    rows = built(panel.inputs(), {InputSet.NEUTRAL: neutral.inputs()})["neutral_estimates"]
    level = rows[(rows["estimand"] == "m_neutral") & (rows["model"] == "all")]
    assert level[["n_readable", "n_planned"]].to_numpy().tolist() == [[1, 2]]
    assert level["value"].tolist() == [1.0]
    assert level["sharp_lo"].tolist() == [0.0]


def test_a_replicate_takes_no_part_in_the_neutral_comparison(
    panel: Any, new_study: Callable[..., Any]
) -> None:
    panel.run("1", "P", ["Q"], "QN", replicate=1)
    neutral = new_study()
    neutral.run("1", "P", ["N"], "NN")
    for pairing in ("first", "all_cross"):
        rows = built(panel.inputs(), {InputSet.NEUTRAL: neutral.inputs()}, pairing=pairing)
        found = rows["neutral_estimates"]
        assert value(found, "D_A", comparison="p_neutral") == 0.5
        assert set(found["pairing"]) == {"first"}


def test_profile_sets_are_never_pooled(panel: Any, new_study: Callable[..., Any]) -> None:
    primary, complementary = new_study(), new_study()
    for made, letter in ((primary, "P"), (complementary, "N")):
        made.run("1", "P", [letter], f"{letter}N")
        made.run("1", "Q", ["N"], "NN")
    sets = {
        InputSet.TWO_FACTOR_PRIMARY: primary.inputs(),
        InputSet.TWO_FACTOR_COMPLEMENTARY: complementary.inputs(),
    }
    rows = built(panel.inputs(), sets)["two_factor_estimates"]
    assert value(rows, "D_A", comparison="primary") == 1.0
    assert value(rows, "D_A", comparison="complementary") == 0.0
    assert set(rows["n_planned"]) == {1}
    assert set(rows["comparison"]) == {"primary", "complementary"}


def test_a_set_is_checked_like_a_study(panel: Any, new_study: Callable[..., Any]) -> None:
    aa = new_study()
    aa.run("1", "P", ["P"], "PN")
    aa.run("1", "P", ["P"], "PN")
    with pytest.raises(InventoryError, match="two rows"):
        built(panel.inputs(), {InputSet.AA: aa.inputs()})
