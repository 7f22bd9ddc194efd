"""When drafts and finals are saved, counted by hand; drafts stand at 1, 2, …, finals at 101."""

from typing import Any

import pandas as pd
import pytest

from draligned.measure.proportions import wilson
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig


def timing(study: Any) -> pd.DataFrame:
    built = build_tables(study.inputs(), MeasureConfig(draws=100), (), only=["timing"])
    return built["timing"].set_index(["model", "subset", "milestone"])


COUNTS = ["n_runs", "n_with", "n_timed", "n_after", "n_both", "n_same"]


def test_84_of_86_after_the_last_request(study: Any) -> None:
    for task in range(1, 87):
        last = 0 if task <= 84 else 50
        study.run(str(task), "P", ["N"], "P", ["N"], last_request_seq=last)
    row = timing(study).loc[("all", "all", "first_draft")]
    assert row[["n_timed", "n_after"]].tolist() == [86, 84]
    assert (row["after_lo"], row["after_hi"]) == pytest.approx(wilson(84, 86))


def test_milestones_are_timed_apart(study: Any) -> None:
    study.run("1", "P", ["N"], "P", ["N", "P"], last_request_seq=1)
    study.run("1", "Q", ["N"], "Q", last_request_seq=101)
    study.run("2", "P", final="P", drafts=["P"])
    found = timing(study).loc[("all", "all")]
    assert {m: found.loc[m, COUNTS[:4]].tolist() for m in found.index} == {
        "first_draft": [3, 2, 1, 0],
        "last_draft": [3, 2, 1, 1],
        "final": [3, 3, 2, 1],
    }


def test_identity_is_of_that_draft(study: Any) -> None:
    study.run("1", "P", ["N"], "P", ["P", "N"])
    study.run("1", "Q", ["N"], "Q", ["N", "Q"])
    found = timing(study).loc[("all", "all")]
    assert found["n_same"].dropna().to_dict() == {"first_draft": 1, "last_draft": 1}
    assert found.loc["final", ["n_both", "same_share"]].isna().all()


def test_subsets_and_what_was_not_observed(study: Any) -> None:
    study.run("1", "P", ["N"], "P", ["N"])
    study.run("1", "P", ["N"], "P", ["N"], replicate=1)
    study.run("1", "Q", ["N"], "P", ["N"], observes_a="partial")
    study.run("2", "P", state="failed")
    found = timing(study).loc["all"]
    names = ["n_runs", "n_unobserved", "n_with"]
    assert found.loc[("panel", "final"), names].tolist() == [2, 1, 1]
    assert found.loc[("repeats", "final"), names].tolist() == [1, 0, 1]
    assert found.loc[("all", "final"), names].tolist() == [3, 1, 2]


def test_a_draft_saved_after_the_final_is_none(study: Any) -> None:
    study.run("1", "P", ["N"], "P", ["N", "Q"])
    study.documents[1]["seq"] = 900
    row = timing(study).loc[("all", "all", "last_draft")]
    assert row[["n_timed", "n_after"]].tolist() == [1, 0]


def test_nothing_timed_is_unknown(study: Any) -> None:
    study.run("1", "P", final="P")
    row = timing(study).loc[("all", "all", "first_draft")]
    assert (row["status"], row["reason"]) == ("unknown", "none_timed")
    assert row[["after_share", "after_lo"]].isna().all()
