"""Runs as they are on disk now, found again without reading everything again."""

from collections import Counter
from pathlib import Path

import pytest

from draligned import api
from draligned.schema.design import Assigned
from draligned.schema.labels import RunSet, Side
from draligned.store.local import LocalStore
from draligned.study import inventory
from draligned.study.attempts import events_key
from draligned.study.claims import Claims
from draligned.view import index
from draligned.view.index import StudyIndex, pair_id
from draligned.view.readonly import looked_at

from . import studies
from .many import grow


def _states(found: StudyIndex) -> dict[str, int]:
    return dict(Counter(r.state for r in found.now().rows))


def test_ended_runs_are_as_the_inventory_says(finished: Path) -> None:
    study = api.open(finished)
    states = {c.run_id: inventory.cell_state(study.folder.store, c.run_id) for c in study.cells()}
    rows = StudyIndex(looked_at(finished)).now().rows
    assert [r.cell for r in rows] == list(study.cells())
    for row in rows:
        state = states[row.cell.run_id]
        assert (row.state, row.attempt) == (state.state, state.attempt)
        assert state.end is not None
        assert row.outcome == state.end.outcome.value


def test_pairs_are_named_as_in_the_tables(finished: Path) -> None:
    pairs = api.open(finished).table("pairs")
    wanted = set(zip(pairs["pair_id"], pairs["run_id_p"], strict=True))
    rows = StudyIndex(looked_at(finished)).now().rows
    assert wanted == {(r.pair_id, r.cell.run_id) for r in rows if r.cell.arm == "P"}


def test_it_sees_what_changes(changed: Path) -> None:
    found = StudyIndex(looked_at(changed))
    assert _states(found) == {"done": 4}
    cells = studies.more(changed, 2)
    assert _states(found) == {"done": 4, "waiting": 4}
    store, cell = LocalStore(changed), cells[0]
    claims = Claims(store)
    claims.take(f"run-{cell.run_id}")
    assert _states(found) == {"done": 4, "running": 1, "waiting": 3}
    claims.release(f"run-{cell.run_id}")
    assert _states(found) == {"done": 4, "waiting": 4}
    store.append(events_key(cell.run_id, 1), b"")
    assert _states(found) == {"done": 4, "begun": 1, "waiting": 3}
    api.open(changed).run(api.open(changed).plan_runs(replicates=2), limit=1)
    assert _states(found)["done"] == 5


def test_a_run_taken_away_is_no_longer_done(changed: Path) -> None:
    found = StudyIndex(looked_at(changed))
    run_id = found.now().rows[0].cell.run_id
    LocalStore(changed).discard(f"runs/{run_id}/a1")
    assert _states(found) == {"done": 3, "begun": 1}


def test_ended_runs_are_read_once(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = StudyIndex(looked_at(finished))
    before = found.now()
    monkeypatch.setattr(index, "cell_state", lambda *_: pytest.fail("read again"))
    assert found.now() == before


def test_copies_of_runs_are_runs(changed: Path) -> None:
    assert grow(changed, 5) == 20
    found = StudyIndex(looked_at(changed)).now()
    assert [r.state for r in found.rows] == ["done"] * 20
    assert len({r.pair_id for r in found.rows}) == 2


def test_runs_beside_the_panel_have_no_pair(finished: Path) -> None:
    cell = api.open(finished).cells()[0]
    apart = cell.model_copy(update={"run_set": "aa"})
    assert pair_id(cell) is not None
    assert pair_id(apart) is None


def test_what_a_run_was_told_is_said_in_short(finished: Path) -> None:
    study = api.open(finished)
    card, cell = study.design().cards[0], study.cells()[0]
    cards = {card.factor_id: card}
    assert index._told(cell, cards) == card.endpoint(cell.arm).value
    second = Assigned(factor_id=card.factor_id, side=Side.Q)
    both = index._told(cell.model_copy(update={"second": second}), cards)
    assert both == f"{card.endpoint(cell.arm).value} + {card.q.value}"
    assert index._told(cell.model_copy(update={"run_set": RunSet.NEUTRAL}), cards) == ""
