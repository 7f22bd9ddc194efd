"""Persistence is refused where the saved file itself is submitted (DR-23, DR-24)."""

from typing import Any

import pandas as pd

from draligned.measure.persistence import Persistence, comparable, persistence_of
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig

RUNS = pd.DataFrame(
    {"harness": ["H-D", "coupled", "H-W"], "submits_saved": [True, False, True]}
).astype({"submits_saved": "boolean"})


def test_the_status_is_a_word_with_its_reason() -> None:
    assert persistence_of(True) == Persistence("refused", "saved_file_submitted")
    assert persistence_of(False) == Persistence("allowed", None)


def test_only_finals_written_apart_are_compared() -> None:
    assert comparable(RUNS)["harness"].tolist() == ["coupled"]


def test_a_saved_file_has_no_risk_set(study: Any) -> None:
    study.run("1", "P", drafts=["P"], final="P")
    study.run("1", "P", drafts=["P"], final="P", harness="H-W", submits_saved=True, replicate=9)
    built = build_tables(study.inputs(), MeasureConfig(draws=100), (), only=["risk_set"])
    assert set(built["risk_set"]["harness"]) == {"coupled"}
