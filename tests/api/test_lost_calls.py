"""A call in flight when the process ended is in the ledger, once, with nothing made up."""

from pathlib import Path

import draligned
from draligned.api import Study
from draligned.schema.events import CallStarted
from draligned.study.attempts import events_key
from draligned.study.ledger import read_ledger


def cut_in_flight(study: Study, run_id: str) -> int:
    """Leave the log as a kill during the last call does; the number of that call."""
    store, key = study.folder.store, events_key(run_id, 1)
    events = study.events(run_id)
    last = max(e.seq for e in events if isinstance(e.body, CallStarted))
    lines = (store.get(key) or b"").splitlines(keepends=True)
    store.replace(key, b"".join(lines[: last + 1]))
    (study.folder.root / "runs" / run_id / "a1" / "seal.json").unlink()
    body = events[last].body
    assert isinstance(body, CallStarted)
    return body.sequence


def test_a_lost_call_is_entered_once_and_its_cost_stays_unknown(tmp_path: Path) -> None:
    study = draligned.open(tmp_path / "study")
    study.construct(tasks=1)
    study.run()
    run_id = study.cells()[0].run_id
    final = study.events(run_id)[-1].body
    sequence = cut_in_flight(study, run_id)
    for key in study.folder.store.list("ledger"):
        (study.folder.root / key).unlink()
    study = draligned.open(study.folder.root)
    assert study.run().done
    tries = read_ledger(study.folder.store)
    assert [(t.key.sequence, t.outcome) for t in tries if t.key.owner == run_id] == [
        (sequence, "lost"),
        (sequence, "ok"),
    ]
    assert tries[0].usage is None
    assert tries[0].cost is None
    assert [r.unaccounted for r in study.spend() if r.purpose == "agent"] == [1]
    assert study.events(run_id)[-1].body == final


def test_a_call_whose_end_the_ledger_knows_is_not_called_lost(tmp_path: Path) -> None:
    study = draligned.open(tmp_path / "study")
    study.construct(tasks=1)
    study.run()
    run_id = study.cells()[0].run_id
    cut_in_flight(study, run_id)
    study = draligned.open(study.folder.root)
    study.run()
    assert "lost" not in {t.outcome for t in read_ledger(study.folder.store)}
