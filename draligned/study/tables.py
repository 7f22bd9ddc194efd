"""Derived tables as parquet files under tables/."""

import io
from collections.abc import Mapping

import pandas as pd

from draligned.schema.errors import InputError
from draligned.store.protocol import Store


def write_tables(store: Store, tables: Mapping[str, pd.DataFrame]) -> None:
    """Replace the tables; the same content gives the same bytes."""
    for name, table in tables.items():
        buffer = io.BytesIO()
        table.to_parquet(buffer, index=False, compression="zstd")
        store.replace(f"tables/{name}.parquet", buffer.getvalue())


def read_table(store: Store, name: str) -> pd.DataFrame:
    """One table. Raises `InputError`, naming those that exist."""
    data = store.get(f"tables/{name}.parquet")
    if data is None:
        known = [k.rsplit("/", 1)[1].removesuffix(".parquet") for k in store.list("tables")]
        there = ", ".join(known) if known else "none yet; run `draligned measure` first"
        raise InputError(f"there is no table {name!r}; tables here: {there}")
    return pd.read_parquet(io.BytesIO(data), dtype_backend="numpy_nullable")
