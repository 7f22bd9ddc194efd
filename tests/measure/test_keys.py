import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from draligned.measure.keys import codes, places, tally

NAMES = ["run_id", "no"]
ROWS = st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 3)), max_size=12)


def frame(rows: list[tuple[str | None, int]]) -> pd.DataFrame:
    found = pd.DataFrame(rows, columns=NAMES)
    return found.astype({"run_id": "str", "no": "Int64"})


def test_rows_that_say_the_same_have_one_number() -> None:
    found = codes(frame([("b", 1), ("a", 1), ("b", 1), (None, 1), ("b", 2), (None, 1)]), NAMES)
    assert found.tolist() == [0, 1, 0, 2, 3, 2]


def test_a_row_is_found_by_all_of_its_columns() -> None:
    rows = frame([("a", 1), ("a", 2), ("b", 2), (None, 1)])
    asked = frame([("b", 2), ("a", 1), ("b", 1), ("c", 1), (None, 1), ("a", 3)])
    assert places(asked, rows, NAMES).tolist() == [2, 0, -1, -1, 3, -1]


def test_words_are_found_among_words_of_another_type() -> None:
    rows = frame([("a", 1), ("b", 1)])
    asked = pd.DataFrame({"run_id": pd.Categorical(["b", "z"], ["z", "b"]), "no": [1, 1]})
    assert places(asked, rows, NAMES).tolist() == [1, -1]


def test_nothing_is_found_in_nothing() -> None:
    assert places(frame([("a", 1)]), frame([]), NAMES).tolist() == [-1]
    assert places(frame([]), frame([("a", 1)]), NAMES).tolist() == []


@given(ROWS, ROWS)
def test_places_are_those_of_a_comparison_row_by_row(
    known: list[tuple[str | None, int]], asked: list[tuple[str | None, int]]
) -> None:
    once = list(dict.fromkeys(known))
    wanted = [once.index(row) if row in once else -1 for row in asked]
    assert places(frame(asked), frame(once), NAMES).tolist() == wanted


@given(ROWS)
def test_a_tally_counts_every_row_once(rows: list[tuple[str | None, int]]) -> None:
    found = tally(frame(rows), NAMES)
    assert int(found["n"].sum()) == len(rows)
    assert found["n"].tolist() == [rows.count(row) for row in dict.fromkeys(rows)]
    assert not found.duplicated(NAMES).any()
    assert np.issubdtype(found["n"].dtype, np.integer)
