from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig


def matrix(study: Any) -> pd.DataFrame:
    config = MeasureConfig(draws=100)
    return tables.build_tables(study.inputs(), config, (), evaluators=("ev",), only=["matrix"])[
        "matrix"
    ]


@pytest.mark.parametrize(
    ("requests", "presence", "m", "reason"),
    [
        (["P", "N", "N", "N"], "P_ONLY", 0.25, None),
        (["P", "Q"], "BOTH", 0.0, None),
        (["B", "N"], "BOTH", 0.0, None),
        (["N", "U"], "NEITHER", 0.0, None),
        (["Q", ("P", "N")], "Q_ONLY", -1.0, None),
        (["U", ("P", "N")], "UNKNOWN", None, "no_identified_request"),
        ([], "UNKNOWN", None, "no_requests"),
    ],
)
def test_acquisition(
    study: Any, requests: list[Any], presence: str, m: float | None, reason: str | None
) -> None:
    study.run("1", "P", requests)
    row = matrix(study).astype(object).where(lambda f: f.notna(), None).iloc[0]
    assert (row["acq_presence"], row["m"], row["acq_reason"]) == (presence, m, reason)
    assert row["n_requests"] == len(requests)


def test_worked_packet_has_a_mean_of_minus_a_fifth(study: Any) -> None:
    study.run("8", "Q", ["Q", "Q", "U", "U", *["N"] * 8])
    row = matrix(study).iloc[0]
    assert (row["n_q_only"], row["n_unknown"], row["n_neither"]) == (2, 2, 8)
    assert row["m"] == pytest.approx(-0.2)
    assert (row["acq_presence"], row["acq_state"]) == ("Q_ONLY", "OWN_ONLY")


def test_loci_keep_first_and_last_draft_apart(study: Any) -> None:
    study.run("1", "Q", drafts=["N", "P", "Q"], final="PQ")
    study.documents.reverse()
    row = matrix(study).iloc[0]
    assert row["n_drafts"] == 3
    assert row["first_draft_state"] == "NONE"
    assert row["last_draft_state"] == "OWN_ONLY"
    assert (row["final_presence"], row["final_state"]) == ("BOTH", "BOTH")


def test_a_draft_saved_after_the_final_is_no_locus_before_it(study: Any) -> None:
    study.run("1", "P", drafts=["N", "P", "Q"], final="P")
    study.run("2", "P", drafts=["N"], final="P")
    for place in (2, 4):
        study.documents[place]["seq"] = 900
    rows = matrix(study)
    assert rows["n_drafts"].tolist() == [3, 1]
    assert rows["first_draft_state"].tolist() == ["NONE", "NO_DOCUMENT"]
    assert rows["last_draft_state"].tolist() == ["OWN_ONLY", "NO_DOCUMENT"]
    assert rows["last_draft_reason"].fillna("").tolist() == ["", "no_draft"]


@pytest.mark.parametrize(
    ("state", "final", "reason"),
    [
        ("done", "NO_DOCUMENT", "no_document"),
        ("failed", "NO_DOCUMENT", "run_failed"),
        ("censored", "UNKNOWN", "run_censored"),
        ("open", "UNKNOWN", "run_open"),
    ],
)
def test_runs_without_a_final(study: Any, state: str, final: str, reason: str) -> None:
    study.run("1", "P", state=state, outcome="budget_tokens")
    row = matrix(study).iloc[0]
    assert (row["final_state"], row["final_reason"]) == (final, reason)
    assert row["acq_reason"] == ("no_requests" if state == "done" else reason)
    assert row["last_draft_state"] == ("NO_DOCUMENT" if state == "done" else "UNKNOWN")


@pytest.mark.parametrize("seen", ["none", "partial", None])
def test_a_workspace_that_was_not_observed_is_not_one_without_drafts(
    study: Any, seen: str | None
) -> None:
    study.run("1", "P", final="P", observes_w=seen)
    row = matrix(study).iloc[0]
    assert (row["first_draft_reason"], row["last_draft_reason"]) == ("not_observed",) * 2
    assert (row["last_draft_state"], row["final_presence"]) == ("UNKNOWN", "P_ONLY")
    assert pd.isna(row["n_drafts"])


def test_a_draft_seen_in_part_is_read(study: Any) -> None:
    study.run("1", "P", drafts=["P"], observes_w="partial")
    row = matrix(study).iloc[0]
    assert (row["first_draft_presence"], row["n_drafts"]) == ("P_ONLY", 1)


@pytest.mark.parametrize("seen", ["none", "partial", None])
def test_what_was_not_observed_is_not_absent(study: Any, seen: str | None) -> None:
    study.run("1", "P", observes_a=seen, observes_f=seen)
    row = matrix(study).iloc[0]
    assert (row["acq_reason"], row["final_reason"]) == ("not_observed", "not_observed")
    assert row["final_state"] == "UNKNOWN"


def test_a_run_says_whether_it_stands_in_a_pair(study: Any) -> None:
    """Repeats do not, nor does one that is first done: the pair is the first planned run's."""
    study.run("1", "P", state="failed")
    study.run("1", "P", replicate=1)
    study.run("1", "Q")
    study.run("2", "Q", replicate=2)
    rows = matrix(study).sort_values(["task_id", "arm", "replicate"])
    assert rows["in_pair"].tolist() == [True, False, True, True]
