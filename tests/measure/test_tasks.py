from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig


def test_every_planned_task_has_a_row(study: Any) -> None:
    for model, final in (("a", "P"), ("b", "N")):
        study.run("1", "P", ["P"], final, model=model)
        study.run("1", "Q", ["N"], "N", model=model)
    study.run("2", "P", ["U"], "N")
    study.run("2", "Q", ["N"], None)
    config = MeasureConfig(draws=100)
    table = tables.build_tables(study.inputs(), config, (), only=["tasks"])["tasks"]
    rows = table[table["model"] == "all"].set_index(["estimand", "task_id"])
    first = rows.loc[("D_F", "1")]
    assert (first["value"], first["n_readable"], first["n_planned"]) == (0.5, 2, 2)
    assert first["coarse_lo"] == first["sharp_hi"] == pytest.approx(0.5)
    second = rows.loc[("D_A", "2")]
    assert (second["status"], second["n_readable"], pd.isna(second["value"])) == (
        "unknown",
        0,
        True,
    )
    assert (second["coarse_lo"], second["coarse_hi"]) == (-2.0, 2.0)
    assert (second["sharp_lo"], second["sharp_hi"]) == (-1.0, 1.0)
