"""What tables, columns and units are, in the language of the pages; English where a translation
is not there yet."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from draligned.measure.dictionary import dictionary
from draligned.schema.base import Record
from draligned.schema.design import Lang
from draligned.schema.tabular import ColumnMeta

_ENDS = ("_lo", "_hi")
_ARMS = {"_p": "（P）", "_q": "（Q）"}


class Translated(Record):
    """What `dictionary_zh.toml` holds: the keys of measure's dictionary, in Chinese."""

    units: Mapping[str, str]
    tables: Mapping[str, str]
    columns: Mapping[str, str] = {}
    columns_of: Mapping[str, Mapping[str, str]] = {}


class Meanings:
    """Words in one language; each says in which language it is."""

    def __init__(self, lang: Lang) -> None:
        self._own = translated() if lang == "zh" else Translated(units={}, tables={})

    def table(self, name: str, english: str | None) -> tuple[str, Lang]:
        """What one row of a table is, blank where nobody says."""
        return _either(self._own.tables.get(name), english)

    def column(self, table: str, column: ColumnMeta) -> tuple[str, Lang]:
        """What a column means."""
        return _either(_column(self._own, table, column.name), column.meaning)

    def unit(self, unit: str | None) -> tuple[str, Lang]:
        """What the values of a unit are."""
        words = dictionary().units.get(unit or "")
        return _either(self._own.units.get(unit or ""), words)


def _either(own: str | None, english: str | None) -> tuple[str, Lang]:
    return (own, "zh") if own else (english or "", "en")


def _column(own: Translated, table: str, column: str) -> str | None:
    """The translation of the very entry that the dictionary takes for a column."""
    known = dictionary()
    if column in known.columns_of.get(table, {}):
        return own.columns_of.get(table, {}).get(column)
    if column in known.columns:
        return own.columns.get(column)
    if column.endswith(_ENDS):
        return _column(own, table, column[:-3])
    if column.endswith(tuple(_ARMS)):
        of_both = _column(own, table, column[:-2])
        return of_both and of_both + _ARMS[column[-2:]]
    return None


def untranslated() -> Iterator[str]:
    """Entries of measure's dictionary that have no Chinese words, and Chinese ones of no entry."""
    known, own = dictionary(), translated()
    yield from (f"units.{name}" for name in known.units.keys() ^ own.units.keys())
    yield from (f"tables.{name}" for name in known.tables.keys() ^ own.tables.keys())
    yield from (f"columns.{name}" for name in known.columns.keys() ^ own.columns.keys())
    for table in known.columns_of.keys() | own.columns_of.keys():
        here = known.columns_of.get(table, {}).keys() ^ own.columns_of.get(table, {}).keys()
        yield from (f"columns_of.{table}.{name}" for name in here)


@cache
def translated() -> Translated:
    """The dictionary's entries in Chinese."""
    text = resources.files("draligned.view").joinpath("dictionary_zh.toml").read_text("utf-8")
    return Translated.model_validate(tomllib.loads(text))
