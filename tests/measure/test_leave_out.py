from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig

CONFIG = MeasureConfig(draws=100)


def filled(study: Any) -> Any:
    finals = {("1", "a"): "P", ("1", "b"): "N", ("2", "a"): "P", ("2", "b"): None, ("3", "a"): "Q"}
    for (task, model), final in finals.items():
        study.run(task, "P", ["P"], final, model=model, user="u1" if task != "3" else "u3")
        study.run(task, "Q", ["N"], "N", model=model, user="u1" if task != "3" else "u3")
    return study


def test_each_unit_by_name(study: Any) -> None:
    """D_F by task: 1: ½, 2: 1, 3: −1."""
    built = build_tables(filled(study).inputs(), CONFIG, (), only=["leave_one_out", "estimates"])
    rows = built["leave_one_out"].query("estimand == 'D_F'").set_index(["left_out", "name"])
    assert rows["value"].tolist() == pytest.approx([1 / 6] * len(rows))
    expected = {
        ("task", "1"): 0.0, ("task", "2"): -0.25, ("task", "3"): 0.75,
        ("user", "u1"): -1.0, ("user", "u3"): 0.75,
        ("factor", "f1"): 0.0, ("factor", "f2"): -0.25, ("factor", "f3"): 0.75,
        ("model", "a"): 0.0, ("model", "b"): 1 / 3,
    }  # fmt: skip
    assert rows["without"].to_dict() == pytest.approx(expected)
    assert rows["n_left"].to_dict()["user", "u1"] == 1
    assert (rows["change"] + rows["value"]).tolist() == pytest.approx(rows["without"].tolist())


def test_ranges_of_the_estimates_are_those_of_the_rows(study: Any) -> None:
    built = build_tables(filled(study).inputs(), CONFIG, (), only=["leave_one_out", "estimates"])
    rows = built["leave_one_out"].groupby(["estimand", "left_out"])["without"]
    estimates = built["estimates"].query("model == 'all' and population == 'readable'")
    for (estimand, left), own in rows:
        row = estimates.set_index("estimand").loc[estimand]
        assert (row[f"loo_{left}_lo"], row[f"loo_{left}_hi"]) == (own.min(), own.max())


def test_the_only_model_leaves_nothing(study: Any) -> None:
    study.run("1", "P", ["P"], "P")
    study.run("1", "Q", ["N"], "N")
    rows = build_tables(study.inputs(), CONFIG, (), only=["leave_one_out", "estimates"])[
        "leave_one_out"
    ]
    assert set(rows["status"]) == {"unknown"}
    assert rows[["without", "change"]].isna().all(axis=None)
    assert np.array_equal(rows["n_left"].to_numpy(dtype=int), np.zeros(len(rows)))
    assert isinstance(rows, pd.DataFrame)
