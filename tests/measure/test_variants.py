from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig


def values(study: Any, setting: str, estimand: str) -> dict[str, float | None]:
    built = tables.build_tables(study.inputs(), MeasureConfig(draws=100), (), only=["sensitivity"])[
        "sensitivity"
    ]
    rows = built[(built["setting"] == setting) & (built["estimand"] == estimand)]
    return {
        row["choice"]: None if pd.isna(row["value"]) else row["value"] for _, row in rows.iterrows()
    }


def test_all_three_policies_are_printed(study: Any) -> None:
    study.run("1", "P", ["N"], ("PU", "P"))
    study.run("1", "Q", ["N"], ("NU", "N"))
    study.run("2", "P", ["N"], "N")
    study.run("2", "Q", ["N"], "N")
    expected = {"block_none": 0.0, "ignore": 0.5, "block_all": 0.0}
    assert values(study, "unresolved_items", "D_F") == expected
    shares = {"block_none": 0.5, "ignore": 1.0, "block_all": 0.5}
    assert values(study, "unresolved_items", "readability_F") == shares


def test_codings_of_the_same_pairs(study: Any) -> None:
    study.run("1", "P", ["P"], "P")
    study.run("1", "Q", ["Q"], "Q")
    study.run("2", "P", ["P"], "P")
    study.run("2", "Q", ["N"], "N")
    assert values(study, "coding", "D_F") == {"sign": 1.0, "raw": 1.5, "halved": 0.75}
    assert values(study, "coding", "D_A") == {"halved": 0.75}


def test_requests_that_got_no_answer_can_be_left_out(study: Any) -> None:
    study.run("1", "P", ["P", "N"], "P")
    study.run("1", "Q", ["N"], "N")
    for row in study.request_reads:
        if row["run_id"].startswith("1-P") and row["request_no"] == 2:
            row["return_status"] = "error"
    expected = {"all_executed": 0.5, "answered_only": 1.0}
    assert values(study, "requests", "D_A") == expected


def test_pairing_and_weighting(study: Any) -> None:
    for replicate, final in enumerate(("P", "N", "N")):
        study.run("1", "P", ["N"], final, replicate=replicate)
    study.run("1", "Q", ["N"], "N")
    study.run("2", "P", ["N"], "N")
    study.run("2", "Q", ["N"], "N")
    crossed = {"first": 0.5, "all_cross": pytest.approx(1 / 6)}
    assert values(study, "pairing", "D_F") == crossed
    assert values(study, "weighting", "D_F") == {"pair": 0.5}
