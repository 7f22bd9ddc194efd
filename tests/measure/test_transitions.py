"""Transitions of hand-written runs, counted by hand."""

from typing import Any

import pandas as pd
import pytest

from draligned.measure.proportions import wilson
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs

NAMES = ("flow", "transitions", "flow_steps")


def tables(inputs: MeasureInputs) -> dict[str, pd.DataFrame]:
    return build_tables(inputs, MeasureConfig(draws=100), (), only=NAMES)


@pytest.fixture
def told(study: Any) -> dict[str, pd.DataFrame]:
    """Arm Q speaks of its own side with Q. Steps: N→O adoption, O→O stay, O→N dropout; in the Q
    run N→O adoption, then O ? N uncertain; then a run with nothing."""
    study.run("1", "P", ["N", "P", "P", "N"], "P", ["N", "B"])
    study.run("1", "Q", ["N", "Q", "U", "N"], "Q", ["P"])
    study.run("2", "P", ["U"])
    study.run("2", "Q", state="failed", outcome="provider_error")
    return tables(study.inputs())


def row(frame: pd.DataFrame, **where: str) -> pd.Series:
    chosen = frame.query(" and ".join(f"{k} == {v!r}" for k, v in where.items()))
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_kinds_are_counted_in_steps_and_runs(told: dict[str, pd.DataFrame]) -> None:
    where = {"model": "all", "step": "request_request"}
    counts = ["n_steps", "n_runs", "n_runs_at_risk"]
    kinds = ("adoption", "stay", "dropout", "reversal", "uncertain", "counter_dropout")
    assert {k: row(told["flow"], kind=k, **where)[counts].tolist() for k in kinds} == {
        "adoption": [2, 2, 2],
        "stay": [1, 1, 2],
        "dropout": [1, 1, 1],
        "reversal": [0, 0, 1],
        "uncertain": [1, 1, 2],
        "counter_dropout": [0, 0, 0],
    }


def test_shares_are_of_runs_with_wilsons_interval(told: dict[str, pd.DataFrame]) -> None:
    found = row(told["flow"], model="all", step="request_request", kind="dropout")
    assert found["run_share"] == 1.0
    assert (found["run_lo"], found["run_hi"]) == pytest.approx(wilson(1, 1))
    never = row(told["flow"], model="all", step="request_request", kind="counter_dropout")
    assert (never["status"], never["reason"]) == ("unknown", "no_run_at_risk")
    assert never[["run_share", "run_lo", "run_hi"]].isna().all()


def test_documents_step_to_documents_only(told: dict[str, pd.DataFrame]) -> None:
    found = told["flow_steps"].query("unit == 'document'")
    steps = found[["run_id", "step", "from_state", "to_state", "kind"]].values.tolist()
    assert steps == [
        ["1-P-m-0", "draft_draft", "NONE", "BOTH", "adoption"],
        ["1-P-m-0", "draft_final", "BOTH", "OWN_ONLY", "narrowing"],
        ["1-Q-m-0", "draft_final", "OTHER_ONLY", "OWN_ONLY", "counter_reversal"],
    ]
    assert found["to_no"].isna().tolist() == [False, True, True]


def test_steps_name_the_units_they_join(told: dict[str, pd.DataFrame]) -> None:
    found = told["flow_steps"].query("run_id == '1-Q-m-0' and unit == 'request'")
    names = ["place", "from_no", "to_no", "kind", "n_unknown"]
    assert found[names].values.tolist() == [[1, 1, 2, "adoption", 0], [2, 2, 4, "uncertain", 1]]


def test_plain_stays_keep_their_place_but_have_no_row(told: dict[str, pd.DataFrame]) -> None:
    found = told["flow_steps"].query("run_id == '1-P-m-0' and unit == 'request'")
    assert found["place"].tolist() == [1, 3]


def test_couples_of_states(told: dict[str, pd.DataFrame]) -> None:
    found = row(told["transitions"], model="all", step="request_request", from_state="NONE",
                to_state="OWN_ONLY")  # fmt: skip
    assert found[["n_steps", "n_runs", "n_runs_from", "n_uncertain"]].tolist() == [2, 2, 2, 0]
    unsure = row(told["transitions"], model="all", step="request_request", from_state="OWN_ONLY",
                 to_state="NONE")  # fmt: skip
    assert unsure[["n_steps", "n_uncertain"]].tolist() == [1, 1]


def test_equal_texts_are_a_stay_by_construction(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["N", "P"])
    study.run("2", "P", final="PN", drafts=["P"])
    found = row(tables(study.inputs())["transitions"], model="all", step="draft_final",
                from_state="OWN_ONLY")  # fmt: skip
    assert found[["n_steps", "n_same_text"]].tolist() == [2, 1]


def test_a_saved_file_that_is_submitted_makes_no_step_to_a_final(study: Any) -> None:
    study.run("1", "P", final="N", drafts=["N", "P"], harness="H-W", submits_saved=True)
    assert tables(study.inputs())["flow"]["step"].unique().tolist() == ["draft_draft"]


def test_a_draft_saved_after_the_final_is_no_step_towards_it(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["N", "Q"])
    study.documents[1]["seq"] = 900
    found = tables(study.inputs())["flow_steps"]
    assert found[["from_state", "to_state"]].values.tolist() == [["NONE", "OWN_ONLY"]]


def test_order_is_by_event_number_not_by_row(study: Any) -> None:
    study.run("1", "P", [str(letter) for letter in "NNNNNNNNNPN"])
    study.request_reads.reverse()
    found = tables(study.inputs())["flow_steps"]
    assert found[["from_no", "to_no"]].values.tolist() == [[9, 10], [10, 11]]


def test_a_second_factor_has_no_flow_of_the_first(study: Any) -> None:
    study.run("1", "P", ["N", "P"])
    for old in list(study.request_reads):
        study.request_reads.append(old | {"factor_id": "second"})
    found = tables(study.inputs())["flow_steps"]
    assert found["factor_id"].tolist() == ["f1"]


def test_requests_seen_in_part_make_no_certain_step(study: Any) -> None:
    study.run("1", "P", ["N", "P"], observes_a="partial")
    found = tables(study.inputs())["flow_steps"]
    assert found[["kind", "n_unknown"]].values.tolist() == [["uncertain", 0]]


def test_evaluators_harnesses_and_models_stay_apart(study: Any) -> None:
    study.evaluators = ("a", "b")
    study.run("1", "P", ["N", "P"])
    study.run("1", "P", ["N", "P"], model="n", harness="H-D")
    found = tables(study.inputs())["flow"].query("kind == 'adoption'")
    keys = found[["evaluator", "harness", "model", "n_runs"]].values.tolist()
    assert keys == [
        [e, h, m, 1] for e in "ab" for h, m in
        [("H-D", "all"), ("H-D", "n"), ("coupled", "all"), ("coupled", "m")]
    ]  # fmt: skip
