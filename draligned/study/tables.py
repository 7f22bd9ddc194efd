"""Derived tables as parquet files under tables/, each with a description of itself inside."""

import io
from collections.abc import Mapping

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from draligned.schema.errors import DamageError, InputError
from draligned.schema.tabular import TableMeta
from draligned.store.protocol import Store

META = b"draligned"
"""Key of the description among the file's metadata; columns carry `unit` and `meaning` too."""
_FOLDER = "tables"
_NULLABLE = {
    pa.bool_(): pd.BooleanDtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.string(): pd.StringDtype(),
    pa.large_string(): pd.StringDtype(),
}
"""Column types that keep what is missing apart from any value."""


def write_tables(
    store: Store, tables: Mapping[str, pd.DataFrame], described: Mapping[str, TableMeta]
) -> None:
    """Replace the tables; the same content gives the same bytes. A table without a description
    is written without one."""
    for name, table in tables.items():
        store.replace(_key(name), to_bytes(table, described.get(name)))


def to_bytes(table: pd.DataFrame, meta: TableMeta | None = None) -> bytes:
    """A table as a parquet file."""
    found = pa.Table.from_pandas(table, preserve_index=False)
    if meta is not None:
        found = found.cast(_described(found.schema, meta))
    buffer = io.BytesIO()
    pq.write_table(found, buffer, compression="zstd")
    return buffer.getvalue()


def _described(schema: pa.Schema, meta: TableMeta) -> pa.Schema:
    said = {c.name: {"unit": c.unit, "meaning": c.meaning} for c in meta.columns}
    fields = [
        field.with_metadata({k: v for k, v in said.get(field.name, {}).items() if v})
        for field in schema
    ]
    return pa.schema(fields, {**(schema.metadata or {}), META: meta.to_json().encode()})


def read_table(store: Store, name: str) -> pd.DataFrame:
    """One table. Raises `InputError`, naming those that exist."""
    return from_bytes(_bytes(store, name))


def from_bytes(data: bytes) -> pd.DataFrame:
    """The table of a parquet file, missing cells as pandas' own missing value.

    Read in this thread alone: `pandas.read_parquet` hands buffers to a pool whose threads may
    let go of them after the interpreter has ended, which aborts the process.
    """
    found = pq.ParquetFile(io.BytesIO(data), pre_buffer=False).read(use_threads=False)
    frame: pd.DataFrame = found.to_pandas(types_mapper=_NULLABLE.get, use_threads=False)
    return frame


def read_meta(store: Store, name: str) -> tuple[TableMeta | None, int]:
    """What a table's file says of itself, if anything, and its rows; cells are not read.

    Raises `InputError` as `read_table` does, `DamageError` for a description that is none.
    """
    found = pq.read_metadata(io.BytesIO(_bytes(store, name)))
    said = (found.metadata or {}).get(META)
    try:
        return (None if said is None else TableMeta.from_json(said)), found.num_rows
    except ValueError as error:
        raise DamageError(f"{_key(name)}: its description cannot be read: {error}") from error


def table_names(store: Store) -> tuple[str, ...]:
    """Tables that were made, sorted."""
    keys = (key.removeprefix(f"{_FOLDER}/") for key in store.list(_FOLDER))
    return tuple(k.removesuffix(".parquet") for k in keys if k.endswith(".parquet"))


def _key(name: str) -> str:
    return f"{_FOLDER}/{name}.parquet"


def _bytes(store: Store, name: str) -> bytes:
    known = table_names(store)
    data = store.get(_key(name)) if name in known else None
    if data is None:
        there = ", ".join(known) if known else "none yet; run `draligned measure` first"
        raise InputError(f"there is no table {name!r}; tables here: {there}")
    return data
