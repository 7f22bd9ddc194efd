"""Tables on disk: the same content, the same bytes; each says what it is."""

import re
from pathlib import Path

import pandas as pd
import pytest

from draligned.schema.errors import DamageError, InputError
from draligned.schema.tabular import ColumnMeta, TableMeta
from draligned.store.local import LocalStore
from draligned.study.tables import (
    from_bytes,
    read_meta,
    read_table,
    table_names,
    to_bytes,
    write_tables,
)

TABLE = pd.DataFrame({"id": ["甲", None], "n": pd.array([1, None], dtype="Int64")})
META = TableMeta(
    layout=1, table="one", columns=(ColumnMeta(name="n", kind="Int64", unit="count"),)
)  # fmt: skip

ROOT = Path(__file__).parents[2]
ROOMS = ("draligned", "constructors", "evaluators", "harnesses")


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


def test_cells_come_back_as_they_were_and_missing_ones_stay_missing() -> None:
    frame = pd.DataFrame({
        "n": pd.array([1, None], "Int64"), "yes": pd.array([None, True], "boolean"),
        "share": pd.array([0.5, None], "Float64"), "word": pd.array(["甲", None], "string"),
    })  # fmt: skip
    pd.testing.assert_frame_equal(from_bytes(to_bytes(frame)), frame)


def test_no_room_reads_a_table_by_a_pool_that_may_outlive_the_interpreter() -> None:
    """Threads of `pandas.read_parquet` and `pq.read_table` abort a process that ends early."""
    rooms = [p for room in ROOMS for p in (ROOT / room).rglob("*.py")]
    assert len(rooms) > 100
    called = [p for p in rooms if re.search(r"pd\.read_parquet\(|pq\.read_table\(", p.read_text())]
    assert called == []


def test_a_description_that_is_none_is_damage(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    spoilt = to_bytes(TABLE, META).replace(b'"layout":1', b'"layout":x')
    store.replace("tables/one.parquet", spoilt)
    with pytest.raises(DamageError, match="description cannot be read"):
        read_meta(store, "one")
