"""Drafts beside finals, counted by hand."""

from typing import Any

import pandas as pd
import pytest

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs


def drafts(inputs: MeasureInputs) -> pd.DataFrame:
    built = build_tables(inputs, MeasureConfig(draws=100), (), only=["draft_final"])
    return built["draft_final"].set_index(["harness", "model"])


@pytest.fixture
def told(study: Any) -> pd.DataFrame:
    """Runs of every kind in the coupled harness, one in H-W."""
    study.run("1", "P", ["N"] * 2, drafts=["N", "P"], final="P")  # the last draft is the final
    study.run("1", "Q", ["N"], drafts=["P", "Q"], final="P")  # the first draft is; that is not it
    study.run("2", "P", drafts=["P"])  # no final, no request
    study.run("2", "Q", ["N"], final="Q")  # no draft
    study.run("3", "P", state="failed", outcome="provider_error")
    study.run("3", "Q", drafts=["P"], final="P", observes_w="partial")
    study.run("4", "P", final="P", observes_w="none")
    study.run("4", "Q", ["N"] * 9, drafts=["Q"], final="P", model="other")
    study.run("5", "P", ["N"], "P", ["P"], harness="H-W", submits_saved=True)
    return drafts(study.inputs())


def test_counts_are_of_what_was_observed_in_full(told: pd.DataFrame) -> None:
    names = ["n_planned", "n_done", "n_unobserved", "n_final", "n_draft", "n_both", "n_same"]
    assert told.loc[("coupled", "m"), names].tolist() == [7, 6, 2, 3, 3, 2, 1]
    assert told.loc[("coupled", "other"), names].tolist() == [1, 1, 0, 1, 1, 1, 0]
    assert told.loc[("coupled", "all"), names].tolist() == [8, 7, 2, 4, 4, 3, 1]
    assert told.loc[("H-W", "all"), names].tolist() == [1, 1, 0, 1, 1, 1, 1]


def test_shares_have_wilson_intervals_and_nothing_of_nothing_is_null(told: pd.DataFrame) -> None:
    row = told.loc[("coupled", "m")]
    found = [round(float(row[name]), 4) for name in ("same_share", "same_lo", "same_hi")]
    assert found == [0.5, 0.0945, 0.9055]
    assert drafts_of_nothing(told) == []


def drafts_of_nothing(told: pd.DataFrame) -> list[str]:
    """Rows with a share but no run to count."""
    empty = told[told["n_timed"] == 0]
    return empty[empty["after_share"].notna()].index.tolist()


def test_the_first_draft_is_timed_against_the_last_request(told: pd.DataFrame) -> None:
    """Drafts stand at 1, 2, …; the last of n requests at n: strictly after, by event index."""
    assert told.loc[("coupled", "m"), ["n_timed", "n_after"]].tolist() == [2, 0]
    assert told.loc[("H-W", "m"), ["n_timed", "n_after"]].tolist() == [1, 0]


@pytest.mark.parametrize(("last", "after"), [(0, 1), (1, 0), (2, 0)])
def test_strictly_after(study: Any, last: int, after: int) -> None:
    study.run("1", "P", ["N"], drafts=["N"], last_request_seq=last)
    assert drafts(study.inputs()).loc[("coupled", "m"), "n_after"] == after


def test_requests_seen_in_part_time_nothing(study: Any) -> None:
    study.run("1", "P", ["N"], drafts=["N"], last_request_seq=0, observes_a="partial")
    assert drafts(study.inputs()).loc[("coupled", "m"), "n_timed"] == 0


def test_persistence_stands_in_every_row(told: pd.DataFrame) -> None:
    said = told[["persistence", "persistence_reason"]].astype(object)
    assert said.loc[("H-W", "all")].tolist() == ["refused", "saved_file_submitted"]
    assert said.loc[("coupled", "all"), "persistence"] == "allowed"
    assert pd.isna(said.loc[("coupled", "all"), "persistence_reason"])


def test_a_run_of_two_factors_counts_once(study: Any) -> None:
    run = study.run("1", "P", drafts=["P"], final="P")
    study.runs.append(study.runs[0] | {"factor_id": "second"})
    study.document(run, "second", "draft", 1, "P")
    study.document(run, "second", "final", 1, "P")
    assert drafts(study.inputs()).loc[("coupled", "m"), ["n_done", "n_both"]].tolist() == [1, 1]


@pytest.mark.parametrize(("saved", "same"), [(["N", "P"], 1), (["P", "N"], 0), (["P"], 1)])
def test_it_is_the_last_draft_that_is_compared(study: Any, saved: list[str], same: int) -> None:
    study.run("1", "P", drafts=saved, final="P")
    assert drafts(study.inputs()).loc[("coupled", "m"), ["n_both", "n_same"]].tolist() == [1, same]


def test_a_draft_saved_after_the_final_is_not_compared_with_it(study: Any) -> None:
    run = study.run("1", "P", drafts=["P"], final="P")
    late = study.run("1", "Q", drafts=["N"], final="Q")
    for row in study.documents:
        if row["role"] == "draft" and row["run_id"] == late:
            row["seq"] = 900
    told = drafts(study.inputs()).loc[("coupled", "m"), ["n_draft", "n_both", "n_same"]]
    assert told.tolist() == [2, 1, 1]
    assert run != late


def test_the_first_draft_is_timed_as_in_the_table_of_times(study: Any) -> None:
    """A run whose only draft was saved after its final has no draft to time (DR-95)."""
    study.run("1", "P", ["N"], "P", ["P"], last_request_seq=0)
    study.run("1", "Q", ["N"], "Q", ["N"], last_request_seq=0)
    study.documents[2]["seq"] = 900
    built = build_tables(
        study.inputs(), MeasureConfig(draws=100), (), only=["draft_final", "timing"]
    )
    names = ["n_timed", "n_after"]
    times = built["timing"].query("model == 'all' and subset == 'all'").set_index("milestone")
    assert times.loc["first_draft", names].tolist() == [1, 1]
    row = built["draft_final"].query("model == 'all'").iloc[0]
    assert row[["n_draft", *names]].tolist() == [2, 1, 1]
