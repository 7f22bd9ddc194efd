"""Tables as plain rows: null is None, numbers are Python's."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

Row = Mapping[str, Any]


def rows(frame: pd.DataFrame) -> list[Row]:
    """The rows of a table, in its order."""
    if frame.empty:
        return []
    names = [str(name) for name in frame.columns]
    columns = [_plain(frame[name]) for name in frame.columns]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _plain(column: pd.Series) -> list[Any]:
    values: list[Any] = column.astype(object).tolist()
    return [None if gone else v for v, gone in zip(values, column.isna().tolist(), strict=True)]


def only(frame: pd.DataFrame, **values: str) -> pd.DataFrame:
    """The rows in which every named column has its value."""
    out = frame
    for name, value in values.items():
        if out.empty:
            return out
        out = out[(out[name] == value).fillna(False).astype(bool)]
    return out


def levels(frame: pd.DataFrame, column: str) -> list[str]:
    """Distinct values of a column in alphabetical order."""
    if frame.empty:
        return []
    return sorted(str(v) for v in frame[column].dropna().unique())


def number(row: Row, name: str) -> float | None:
    """A number of a row, none if null or not there."""
    value = row.get(name)
    return None if value is None else float(value)


def pair_of(row: Row, name: str) -> tuple[float, float] | None:
    """`name_lo` and `name_hi` of a row, none unless both are there."""
    low, high = number(row, f"{name}_lo"), number(row, f"{name}_hi")
    return None if low is None or high is None else (low, high)


def whole(row: Row, name: str) -> int:
    """A count of a row; a count that was not made is 0 only where the table says so."""
    value = row.get(name)
    return 0 if value is None else int(value)


def each_group(frame: pd.DataFrame, *columns: str) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    """Rows by the values of columns, groups in alphabetical order."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows(frame):
        groups.setdefault(tuple(str(row[c]) for c in columns), []).append(row)
    for key in sorted(groups):
        yield key, groups[key]
