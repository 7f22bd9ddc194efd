"""The unit and meaning of every column of every table, in `dictionary.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from draligned.measure.layout import VERSION, Table
from draligned.schema.base import Record
from draligned.schema.errors import InventoryError
from draligned.schema.tabular import ColumnMeta, TableMeta

Entry = tuple[str, str]
_ENDS = ("_lo", "_hi")
_ARMS = {"_p": " (P)", "_q": " (Q)"}
IDS = {
    "run_id": "runs/<run_id>/",
    "factor_id": "design/design.json: cards",
    "text_sha256": "blobs/<first two digits>/<text_sha256>.z",
}
"""Where the record stands that an id names, from the study's folder."""


class Dictionary(Record):
    """What `dictionary.toml` holds."""

    units: Mapping[str, str]
    """Each unit in words."""
    tables: Mapping[str, str]
    """What one row of each table is."""
    columns: Mapping[str, Entry]
    columns_of: Mapping[str, Mapping[str, Entry]]

    def entry(self, table: str, column: str) -> Entry | None:
        """Unit and meaning of a column, if it stands there."""
        found = self.columns_of.get(table, {}).get(column) or self.columns.get(column)
        if found is None and column.endswith(_ENDS):
            found = self.entry(table, column[:-3])
        if found is None and column.endswith(tuple(_ARMS)):
            of_both = self.entry(table, column[:-2])
            found = of_both and (of_both[0], of_both[1] + _ARMS[column[-2:]])
        return found


@cache
def dictionary() -> Dictionary:
    """The dictionary of the package."""
    text = files("draligned.measure").joinpath("dictionary.toml").read_text("utf-8")
    return Dictionary.model_validate(tomllib.loads(text))


def describe(table: Table) -> TableMeta:
    """A table's description of itself; a column that the dictionary lacks has no meaning."""
    known = dictionary()
    columns = []
    for name, kind in table.columns:
        unit, meaning = known.entry(table.name, name) or (None, None)
        columns.append(ColumnMeta(name=name, kind=kind, unit=unit, meaning=meaning))
    return TableMeta(
        layout=VERSION,
        table=table.name,
        row=known.tables.get(table.name),
        keys=table.keys,
        columns=tuple(columns),
        ids={name: place for name, place in IDS.items() if name in {n for n, _ in table.columns}},
    )


def undescribed(table: Table) -> Iterator[str]:
    """What the dictionary does not say of a table. Raises `InventoryError` for unknown units."""
    known = dictionary()
    if table.name not in known.tables:
        yield f"tables.{table.name}"
    for name, _ in table.columns:
        found = known.entry(table.name, name)
        if found is None:
            yield f"columns_of.{table.name}.{name}"
        elif found[0] not in known.units:
            raise InventoryError(f"dictionary.toml: {name} has the unknown unit {found[0]!r}")
