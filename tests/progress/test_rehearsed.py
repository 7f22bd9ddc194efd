"""Rows say whether scripted behaviour is in them."""

import pandas as pd
import pytest

from draligned.progress.rehearsed import ALL, marked

TABLE = pd.DataFrame({"deployment": ["real", "played", ALL], "k": [1, 2, 3]})


@pytest.mark.parametrize(
    ("rehearsals", "told"),
    [((), [False, False, False]), (("played",), [False, True, True])],
)
def test_rows_of_a_deployment_and_of_all_together(
    rehearsals: tuple[str, ...], told: list[bool]
) -> None:
    assert list(marked(TABLE, rehearsals)["rehearsal"]) == told
    bare = marked(TABLE[["k"]], rehearsals)["rehearsal"]
    assert list(bare) == [bool(rehearsals)] * 3


def test_a_table_without_rows_has_the_column() -> None:
    for table in (TABLE[:0], pd.DataFrame(columns=["deployment"])):
        assert marked(table, ("played",))["rehearsal"].dtype == bool
