import numpy as np
import pandas as pd

from draligned.measure.side_by_side import CELLS, side_by_side, with_all_models


def rows(said: list[tuple[str, str, int]], **more: str) -> pd.DataFrame:
    """Evaluator, unit and label; one harness, model and task."""
    names = {"harness": "h", "model": "m", "task_id": "t"} | more
    frame = pd.DataFrame(said, columns=["evaluator", "unit", "label"])
    return frame.assign(**names)


def count(frame: pd.DataFrame) -> pd.DataFrame:
    label = frame["label"].to_numpy(dtype=np.int64)
    return side_by_side(frame, ["unit"], label >= 0, label)


def test_cells_count_what_both_say() -> None:
    said = [
        ("a", "1", 2),
        ("b", "1", 2),
        ("a", "2", 2),
        ("b", "2", 1),
        ("a", "3", 2),
        ("b", "3", 2),
    ]
    found = count(rows(said))
    assert list(found.columns) == CELLS
    cells = found.set_index(["label", "label_other"])["n"].to_dict()
    assert cells == {(2, 2): 2, (2, 1): 1}
    assert set(found["evaluator"] + found["other"]) == {"ab"}


def test_a_unit_that_one_was_not_asked_about_does_not_count() -> None:
    found = count(rows([("a", "1", 2), ("b", "1", -1), ("a", "2", 0), ("b", "3", 0)]))
    assert found[["known", "known_other", "n"]].to_numpy().tolist() == [[True, False, 1]]


def test_the_same_unit_in_many_rows_counts_once() -> None:
    said = [("a", "1", 2), ("a", "1", 2), ("b", "1", 0), ("b", "1", 0)]
    assert count(rows(said))["n"].tolist() == [1]


def test_units_of_two_models_are_apart_and_add_up() -> None:
    said = [("a", "1", 2), ("b", "1", 2)]
    found = with_all_models(count(pd.concat([rows(said), rows(said, model="n", task_id="u")])))
    sums = found.groupby(["model", "task_id"])["n"].sum().to_dict()
    assert sums == {("m", "t"): 1, ("n", "u"): 1, ("all", "t"): 1, ("all", "u"): 1}


def test_one_evaluator_alone() -> None:
    found = count(rows([("a", "1", 2)]))
    assert (len(found), list(found.columns)) == (0, CELLS)
