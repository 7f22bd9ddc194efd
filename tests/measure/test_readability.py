from typing import Any

import pandas as pd

from draligned.measure import tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs


def counts(inputs: MeasureInputs, unit: str, channel: str) -> pd.DataFrame:
    built = tables.build_tables(
        inputs, MeasureConfig(draws=100), (), evaluators=("ev",), only=["readability"]
    )
    table = built["readability"]
    chosen = (table["unit"] == unit) & (table["channel"] == channel) & (table["model"] == "all")
    return table[chosen]


def test_cross_table_of_the_papers_panel(panel_of_110: MeasureInputs) -> None:
    """DR-89: A only 32, both 55, F only 14, neither 9; DR-90: 47 zero of which 28 read."""
    table = counts(panel_of_110, "panel", "A×F")
    assert table.groupby("status")["n"].sum().to_dict() == {
        "A_only": 32, "both": 55, "F_only": 14, "neither": 9,
    }  # fmt: skip
    by_zero = table.dropna(subset=["state"]).set_index(["state", "status"])["n"]
    assert by_zero.to_dict() == {
        ("dA_zero", "both"): 28, ("dA_zero", "A_only"): 19,
        ("dA_nonzero", "both"): 27, ("dA_nonzero", "A_only"): 13,
    }  # fmt: skip
    assert (table["n_planned"] == 110).all()


def test_causes_by_arm_and_state(study: Any) -> None:
    study.run("1", "P", ["N", "U", ("P", "V")], "PN")
    study.run("1", "Q", ["U"], ("P", "Q"))
    study.run("2", "P", ["P"], None)
    study.run("2", "Q", ["Q"], state="failed")
    table = counts(study.inputs(), "arm", "F")
    rows = {
        (row["arm"], row["state"], row["reason"] if pd.notna(row["reason"]) else None): row["n"]
        for _, row in table.iterrows()
    }
    assert rows == {
        ("P", "OWN_ONLY", None): 1,
        ("P", "NO_DOCUMENT", "no_document"): 1,
        ("Q", "UNKNOWN", "mirror_disagreement"): 1,
        ("Q", "NO_DOCUMENT", "run_failed"): 1,
    }
    requests = counts(study.inputs(), "request", "A")
    reasons = requests.dropna(subset=["reason"]).set_index(["arm", "reason"])["n"].to_dict()
    assert reasons == {("P", "abstained"): 1, ("P", "void_read"): 1, ("Q", "abstained"): 1}


def test_counts_of_a_unit_add_up(panel_of_110: MeasureInputs) -> None:
    for unit, channel, arms in (("pair", "A", 1), ("pair", "F", 1), ("arm", "A", 2)):
        table = counts(panel_of_110, unit, channel)
        assert table["n"].sum() == 110 * arms
        assert (table["n_planned"] == 110).all()
