"""Every table of the first path is made anew by the second, column by column."""

from pathlib import Path

from draligned.api.tabular import layouts
from draligned.verify import duty_tables
from draligned.verify.check import MAKERS
from tests.verify.studies import checked


def test_no_table_is_left_out() -> None:
    assert set(layouts()) == {*MAKERS, *duty_tables.MAKERS}


def test_no_column_is_left_out(whole: Path) -> None:
    found = checked(whole)
    assert found.not_recomputed == ()
    notes = [note for part in found.parts for note in part.notes if "not recomputed" in note]
    assert notes == []
