"""Offered and invoked are two facts; requests inside are requests (DR-25)."""

from typing import Any

import pandas as pd

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig

HD: dict[str, Any] = {"harness": "H-D", "delegation_offered": True}


def test_offered_and_invoked_are_counted_apart(study: Any) -> None:
    study.run("1", "P", ["N"] * 5, **HD, delegations=2, requests_delegated=3)
    study.run("1", "Q", ["N"] * 2, **HD)
    study.run("2", "P", **HD, state="failed", delegations=None, requests_delegated=None)
    study.runs[-1]["requests"] = None
    study.run("2", "Q", ["N"])
    built = build_tables(study.inputs(), MeasureConfig(draws=100), (), only=["delegation"])
    rows = built["delegation"].set_index(["harness", "model"])
    names = ["offered", "n_planned", "n_observed", "n_invoked", "delegations", "requests"]
    assert rows.loc[("H-D", "all"), names].tolist() == [True, 3, 2, 1, 2, 7]
    assert rows.loc[("H-D", "all"), "requests_delegated"] == 3
    assert rows.loc[("coupled", "all"), names].tolist() == [False, 1, 1, 0, 0, 1]


def test_requests_inside_a_delegation_count_alike_and_say_where_they_are_from(study: Any) -> None:
    study.run("1", "P", ["P", "N"], **HD)
    study.run("1", "P", ["P", "N"], replicate=1)
    for row in study.request_reads:
        if row["run_id"].endswith("-0") and row["request_no"] == 1:
            row["delegation"] = 1
    built = build_tables(study.inputs(), MeasureConfig(draws=100), ())
    rows = built["requests"].set_index(["harness", "request_no"])["delegation"]
    assert rows.loc[("H-D", 1)] == 1
    assert pd.isna(rows.loc[("H-D", 2)])
    assert built["matrix"].groupby("harness")["m"].first().to_dict() == {"H-D": 0.5, "coupled": 0.5}
