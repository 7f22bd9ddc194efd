from typing import Any

from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig

COUNTS = ["n_units", "n_toward", "n_against", "n_small", "n_unknown"]
SURE = ["n_sure_toward", "n_sure_against", "n_sure_small"]


def test_tasks_by_the_size_of_their_contrast(study: Any) -> None:
    """D_A of tasks: 1/10, 1/20, 0, −1/4, unknown; at a threshold counts as a contrast."""
    leans = {"1": ("P", 10), "2": ("P", 20), "3": ("N", 1), "4": ("Q", 4), "5": ("U", 1)}
    for task, (first, size) in leans.items():
        study.run(task, "P", [first] + ["N"] * (size - 1), "P")
        study.run(task, "Q", ["N"], "N")
    rows = build_tables(study.inputs(), MeasureConfig(draws=100), (), only=["contrast_classes"])[
        "contrast_classes"
    ]
    rows = rows.query("estimand == 'D_A' and level == 'task' and model == 'all'")
    rows = rows.set_index("threshold")
    assert rows.loc[0.05, COUNTS].tolist() == [5, 2, 1, 1, 1]
    assert rows.loc[0.10, COUNTS].tolist() == [5, 1, 1, 2, 1]
    assert rows.loc[0.20, COUNTS].tolist() == [5, 0, 1, 3, 1]
    assert rows.loc[0.10, SURE].tolist() == [1, 1, 2]
    assert rows["borrowed"].to_dict() == {0.05: False, 0.1: True, 0.2: False}
    assert set(rows["use"]) == {"sensitivity"}


def test_a_half_read_task_is_sure_of_nothing_it_could_change(study: Any) -> None:
    for model, final in (("a", "P"), ("b", None)):
        study.run("1", "P", ["N"], final, model=model)
        study.run("1", "Q", ["N"], "N", model=model)
    rows = build_tables(study.inputs(), MeasureConfig(draws=100), (), only=["contrast_classes"])[
        "contrast_classes"
    ]
    row = rows.query(
        "estimand == 'D_F' and level == 'factor' and threshold == 0.1 and model == 'all'"
    ).iloc[0]
    assert row[COUNTS].tolist() == [1, 1, 0, 0, 0]
    assert row[SURE].tolist() == [0, 0, 0]
