"""How every table of measure is laid out: columns by name and type, in order, and sort keys.

A missing value is null and stands beside a status or a reason in words; no cell
holds NaN. Floats are rounded to 12 decimals, so that the last bits of a sum do
not depend on the machine. Rows are sorted by the keys, which are unique; a table
does not depend on the order of its input (DESIGN §8).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.schema.errors import InventoryError
from draligned.schema.tabular import Kind

Columns = tuple[tuple[str, Kind], ...]

VERSION = 1
"""Of all layouts together: raised when a column is renamed, removed or means something else."""
DECIMALS = 12


@dataclass(frozen=True, kw_only=True)
class Table:
    """Layout of one table."""

    name: str
    columns: Columns
    keys: tuple[str, ...]


def typed(kind: Kind, *names: str) -> Columns:
    """Columns of one type."""
    return tuple((name, kind) for name in names)


RUN = typed("string", "task_id", "user_id", "model", "harness", "environment")
GROUP = ("evaluator", "harness", "model")
STAMP = typed("boolean", "development")
"""Whether the row is of a harness for development only (DR-20); such rows are asked for."""


def finish(frame: pd.DataFrame, table: Table) -> pd.DataFrame:
    """`frame` in the layout of `table`: chosen columns, types, rounded floats, sorted rows.

    Raises `InventoryError` when two rows share the table's keys.
    """
    out = pd.DataFrame({name: _column(frame[name], kind) for name, kind in table.columns})
    places = [_places(out[key]) for key in table.keys]
    order = np.lexsort(places[::-1])
    alike = [place[order[1:]] == place[order[:-1]] for place in places]
    if len(order) > 1 and np.logical_and.reduce(alike).any():
        raise InventoryError(f"table {table.name}: two rows share the keys {', '.join(table.keys)}")
    return out.take(order).reset_index(drop=True)


def _places(values: pd.Series) -> NDArray[np.intp]:
    """Place of each value among those that occur, in their order; of none -1."""
    return pd.factorize(values, sort=True)[0]


def _column(values: pd.Series, kind: Kind) -> pd.Series:
    if kind != "Float64":
        return values.astype(kind)
    rounded = values.astype("Float64").round(DECIMALS)
    return rounded + 0.0
