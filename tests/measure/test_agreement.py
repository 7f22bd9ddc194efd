from collections.abc import Callable
from typing import Any

from draligned.measure import tables
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
