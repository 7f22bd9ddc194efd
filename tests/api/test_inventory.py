"""The inventory beside the tables, and the remark that goes with partial ones."""

import pandas as pd

from draligned.api.inventory import inventory_table, partial_note
from draligned.api.reporting import StudyStatus
from draligned.report.data import ReadCount
from draligned.study.status import BlockStatus


def status(open_runs: int, open_reads: int) -> StudyStatus:
    block = BlockStatus(
        model="m", harness="h", environment="e", planned=9, started=9, done=9 - open_runs,
        failed=0, censored=0, open=open_runs, outcomes={},
    )  # fmt: skip
    reads = ReadCount(
        evaluator="r", kind="document", planned=5, read=5 - open_reads, void=1, open=open_reads
    )
    return StudyStatus(blocks=(block,), reads=(reads,), rehearsal=True)


def test_rows_are_blocks_and_packets_and_what_does_not_apply_is_null() -> None:
    table = inventory_table(status(2, 3))
    assert list(table["kind"]) == ["runs", "reads"]
    assert list(table["open"]) == [2, 3]
    assert list(table["void"].isna()) == [True, False]
    assert list(table["failed"].isna()) == [False, True]
    assert table["harness"].dtype == pd.StringDtype()


def test_the_note_counts_what_was_open() -> None:
    assert partial_note(inventory_table(status(0, 0))) is None
    note = partial_note(inventory_table(status(2, 3)))
    assert note == "PARTIAL: 2 runs and 3 reads were still open; every number may change."
    only = partial_note(inventory_table(status(0, 3)))
    assert only is not None
    assert only.startswith("PARTIAL: 3 reads were")


def test_no_block_is_no_note() -> None:
    empty = StudyStatus(blocks=(), reads=(), rehearsal=False)
    assert partial_note(inventory_table(empty)) is None


def test_starts_and_kept_attempts_stand_beside_what_became_of_them() -> None:
    block = status(2, 0).blocks[0].model_copy(update={"started": 8, "stored": 3, "censored": 1})
    table = inventory_table(StudyStatus(blocks=(block,), reads=status(0, 0).reads, rehearsal=True))
    first = table.iloc[0]
    counts = ["planned", "started", "censored", "open", "stored"]
    assert first[counts].tolist() == [9, 8, 1, 2, 3]
    assert table["development"].dtype == pd.BooleanDtype()
    assert table.iloc[1][["started", "stored", "development"]].isna().all()
