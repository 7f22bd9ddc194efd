"""Tables as CSV that a spreadsheet, R and pandas open alike, and that can be read back.

UTF-8 with a byte order mark, without which spreadsheets take Chinese for another encoding;
commas; a missing value is an empty cell, a flag TRUE or FALSE, a number the shortest text that
gives it back. A text that a spreadsheet would run as a formula, change into a number, a date or
a flag, or that R or pandas would take for a missing value, gets an apostrophe in front: it stays
visible, and is the only thing to take away (`'` at the start of a cell). An empty text is a
lone apostrophe.
"""

import csv
import io
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from draligned.schema.errors import InputError
from draligned.schema.tabular import ColumnMeta

BOM = "\ufeff"
MARK = "'"
_STARTS = r"=+\-@\t\r＝＋－＠'"
_FORMULA = re.compile(rf"(^|[,;|\t\r\n])(?=\s*[{_STARTS}])")
"""Where a cell begins, also in programs that cut at other separators than the comma."""
_MARKED = re.compile(rf"([,;|\t\r\n]){MARK}(?=\s*[{_STARTS}])")
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,14}")
"""A whole number that comes back from a spreadsheet as it went in."""
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_CHANGED = re.compile(
    r"[+-]?[¥$€£￥]?[0-9０-９.,]+(e[+-]?[0-9]+)?[%％¥$€£￥]?"  # numbers, amounts
    r"|0x[0-9a-f]+|true|false|[+-]?inf(inity)?|[+-]?nan"
    r"|[0-9]{1,4}[-/.:年月日时分][-/.:年月日时分秒 t0-9]*( ?[ap]m?)?"  # dates, times
    rf"|(?=.*[0-9])[0-9]{{0,4}}[-/. ]?({_MONTHS})[a-z]*[-/. ]?[0-9]{{0,4}}",
    re.IGNORECASE,
)
"""What a spreadsheet or R takes for a number, a flag, a date or a time."""
_MISSING = frozenset(
    ("NA", "N/A", "n/a", "<NA>", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "None")
)
"""What R or pandas takes for a missing value."""


def to_csv(table: pd.DataFrame) -> bytes:
    """A table as CSV; how a cell is written follows from its column's type."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(guard(str(name)) for name in table.columns)
    writer.writerows(zip(*(_texts(table[name]) for name in table.columns), strict=True))
    return (BOM + out.getvalue()).encode("utf-8")


def read_csv(data: bytes, columns: Sequence[ColumnMeta]) -> pd.DataFrame:
    """What `to_csv` wrote, with the types of `columns`.

    Raises `InputError` for other columns, cells of another type, and bytes that are not UTF-8.
    """
    try:
        text = data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        raise InputError(f"the CSV is not UTF-8 (byte {error.start})") from error
    header, *rows = csv_rows(text) or [[]]
    names = [unguard(name) for name in header]
    if names != [c.name for c in columns]:
        raise InputError(f"the CSV has the columns {', '.join(names)}; they are another table's")
    if any(len(row) != len(names) for row in rows):
        raise InputError("the CSV has rows of other lengths than its header")
    cells = zip(*rows, strict=True) if rows else ([] for _ in names)
    return pd.DataFrame({c.name: _read(c, found) for c, found in zip(columns, cells, strict=True)})


def csv_rows(text: str) -> list[list[str]]:
    """Cells as they stand in CSV text, however long they are. Raises `InputError`."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    try:
        return list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise InputError(f"the CSV cannot be read: {error}") from error


def guard(text: str) -> str:
    """A text as a cell that is opened as that text; `unguard` gives it back."""
    marked = _FORMULA.sub(rf"\1{MARK}", text)
    if marked.startswith(MARK):
        return marked
    changed = _CHANGED.fullmatch(text) and not _PLAIN.fullmatch(text)
    return MARK + marked if changed or text in _MISSING or not text else marked


def unguard(cell: str) -> str:
    """The text that was guarded."""
    return _MARKED.sub(r"\1", cell.removeprefix(MARK))


def _texts(column: pd.Series) -> list[str]:
    """Cells of a column; each different value is written once."""
    codes, values = pd.factorize(column, use_na_sentinel=True)
    known = [_text(value) for value in values]
    return [known[code] if code >= 0 else "" for code in codes.tolist()]


def _text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return str(int(value)) if isinstance(value, int | np.integer) else guard(str(value))


_FROM: dict[str, Callable[[str], Any]] = {
    "string": unguard,
    "Int64": int,
    "Float64": float,
    "boolean": {"TRUE": True, "FALSE": False}.__getitem__,
}


def _read(column: ColumnMeta, cells: Sequence[str]) -> pd.Series:
    try:
        values = [_FROM[column.kind](cell) if cell else None for cell in cells]
    except (ValueError, KeyError) as error:
        raise InputError(f"the CSV's column {column.name}: {error} is no {column.kind}") from error
    return pd.Series(values, dtype=column.kind)
