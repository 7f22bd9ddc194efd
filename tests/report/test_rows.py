"""Rows of tables."""

import pandas as pd

from draligned.report.rows import each_group, levels, number, only, pair_of, rows, whole

FRAME = pd.DataFrame(
    {
        "who": pd.array(["b", "a", None], dtype="string"),
        "n": pd.array([1, None, 3], dtype="Int64"),
        "x_lo": pd.array([0.5, None, 1.0], dtype="Float64"),
        "x_hi": pd.array([0.75, 1.0, None], dtype="Float64"),
    }
)


def test_null_is_none() -> None:
    assert rows(FRAME)[1] == {"who": "a", "n": None, "x_lo": None, "x_hi": 1.0}
    assert rows(pd.DataFrame()) == []


def test_only_keeps_the_rows_that_match_and_no_null() -> None:
    assert len(only(FRAME, who="a")) == 1
    assert only(FRAME, who="a", n="9").empty
    assert only(pd.DataFrame(), who="a").empty


def test_levels_are_in_alphabetical_order() -> None:
    assert levels(FRAME, "who") == ["a", "b"]
    assert levels(pd.DataFrame(), "who") == []


def test_numbers_of_a_row() -> None:
    first, second, third = rows(FRAME)
    assert pair_of(first, "x") == (0.5, 0.75)
    assert pair_of(second, "x") is None
    assert pair_of(third, "x") is None
    assert number(second, "x_lo") is None
    assert (whole(first, "n"), whole(second, "n")) == (1, 0)


def test_groups_are_in_alphabetical_order() -> None:
    assert [key for key, _ in each_group(FRAME.dropna(subset=["who"]), "who")] == [("a",), ("b",)]
