from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig


def pairs(study: Any, **changes: Any) -> pd.DataFrame:
    config = MeasureConfig(draws=100, **changes)
    return tables.build_tables(study.inputs(), config, (), evaluators=("ev",), only=["pairs"])[
        "pairs"
    ]


def test_worked_pair(worked_pair: Any) -> None:
    """d_F = 1 while d_A = 0 (001 §E.1)."""
    row = pairs(worked_pair).iloc[0]
    assert (row["d_f"], row["d_a"], row["d_a_zero"]) == (1, 0.0, True)
    assert (row["d_f_raw"], row["d_f_half"], row["d_a_half"]) == (1, 0.5, 0.0)
    assert (row["final_state_p"], row["final_state_q"]) == ("OWN_ONLY", "NONE")
    assert (row["a_status"], row["f_status"]) == ("readable", "readable")


@pytest.mark.parametrize(
    ("p_final", "q_final", "d_f", "raw"),
    [
        ("P", "Q", 1, 2),
        ("P", "N", 1, 1),
        ("N", "Q", 1, 1),
        ("P", "P", 0, 0),
        ("PQ", "N", 0, 0),
        ("N", "P", -1, -1),
        ("Q", "P", -1, -2),
    ],
)
def test_sign_of_the_difference(study: Any, p_final: str, q_final: str, d_f: int, raw: int) -> None:
    study.run("1", "P", ["N"], p_final)
    study.run("1", "Q", ["N"], q_final)
    row = pairs(study).iloc[0]
    assert (row["d_f"], row["d_f_raw"], row["d_f_half"]) == (d_f, raw, raw / 2)


def test_requests_are_means_over_identified_ones(study: Any) -> None:
    study.run("1", "P", ["P", "P", "N", "N", "U"], "P")
    study.run("1", "Q", ["Q", "N", "N", "N", "N"], "N")
    row = pairs(study).iloc[0]
    assert row["d_a"] == pytest.approx(0.5 + 0.2)
    assert row["d_requests_sign"] == 1
    assert row["d_finals_mean"] == 1.0


def test_equal_means_of_different_counts_are_exactly_zero(study: Any) -> None:
    study.run("1", "P", ["P", "N", "N"])
    study.run("1", "Q", ["P", "P", "P", *["N"] * 6])
    row = pairs(study).iloc[0]
    assert row["d_a"] == 0.0
    assert row["d_a_zero"]


def test_reasons_stand_by_arm_and_unread_values_are_null(study: Any) -> None:
    study.run("1", "P", ["U"], None)
    study.run("1", "Q", ["N"], ".")
    row = pairs(study).iloc[0]
    assert (row["a_status"], row["a_reason_p"]) == ("unreadable_p", "no_identified_request")
    assert (row["f_status"], row["f_reason_p"]) == ("unreadable_both", "no_document")
    assert row["f_reason_q"] == "no_basis"
    assert row[["d_a", "d_a_zero", "d_f", "x_q", "a_reason_q", "m_p"]].isna().all()
    assert row["m_q"] == 0.0


@pytest.mark.parametrize("state", ["done", "open", "failed", "censored"])
def test_the_first_replicate_stands_for_the_arm_whatever_became_of_it(
    study: Any, state: str
) -> None:
    study.run("1", "P", ["N"], "N", replicate=2)
    study.run("1", "P", ["N"], "P", replicate=1)
    study.run("1", "P", state=state, replicate=0)
    study.run("1", "Q", ["N"], "N", replicate=0)
    row = pairs(study).iloc[0]
    assert row["replicate_p"] == 0
    assert row["f_status"] == "unreadable_p"
    assert row["f_reason_p"] == ("no_document" if state == "done" else f"run_{state}")


def test_an_arm_that_was_never_planned_is_named(study: Any) -> None:
    study.run("1", "P", ["N"], "P")
    row = pairs(study).iloc[0]
    assert (row["a_reason_q"], row["f_reason_q"]) == ("not_planned", "not_planned")
    assert pd.isna(row["run_id_q"])


def test_all_cross_pairs_every_planned_run(study: Any) -> None:
    for replicate, final in enumerate("PN"):
        study.run("1", "P", ["N"], final, replicate=replicate)
    for replicate in range(3):
        study.run("1", "Q", ["N"], "N", replicate=replicate, state="done" if replicate else "open")
    table = pairs(study, pairing="all_cross")
    assert len(table) == table["pair_id"].nunique() == 6
    assert (table["f_status"] == "readable").sum() == 4
    assert len(pairs(study)) == 1


def test_models_and_harnesses_do_not_mix(study: Any) -> None:
    study.run("1", "P", ["N"], "P", model="a")
    study.run("1", "Q", ["N"], "N", model="b")
    assert pairs(study)["f_status"].tolist() == ["unreadable_q", "unreadable_p"]
