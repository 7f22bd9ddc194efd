"""Tables on disk: the same content, the same bytes; each says what it is."""

from pathlib import Path

import pandas as pd
import pytest

from draligned.schema.errors import DamageError, InputError
from draligned.schema.tabular import ColumnMeta, TableMeta
from draligned.store.local import LocalStore
from draligned.study.tables import read_meta, read_table, table_names, to_bytes, write_tables

TABLE = pd.DataFrame({"id": ["甲", None], "n": pd.array([1, None], dtype="Int64")})
META = TableMeta(
    layout=1, table="one", columns=(ColumnMeta(name="n", kind="Int64", unit="count"),)
)  # fmt: skip


def test_a_table_and_what_it_says_of_itself_come_back(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    write_tables(store, {"one": TABLE, "bare": TABLE}, {"one": META})
    assert table_names(store) == ("bare", "one")
    found = read_table(store, "one")
    assert found["n"].tolist() == [1, pd.NA]
    assert found["id"].tolist() == ["甲", pd.NA]
    assert read_meta(store, "one") == (META, 2)
    assert read_meta(store, "bare") == (None, 2)


def test_the_same_content_gives_the_same_bytes() -> None:
    assert to_bytes(TABLE, META) == to_bytes(TABLE.copy(), META)
    assert to_bytes(TABLE, META) != to_bytes(TABLE)


@pytest.mark.parametrize("name", ["two", "../study", "", "one.parquet"])
def test_a_table_that_is_not_there_is_told_with_those_that_are(tmp_path: Path, name: str) -> None:
    store = LocalStore(tmp_path)
    with pytest.raises(InputError, match="none yet; run `draligned measure` first"):
        read_table(store, name)
    write_tables(store, {"one": TABLE}, {})
    with pytest.raises(InputError, match="tables here: one"):
        read_table(store, name)


def test_a_description_that_is_none_is_damage(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    spoilt = to_bytes(TABLE, META).replace(b'"layout":1', b'"layout":x')
    store.replace("tables/one.parquet", spoilt)
    with pytest.raises(DamageError, match="description cannot be read"):
        read_meta(store, "one")
