import pandas as pd
import pytest

from draligned.measure.layout import Table, finish
from draligned.measure.tables import TABLES
from draligned.schema.errors import InventoryError

TABLE = Table(
    name="t", columns=(("a", "string"), ("n", "Int64"), ("x", "Float64")), keys=("a", "n")
)


def test_finish_chooses_types_rounds_and_sorts() -> None:
    frame = pd.DataFrame(
        {"x": [0.1 + 0.2, None, -0.0], "n": [2, 1, 1], "a": ["b", "b", "a"], "y": 0}
    )
    out = finish(frame, TABLE)
    assert list(out.columns) == ["a", "n", "x"]
    assert [str(kind) for kind in out.dtypes] == ["string", "Int64", "Float64"]
    assert out["a"].tolist() == ["a", "b", "b"]
    assert out.index.tolist() == [0, 1, 2]
    assert out["x"].fillna(9.0).tolist() == [0.0, 9.0, 0.3]
    assert str(out["x"].iloc[0]) == "0.0"


def test_rows_that_share_keys_are_refused() -> None:
    frame = pd.DataFrame({"a": ["a", "a"], "n": [1, 1], "x": [0.0, 1.0]})
    with pytest.raises(InventoryError, match="table t"):
        finish(frame, TABLE)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_layouts_are_sound(table: Table) -> None:
    names = [name for name, _ in table.columns]
    assert len(names) == len(set(names))
    assert set(table.keys) <= set(names)
