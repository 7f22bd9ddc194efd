"""Tables that `measure` made, as pages read them: not there, or there and whole, or damaged."""

from collections.abc import Callable, Collection
from typing import TypeVar

import pandas as pd

from draligned.schema.errors import DamageError
from draligned.store.protocol import Store
from draligned.study.tables import read_table, table_names

T = TypeVar("T")


def of_file(read: Callable[[Store, str], T], store: Store, name: str) -> T:
    """What is read of a table's file. Raises `DamageError` for one that is no table."""
    try:
        return read(store, name)
    except (OSError, ValueError) as error:
        raise DamageError(f"tables/{name}.parquet cannot be read as a table") from error


def measured(store: Store, name: str, columns: Collection[str]) -> pd.DataFrame | None:
    """A table with these columns; none where it was not made.

    Raises `DamageError` for a file that is no table, or none of this version.
    """
    if name not in table_names(store):
        return None
    table = of_file(read_table, store, name)
    lacking = ", ".join(c for c in columns if c not in table.columns)
    if lacking:
        raise DamageError(
            f"tables/{name}.parquet has no column {lacking}; `draligned measure` makes it anew"
        )
    return table
