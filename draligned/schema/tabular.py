"""What a table's file says of itself: layout, keys, units, and who made it from what."""

from collections.abc import Mapping
from typing import Literal

from draligned.schema.base import Record

Kind = Literal["string", "Int64", "Float64", "boolean"]


class ColumnMeta(Record):
    """One column of a table."""

    name: str
    kind: Kind
    unit: str | None = None
    """What its values are: a word, an id, a count, a share, …"""
    meaning: str | None = None


class TableMeta(Record):
    """The description that each table's file carries.

    No time, path or count of attempts stands in it: the same study makes the same bytes.
    """

    layout: int
    """Version of the layouts; columns may be added within one."""
    table: str
    row: str | None = None
    """What one row is."""
    keys: tuple[str, ...] = ()
    """The columns that identify a row, and the order of rows."""
    columns: tuple[ColumnMeta, ...] = ()
    ids: Mapping[str, str] = {}
    """Where the record stands that an id names, from the study's folder."""
    versions: Mapping[str, str] = {}
    """Of what made the table."""
    hashes: Mapping[str, str] = {}
    """SHA-256 of the study's parts that stand behind it: design, protocols, settings,
    corrections."""
    rehearsal: bool = False
    """Whether scripted models stood in for language models: then it is no evidence about any."""
