"""What the tables of a design say of themselves: keys, units and meanings of their columns."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import pandas as pd

from draligned.measure.dictionary import Dictionary, Entry, dictionary
from draligned.schema.tabular import ColumnMeta, Kind, TableMeta

VERSION = 1
FACTOR = "factor_"
_KEYS = frozenset(
    ("deployment", "encoding", "arm", "group", "metric", "layer", "stage", "reported", "contrast",
     "left_out")
)  # fmt: skip


@cache
def stage_dictionary() -> Dictionary:
    """The dictionary of these tables, with the units of the main one."""
    text = files("draligned.progress").joinpath("tables_dictionary.toml").read_text("utf-8")
    return Dictionary.model_validate({"units": dictionary().units, **tomllib.loads(text)})


def entry(table: str, column: str) -> Entry | None:
    """Unit and meaning of a column, if known; a factor's is made from its name."""
    if column.startswith(FACTOR):
        return "word", f"level of the design's factor {column.removeprefix(FACTOR)}"
    return stage_dictionary().entry(table, column)


def described(name: str, table: pd.DataFrame, design_sha256: str) -> TableMeta | None:
    """A table's description; none of a table that is no design's."""
    row = stage_dictionary().tables.get(name)
    if row is None:
        return None
    return TableMeta(
        layout=VERSION,
        table=name,
        row=row,
        keys=tuple(c for c in table.columns if c in _KEYS or c.startswith(FACTOR)),
        columns=tuple(_columns(name, table)),
        hashes={"design": design_sha256},
        rehearsal=bool(table["rehearsal"].any()),
    )


def _columns(name: str, table: pd.DataFrame) -> Iterator[ColumnMeta]:
    for column in table.columns:
        unit, meaning = entry(name, str(column)) or (None, None)
        yield ColumnMeta(name=str(column), kind=_kind(table[column]), unit=unit, meaning=meaning)


def _kind(column: pd.Series) -> Kind:
    if pd.api.types.is_bool_dtype(column):
        return "boolean"
    if pd.api.types.is_integer_dtype(column):
        return "Int64"
    return "Float64" if pd.api.types.is_float_dtype(column) else "string"
