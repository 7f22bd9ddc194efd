"""Every table has a layout in words: what a row is, its keys, the unit and meaning of columns."""

import pytest

from draligned.api.tabular import layouts
from draligned.measure.dictionary import IDS, describe, dictionary, undescribed
from draligned.measure.layout import Table, typed
from draligned.schema.errors import InventoryError
from tests.tools import tool


@pytest.mark.parametrize("name", sorted(layouts()))
def test_every_column_has_a_unit_and_a_meaning(name: str) -> None:
    """A new column goes into draligned/measure/dictionary.toml."""
    assert list(undescribed(layouts()[name])) == []


@pytest.mark.parametrize("name", sorted(layouts()))
def test_keys_are_columns_and_every_row_says_of_which_harness_it_is(name: str) -> None:
    table = layouts()[name]
    columns = [column for column, _ in table.columns]
    assert set(table.keys) <= set(columns)
    assert len(columns) == len(set(columns))
    assert {"harness", "development"} <= set(columns)


def test_nothing_in_the_dictionary_is_of_no_table() -> None:
    known, used = dictionary(), set[str]()
    for table in layouts().values():
        names = {
            name for c, _ in table.columns for name in (c, c[:-3], c[:-2], c[:-5])
        }  # fmt: skip
        assert names >= set(known.columns_of.get(table.name, {})), table.name
        used |= names
    assert set(known.columns) <= used
    assert set(known.tables) == set(layouts())
    assert set(known.columns_of) <= set(layouts())


def test_what_is_missing_is_named() -> None:
    table = Table(name="new", columns=typed("string", "run_id", "nobody_knows"), keys=("run_id",))
    assert list(undescribed(table)) == ["tables.new", "columns_of.new.nobody_knows"]
    assert [c.unit for c in describe(table).columns] == ["id", None]
    assert describe(table).ids == {"run_id": IDS["run_id"]}


def test_an_unknown_unit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dictionary().model_copy(update={"columns": {"run_id": ("furlong", "?")}})
    monkeypatch.setattr("draligned.measure.dictionary.dictionary", lambda: wrong)
    with pytest.raises(InventoryError, match="furlong"):
        list(undescribed(Table(name="requests", columns=typed("string", "run_id"), keys=())))


def test_ends_and_arms_are_described_by_what_they_are_of() -> None:
    known = dictionary()
    assert known.entry("estimates", "ci_lo") == known.columns["ci"]
    assert known.entry("pairs", "m_q") == ("readout", known.columns["m"][1] + " (Q)")
    assert known.entry("pairs", "nothing_p") is None


def test_the_page_is_as_the_layouts_are() -> None:
    """`python tools/tables_doc.py` writes it anew."""
    made = tool("tables_doc")
    assert made.OUT.read_text(encoding="utf-8") == made.page()
