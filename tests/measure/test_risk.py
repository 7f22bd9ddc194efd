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


def test_it_is_the_sum_of_the_starts_that_persistence_compares(study: Any) -> None:
    """A draft saved after the final is no start, and a run seen in part is not compared."""
    study.run("1", "P", drafts=["P", "N"], final="P")
    study.documents[1]["seq"] = 900
    study.run("2", "P", drafts=["N"], final="P", observes_w="partial")
    study.run("3", "P", drafts=["N"], final="N")
    study.run("4", "Q", drafts=["Q", "P"], final="U")
    names = ["risk_set", "persistence_shares"]
    built = tables.build_tables(study.inputs(), MeasureConfig(draws=100), (), only=names)
    rows = built["risk_set"].query("model == 'all' and start == 'last_draft'").iloc[0]
    assert rows[["n", "n_own", "n_other", "n_both", "n_none"]].tolist() == [3, 1, 1, 0, 1]
    within = built["persistence_shares"].query("model == 'all' and scope == 'within_run'")
    sums = within.groupby("start")["n_start"].sum().to_dict()
    assert built["risk_set"].query("model == 'all'").set_index("start")["n"].to_dict() == sums
