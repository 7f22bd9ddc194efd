"""A table on disk against the same table made anew: row by row, cell by cell."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from draligned.verify.files import Files
from draligned.verify.found import Part

EXACT, LOOSE = 2e-12, 2e-9
"""How far floats may differ: by their last rounded digit; for intervals by what other orders of
summing leave in quantiles of ratios."""
DECIMALS = 12
_ULPS = 4e-16

Row = tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Own:
    """A table made anew. Columns that it does not have are not recomputed."""

    name: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    rows: Sequence[Row]
    loose: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A table on disk; a column is made Python's only while it is looked at."""

    table: pa.Table

    @property
    def names(self) -> list[str]:
        """Names of columns."""
        return list(self.table.column_names)

    def column(self, name: str) -> list[Any]:
        """Values of a column."""
        found: list[Any] = self.table.column(name).to_pylist()
        return found


def part_name(table: str) -> str:
    """What the part of a table is called."""
    return f"table {table}"


def file_of(table: str) -> str:
    """Where a table stands."""
    return f"tables/{table}.parquet"


def read_stored(files: Files, table: str) -> Stored:
    """Read a table. Raises `Unreadable`."""
    key, part = file_of(table), part_name(table)
    data = files.store.get(key)
    if data is None:
        files.refuse(part, key, "no file", "a table")
    try:
        # In this thread alone: buffers in pyarrow's pool may outlive the interpreter, and abort it.
        found = pq.ParquetFile(io.BytesIO(data), pre_buffer=False).read(use_threads=False)
    except (OSError, ValueError) as error:
        files.refuse(part, key, f"no parquet file ({type(error).__name__})", "a table")
    return Stored(table=found)


def compare(part: Part, own: Own, stored: Stored) -> None:
    """Every cell of every row of both; a row that only one of them has is named once."""
    key = file_of(own.name)
    for name in own.columns:
        if name not in stored.names:
            part.wrong(key, f"column {name}", "no such column", "a column", items=len(own.rows))
    both = [name for name in own.columns if name in stored.names]
    left = [name for name in stored.names if name not in own.columns]
    if left:
        part.notes.append(f"columns not recomputed: {', '.join(left)}")
    missing_keys = [k for k in own.keys if k not in both]
    if missing_keys:
        return
    matched = _align(part, own, stored, len(both))
    for name in both:
        _compare_column(part, own, stored.column(name), name, matched)


def _align(part: Part, own: Own, stored: Stored, width: int) -> list[tuple[int, int]]:
    """Places (own, stored) of rows that both have."""
    key = file_of(own.name)
    places: dict[Row, int] = {}
    stored_keys = list(zip(*(stored.column(k) for k in own.keys), strict=True))
    for place, values in enumerate(stored_keys):
        if values in places:
            part.wrong(key, _named(own.keys, values), "a second row of that key", "one row",
                       items=width)  # fmt: skip
        else:
            places[values] = place
    at = [own.columns.index(k) for k in own.keys]
    matched = []
    for number, row in enumerate(own.rows):
        values = tuple(row[i] for i in at)
        if values in places:
            matched.append((number, places.pop(values)))
        else:
            part.wrong(key, _named(own.keys, values), "no such row", "a row", items=width)
    for values in places:
        part.wrong(key, _named(own.keys, values), "a row", "no such row", items=width)
    return matched


def _named(keys: Iterable[str], values: Iterable[Any]) -> str:
    return ", ".join(f"{k} {'null' if v is None else v}" for k, v in zip(keys, values, strict=True))


def _compare_column(
    part: Part, own: Own, stored: list[Any], name: str, matched: list[tuple[int, int]]
) -> None:
    at, near = own.columns.index(name), LOOSE if name in own.loose else EXACT
    right = 0
    for number, place in matched:
        mine, theirs = own.rows[number][at], stored[place]
        if (mine == theirs and type(mine) is not float) or _close(theirs, mine, near):
            right += 1
        else:
            keys = [own.rows[number][own.columns.index(k)] for k in own.keys]
            where = f"{_named(own.keys, keys)}, column {name}"
            part.wrong(file_of(own.name), where, theirs, _rounded(mine))
    part.right(right)


def _close(theirs: Any, mine: Any, near: float) -> bool:
    """Whether a stored number is ours, rounded as the tables say."""
    if isinstance(theirs, bool) or isinstance(mine, bool):
        return False
    if not (isinstance(theirs, float | int) and isinstance(mine, float | int)):
        return False
    size = max(1.0, abs(mine))
    if abs(theirs - round(theirs, DECIMALS)) > _ULPS * size:
        return False
    return abs(theirs - mine) <= near * size


def _rounded(value: Any) -> Any:
    return round(value, DECIMALS) if isinstance(value, float) else value
