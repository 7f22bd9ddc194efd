"""What tables of designs say of themselves: every column, in every design that has others."""

from functools import cache

import pandas as pd
import pytest

from draligned.api.progress import LaneStatus
from draligned.progress.described import described, entry, stage_dictionary
from draligned.progress.designs import design
from draligned.progress.frame import scored
from draligned.progress.tables import build
from draligned.schema.tabular import TableMeta
from draligned.study.spreadsheet import read_csv, to_csv
from draligned.study.tables import from_bytes, to_bytes
from tests.progress.planted import SETTINGS, reply
from tests.tools import tool

DESIGNS = ("stage", "factorial")
"""Without factors and with."""


@cache
def tables(name: str) -> dict[str, pd.DataFrame]:
    known = design(name)
    kept = sorted({s.scenario_id for s in known.stimuli})[:3]
    stored = [
        reply(known, s, who, 1, "clean" if s.scenario_id == kept[0] else "omission")
        for s in known.stimuli if s.scenario_id in kept for who in ("one", "played")
    ]  # fmt: skip
    return build(known, scored(known, stored), SETTINGS, {"played"})


def meta(name: str, table: str) -> TableMeta:
    found = described(table, tables(name)[table], "0" * 64)
    assert found is not None
    return found


@pytest.mark.parametrize("name", DESIGNS)
def test_every_column_has_a_unit_and_a_meaning(name: str) -> None:
    for table in tables(name):
        said = meta(name, table)
        assert [c.name for c in said.columns if not c.meaning] == []
        assert {c.unit for c in said.columns} <= set(stage_dictionary().units)
        assert said.row
        assert said.hashes == {"design": "0" * 64}


@pytest.mark.parametrize("name", DESIGNS)
def test_keys_are_unique(name: str) -> None:
    for table, frame in tables(name).items():
        keys = list(meta(name, table).keys)
        assert not frame.duplicated(keys).any(), table


def test_the_dictionary_holds_nothing_that_is_not_there() -> None:
    """A column that is gone goes from the page too."""
    there = {t: set(f.columns) for name in DESIGNS for t, f in tables(name).items()}
    there["admission"] = {"counts", *LaneStatus.model_fields} - {"switch"}
    for table, columns in stage_dictionary().columns_of.items():
        assert set(columns) <= {c.removesuffix("_lo") for c in there[table]}, table
    assert all(entry("admission", column) for column in there["admission"])
    assert entry("shares", "factor_cue") == ("word", "level of the design's factor cue")
    assert described("no table of a design", pd.DataFrame(), "") is None


def test_rows_of_a_rehearsal_say_so() -> None:
    """Also where deployments are pooled; a table without one says nothing of the kind."""
    for table, frame in tables("stage").items():
        assert meta("stage", table).rehearsal
        if "deployment" in frame:
            assert set(frame.loc[frame["rehearsal"], "deployment"]) == {"played"}
            assert not frame.loc[frame["deployment"] == "one", "rehearsal"].any()
    assert tables("stage")["gee"]["rehearsal"].all()
    known = design("bundle")
    stored = [reply(known, s, "one", 1, "clean") for s in known.stimuli]
    made = build(known, scored(known, stored), SETTINGS)["shares"]
    found = described("shares", made, "")
    assert found is not None
    assert not found.rehearsal


@pytest.mark.parametrize("name", DESIGNS)
def test_a_table_comes_back_from_parquet_and_from_csv(name: str) -> None:
    for table, frame in tables(name).items():
        said = meta(name, table)
        stored = from_bytes(to_bytes(frame, said))
        assert list(stored.columns) == list(frame.columns)
        again = read_csv(to_csv(frame), said.columns)
        pd.testing.assert_frame_equal(
            again.astype(object).where(again.notna(), None),
            stored.astype(object).where(stored.notna(), None),
        )


def test_the_page_is_as_the_dictionary_is() -> None:
    """`python tools/progress_tables_doc.py` writes it anew."""
    made = tool("progress_tables_doc")
    assert made.OUT.read_text(encoding="utf-8") == made.page()
