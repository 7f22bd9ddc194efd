from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure import tables
from draligned.measure.krippendorff import alpha
from draligned.measure.proportions import wilson
from draligned.schema.config import MeasureConfig


def test_coverage_and_agreement_by_unit(new_study: Callable[..., Any]) -> None:
    made = new_study(evaluators=("a", "b"))
    made.run("1", "P", ["P", "Q", "N"], "P")
    made.run("1", "Q", ["N"], "N")
    for row in made.request_reads:
        if row["evaluator"] == "b" and row["run_id"].startswith("1-P"):
            row["label"] = {1: "NEITHER", 2: row["label"], 3: "UNKNOWN"}[row["request_no"]]
    for row in made.items:
        if row["evaluator"] == "b" and row["direction"] != "NEITHER":
            row["direction"] = {"SLOT1": "SLOT2", "SLOT2": "SLOT1"}[row["direction"]]
    built = tables.build_tables(made.inputs(), MeasureConfig(draws=100), (), only=["agreement"])[
        "agreement"
    ]
    rows = built[built["model"] == "all"].set_index("unit")
    names = ["n_units", "n_evaluator", "n_other", "n_both", "n_same", "n_opposite"]
    requests = rows.loc["request", names].tolist()
    assert requests == [4, 4, 3, 3, 2, 0]
    assert rows.loc["document", names].tolist() == [2, 2, 2, 2, 1, 1]
    finals = rows[rows["channel"] == "F"].loc["pair", names].tolist()
    assert finals == [1, 1, 1, 1, 0, 1]
    row = rows.loc["request"]
    assert (row["coverage_share"], row["coverage_other_share"]) == (1.0, 0.75)
    assert row["same_share"] == pytest.approx(2 / 3)
    assert (row["same_lo"], row["same_hi"]) == pytest.approx(wilson(2, 3))
    assert row["with_primary"] is not pd.NA


def test_alpha_is_krippendorffs_over_units_that_both_read(new_study: Callable[..., Any]) -> None:
    """Labels of a and b: (P, P), (P, N), (N, N), (Q, Q), (N, unread)."""
    made = new_study(evaluators=("a", "b"))
    made.run("1", "P", ["P", "P", "N", "Q", "N"])
    for row in made.request_reads:
        if row["evaluator"] == "b":
            changed = {2: "NEITHER", 5: "UNKNOWN"}.get(row["request_no"])
            row["label"] = changed or row["label"]
    labels = np.array([[2, 2], [2, 0], [0, 0], [1, 1]], dtype=float)
    config = MeasureConfig(draws=100)
    built = tables.build_tables(
        made.inputs(), config, (), evaluators=("b", "a"), only=["agreement"]
    )
    row = built["agreement"].query("unit == 'request' and model == 'all'").iloc[0]
    assert row["alpha"] == pytest.approx(alpha(labels, np.ones_like(labels, dtype=bool)))
    assert row["with_primary"]
    pair = built["agreement"].query("unit == 'pair'").iloc[0]
    assert pd.isna(pair["alpha"])


def test_auxiliary_evaluators_are_named_beside_the_primary(new_study: Callable[..., Any]) -> None:
    made = new_study(evaluators=("a", "b", "c"))
    made.run("1", "P", ["P"])
    config = MeasureConfig(draws=100)
    built = tables.build_tables(
        made.inputs(), config, (), evaluators=("c", "a", "b"), only=["agreement"]
    )
    rows = built["agreement"].query("unit == 'request' and model == 'all'")
    found = rows.set_index(["evaluator", "other"])["with_primary"].to_dict()
    assert found == {("a", "b"): False, ("a", "c"): True, ("b", "c"): True}


def test_share_that_is_the_same_has_tasks_as_clusters(new_study: Callable[..., Any]) -> None:
    made = new_study(evaluators=("a", "b"))
    for task in range(8):
        made.run(str(task), "P", ["P", "P", "N"])
    for row in made.request_reads:
        if row["evaluator"] == "b" and int(row["run_id"][0]) < 4:
            row["label"] = "BOTH"
    config = MeasureConfig(draws=400)
    built = tables.build_tables(made.inputs(), config, (), only=["agreement"])
    row = built["agreement"].query("unit == 'request' and model == 'all'").iloc[0]
    assert (row["n_both"], row["n_same"], row["boot_tasks"]) == (24, 12, 8)
    draws = np.random.Generator(np.random.PCG64(row["boot_seed"])).integers(0, 8, size=(400, 8))
    ends = np.quantile((draws >= 4).mean(axis=1), [0.025, 0.975])
    assert (row["same_task_lo"], row["same_task_hi"]) == pytest.approx(tuple(ends))
    assert row["same_task_hi"] - row["same_task_lo"] > row["same_hi"] - row["same_lo"]


def test_one_evaluator_has_nobody_to_agree_with(worked_pair: Any) -> None:
    config = MeasureConfig(draws=100)
    built = tables.build_tables(worked_pair.inputs(), config, (), only=["agreement"])
    assert built["agreement"].empty


def test_a_text_counts_once_be_it_a_draft_a_final_or_both(new_study: Callable[..., Any]) -> None:
    """H-W submits its last draft; both models write the same text, which was read once."""
    made = new_study(evaluators=("a", "b"))
    for model in ("m", "n"):
        made.run("1", "P", drafts=["N", "P"], final="P", model=model, harness="H-W")
    made.run("1", "Q", drafts=["N"], final="P", replicate=1)
    built = tables.build_tables(made.inputs(), MeasureConfig(draws=100), (), only=["agreement"])
    rows = built["agreement"].query("unit == 'document'").set_index(["harness", "model"])
    assert rows["n_units"].to_dict() == {
        ("H-W", "all"): 2, ("H-W", "m"): 2, ("H-W", "n"): 2, ("coupled", "all"): 2,
        ("coupled", "m"): 2,
    }  # fmt: skip
    assert (rows["n_same"] == rows["n_units"]).all()
