"""How every table of measure is laid out: columns by name and type, in order, and sort keys.

A missing value is null and stands beside a status or a reason in words; no cell
holds NaN. Floats are rounded to 12 decimals, so that the last bits of a sum do
not depend on the machine. Rows are sorted by the keys, which are unique; a table
does not depend on the order of its input (DESIGN §8).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


def stacked(parts: Sequence[Mapping[str, Any]], sized: str) -> pd.DataFrame:
    """Parts with the same columns, one under another; in each, `sized` is an array, as long as the
    part, and other columns are arrays or one value for all its rows."""
    columns = {
        name: np.concatenate([np.broadcast_to(part[name], len(part[sized])) for part in parts])
        for name in parts[0]
    }
    return pd.DataFrame(columns)


def finish(frame: pd.DataFrame, table: Table) -> pd.DataFrame:
    """`frame` in the layout of `table`: chosen columns, types, rounded floats, sorted rows.

    Raises `InventoryError` when two rows share the table's keys.
    """
    plain = frame[[name for name, _ in table.columns]].reset_index(drop=True)
    kinds = dict(table.columns)
    places = [_places(_column(plain[key], kinds[key])) for key in table.keys]
    order = np.lexsort(places[::-1])
    alike = [place[order[1:]] == place[order[:-1]] for place in places]
    if len(order) > 1 and np.logical_and.reduce(alike).any():
        raise InventoryError(f"table {table.name}: two rows share the keys {', '.join(table.keys)}")
    if not (order[1:] > order[:-1]).all():
        plain = plain.take(order).reset_index(drop=True)
    return pd.DataFrame({name: _column(plain[name], kind) for name, kind in table.columns})


def _places(values: pd.Series) -> NDArray[np.intp]:
    """Place of each value among those that occur, in their order; of none -1."""
    return pd.factorize(values, sort=True)[0]


def _column(values: pd.Series, kind: Kind) -> pd.Series:
    if isinstance(values.dtype, pd.CategoricalDtype):
        words = values.cat.categories.astype(kind).array
        return pd.Series(words.take(values.cat.codes.to_numpy(), allow_fill=True))
    if kind != "Float64":
        return values.astype(kind)
    rounded = values.astype("Float64").round(DECIMALS)
    return rounded + 0.0
