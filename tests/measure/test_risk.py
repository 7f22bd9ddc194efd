from typing import Any

from draligned.measure import tables
from draligned.schema.config import MeasureConfig


def test_start_states_of_draft_to_final_comparisons(study: Any) -> None:
    study.run("1", "P", drafts=["N", "P"], final="P")
    study.run("1", "Q", drafts=["Q"], final="N")
    study.run("2", "P", drafts=["P"], final=None)
    study.run("2", "Q", drafts=["."], final="Q")
    study.run("3", "P", final="P")
    built = tables.build_tables(study.inputs(), MeasureConfig(draws=100), (), only=["risk_set"])[
        "risk_set"
    ]
    rows = built[built["model"] == "all"].set_index("start")
    names = ["n", "n_own", "n_other", "n_both", "n_none"]
    assert rows.loc["last_draft", names].tolist() == [2, 2, 0, 0, 0]
    assert rows.loc["first_draft", names].tolist() == [2, 1, 0, 0, 1]
