"""What a study's tables show of a method."""

from pathlib import Path

import pandas as pd
import pytest

from draligned.api.registers import method_state
from draligned.bench_data.registers import load_register
from draligned.store.local import LocalStore
from draligned.study.tables import write_tables


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        (None, "designed"),
        ({"status": []}, "designed"),
        ({"status": ["unknown", "unknown"]}, "designed"),
        ({"status": ["refused"]}, "designed"),
        ({"status": ["unknown", "ok"]}, "run"),
        ({"n": [3]}, "run"),
        ({"n": []}, "designed"),
    ],
)
def test_a_method_ran_where_a_row_is_a_result(
    tmp_path: Path, rows: dict[str, list[object]] | None, state: str
) -> None:
    """DR-108: rows that say why there is nothing do not show that it ran."""
    store = LocalStore(tmp_path)
    if rows is not None:
        write_tables(store, {"allocation": pd.DataFrame(rows)}, {})
    (panel,) = [m for m in load_register().methods if m.id == "allocation-panel"]
    assert method_state(store, panel).value == state
