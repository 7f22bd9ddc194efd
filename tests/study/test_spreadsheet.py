"""CSV that spreadsheets, R and pandas open alike, and that reads back as it was."""

import csv
import io
import re

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.schema.errors import InputError
from draligned.schema.tabular import ColumnMeta, Kind
from draligned.study.spreadsheet import guard, read_csv, to_csv, unguard

HOSTILE = [
    "=1+1", '=cmd|"/c calc"!A0', "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1＋1", "＠a",
    "a;=1+1", "a\n=1+1", "a,@b", "a\t-1", "x|=1", "'=1", "''", "'", "", "a'b", '"', '""', '",=1,"',
    "1234567890123456", "12345678e1234567", "007", "1e5", "1.0", "１２３", "1-2", "3/4", "12:30",
    "2026年1月2日", "1月2日", "SEPT2", "MARCH1", "true", "FALSE", "NA", "None", "null", "nan",
    "inf", "0x1F", "50%", "¥5", "杭州", "𠮷野家", "👨‍👩‍👧", "e\u0301", "\ufeffa", "a\u2028b",
    "a\r\nb", "NONE",
]  # fmt: skip
UNTOUCHED = ["coupled", "D_A", "0123456789abcdef", "12a4567890123456", "12", "0", "NONE", "gpt-4.1",
             "4.1-mini", "杭州", "F", "F/planned", "a, b; c", "P_ONLY", "march", "a'b"]  # fmt: skip
TEXT = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(alphabet="=+-@'\"\t\r\n,;| \u3000a1e＝－杭", max_size=12),
    st.text(max_size=30),
)


def column(name: str, kind: Kind) -> ColumnMeta:
    return ColumnMeta(name=name, kind=kind)


COLUMNS = (
    column("text", "string"), column("whole", "Int64"), column("part", "Float64"),
    column("flag", "boolean"),
)  # fmt: skip


def frame(rows: list[tuple[object, ...]]) -> pd.DataFrame:
    cells: list[tuple[object, ...]] = list(zip(*rows, strict=True)) or [() for _ in COLUMNS]
    return pd.DataFrame(
        {c.name: pd.Series(list(v), dtype=c.kind) for c, v in zip(COLUMNS, cells, strict=True)}
    )


def cells(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


@settings(max_examples=500)
@given(TEXT)
def test_a_guarded_text_comes_back_and_no_cell_can_be_a_formula(text: str) -> None:
    cell = guard(text)
    assert unguard(cell) == text
    for separator in (None, ",", ";", "\t", "|"):
        parts = re.split(r"[\r\n]", cell) if separator is None else cell.split(separator)
        for part in parts:
            assert not re.match(r"\s*[=+\-@＝＋－＠]", part), (separator, part)


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.none() | TEXT,
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False, allow_infinity=False),
            st.none() | st.booleans(),
        ),
        max_size=6,
    )
)
def test_a_table_round_trips(rows: list[tuple[object, ...]]) -> None:
    table = frame(rows)
    back = read_csv(to_csv(table), COLUMNS)
    pd.testing.assert_frame_equal(back, table)


@pytest.mark.parametrize("text", HOSTILE)
def test_pandas_keeps_hostile_texts_as_texts(text: str) -> None:
    table = pd.DataFrame({"text": pd.Series([text], dtype="string")})
    back = pd.read_csv(io.BytesIO(to_csv(table)))
    (value,) = back["text"]
    assert isinstance(value, str)
    assert unguard(value).replace("\r\n", "\n") == text.replace("\r\n", "\n")


@pytest.mark.parametrize("text", UNTOUCHED)
def test_plain_texts_carry_no_mark(text: str) -> None:
    assert guard(text) == text


def test_what_a_spreadsheet_would_change_carries_one_mark() -> None:
    changed = ["1234567890123456", "12345678e1234567", "007", "1e5", "1-2", "3/4", "12:30",
               "1月2日", "SEPT2", "true", "NA", "None", "0x1F", "50%", "¥5", "１２３",
               ""]  # fmt: skip
    assert [guard(text) for text in changed] == [f"'{text}" for text in changed]


def test_the_bytes_by_hand() -> None:
    table = frame([("杭州", 1, 0.1, True), (None, None, None, None), ("=1", -2, -1e-12, False)])
    assert (
        to_csv(table)
        == (
            "\ufefftext,whole,part,flag\r\n杭州,1,0.1,TRUE\r\n,,,\r\n'=1,-2,-1e-12,FALSE\r\n"
        ).encode()
    )


def test_a_missing_text_and_an_empty_one_are_told_apart() -> None:
    table = pd.DataFrame({"text": pd.Series(["", None], dtype="string")})
    assert cells(to_csv(table)) == [["text"], ["'"], [""]]
    back = read_csv(to_csv(table.assign(n=pd.Series([1, 2], dtype="Int64"))),
                    (column("text", "string"), column("n", "Int64")))  # fmt: skip
    assert back["text"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a,b\r\n1,2\r\n", "another table's"),
        (b"", "another table's"),
        ("\ufefftext,whole,part,flag\r\n".encode() + b"x,1\r\n", "other lengths"),
        ("\ufefftext,whole,part,flag\r\n".encode() + b"x,y,,\r\n", "whole"),
        ("\ufefftext,whole,part,flag\r\n".encode() + b"x,1,,true\r\n", "flag"),
        ("文".encode("gbk"), "not UTF-8"),
    ],
)
def test_other_files_are_refused_in_a_line(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_csv(data, COLUMNS)


def test_cells_of_any_length_are_read_back() -> None:
    """Python's reader stops at 131,072 characters unless told otherwise."""
    table = pd.DataFrame({"text": ["长" * 200_000, "short"]}, dtype="string")
    columns = [ColumnMeta(name="text", kind="string", unit="text", meaning="a text")]
    assert read_csv(to_csv(table), columns)["text"].tolist() == table["text"].tolist()
