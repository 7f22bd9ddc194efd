"""What was started, and whether all of it was a pilot."""

from pathlib import Path

from draligned.schema.labels import Side
from draligned.store.local import LocalStore
from draligned.study.launches import pilot_of, record_launch
from draligned.study.ledger import owner_name


def launch(store: LocalStore, pilot: int | None) -> None:
    record_launch(
        store, pair_id="p", run_id="r", arm=Side.P, place=1, started_with=2, pilot=pilot
    )  # fmt: skip


def test_only_a_study_of_pilots_is_a_pilot(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    assert pilot_of(store) is None
    launch(store, 1)
    launch(store, 3)
    assert pilot_of(store) == 3
    launch(store, None)
    assert pilot_of(store) is None


def test_starts_of_other_processes_count_and_a_torn_line_does_not(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    launch(store, 2)
    mine = store.get(f"launches/{owner_name()}.jsonl") or b""
    store.append("launches/other.jsonl", mine.replace(b'"pilot":2', b'"pilot":5') + mine[:9])
    assert pilot_of(store) == 5
