"""Freezing and amending: the lock decides, whatever a kill leaves half done."""

import contextlib
import threading
from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.schema.base import Record
from draligned.schema.design import Design
from draligned.schema.errors import DamageError, DesignError
from draligned.store.local import LocalStore
from draligned.study import freeze


class Killed(Exception):
    """The process is gone."""


class Dying(LocalStore):
    """A store that dies before its n-th change of the design."""

    def __init__(self, root: Path, changes: int) -> None:
        super().__init__(root)
        self._left = changes

    def _count(self, key: str) -> None:
        if not key.startswith("design/"):
            return
        if self._left == 0:
            raise Killed
        self._left -= 1

    def replace(self, key: str, data: bytes) -> None:
        self._count(key)
        super().replace(key, data)

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self._count(key)
        return super().put_if_absent(key, data)

    def append(self, key: str, data: bytes) -> None:
        self._count(key)
        super().append(key, data)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A frozen design of two tasks."""
    made = draligned.open(tmp_path / "study")
    made.construct(tasks=2)
    made.freeze()
    return made


def larger(study: Study, root: Path) -> Design:
    """The design with a task more."""
    other = draligned.open(root)
    other.construct(tasks=4)
    old, new = study.design(), other.design()
    known = {c.factor_id for c in old.cards}
    parts: dict[str, tuple[Record, ...]] = {
        "tasks": tuple(t for t in new.tasks if t not in old.tasks),
        "cards": tuple(c for c in new.cards if c.factor_id not in known),
        "conditions": tuple(c for c in new.conditions if c not in old.conditions),
    }
    assert parts["cards"]
    return old.model_copy(update={name: getattr(old, name) + more for name, more in parts.items()})


@pytest.mark.parametrize("changes", range(5))
def test_a_kill_while_amending_leaves_the_old_design_or_the_new(
    study: Study, changes: int, tmp_path: Path
) -> None:
    old, new = study.design(), larger(study, tmp_path / "larger")
    dying = Dying(study.folder.root, changes)
    if changes < 3:
        with pytest.raises(Killed):
            freeze.amend(dying, new, [])
    else:
        freeze.amend(dying, new, [])
    store = LocalStore(study.folder.root)
    assert freeze.load_design(store) == (old if changes < 2 else new)
    assert len(freeze.locks(store)) == (1 if changes < 2 else 2)
    if changes < 2:
        freeze.amend(store, new, [])
    assert freeze.load_design(store) == new
    assert [e.kind for e in freeze.locks(store)] == ["freeze", "amend"]


def test_freezing_twice_at_once_gives_one_lock(study: Study, tmp_path: Path) -> None:
    root = tmp_path / "two"
    made = draligned.open(root)
    made.construct(tasks=1)

    class Late(LocalStore):
        """Another process freezes in the moment before this one writes its lock."""

        def put_if_absent(self, key: str, data: bytes) -> bool:
            if key == freeze.LOCK:
                LocalStore.put_if_absent(self, key, data)
            return super().put_if_absent(key, data)

    freeze.freeze(Late(root))
    assert len(made.locks()) == 1
    made.freeze()
    assert len(made.locks()) == 1


def test_without_a_design_the_command_that_makes_one_is_named(tmp_path: Path) -> None:
    for act in (freeze.load_design, freeze.freeze):
        with pytest.raises(DesignError, match="run `draligned construct` first"):
            act(LocalStore(tmp_path))


def test_a_first_lock_cut_short_is_damage(study: Study) -> None:
    store = study.folder.store
    store.replace(freeze.LOCK, (store.get(freeze.LOCK) or b"")[:40])
    with pytest.raises(DamageError, match=r"design\.lock is cut short"):
        study.locks()


def test_a_design_changed_by_hand_is_damage(study: Study) -> None:
    design = study.folder.root / freeze.DESIGN
    text = design.read_text("utf-8")
    design.write_text(text.replace('"domain":"', '"domain":"x', 1), encoding="utf-8")
    with pytest.raises(DamageError, match="changed after it was frozen"):
        study.design()


def test_an_amendment_holds_nothing_twice(study: Study) -> None:
    design = study.design()
    twice = design.model_copy(update={"cards": (*design.cards, design.cards[0])})
    pairs = design.model_copy(update={"conditions": (*design.conditions, design.conditions[0])})
    before = {k: study.folder.store.get(k) for k in study.folder.store.list("design")}
    for spoilt in (twice, pairs):
        with pytest.raises(DesignError, match="leave one out"):
            freeze.amend(study.folder.store, spoilt, ())
    assert before == {k: study.folder.store.get(k) for k in study.folder.store.list("design")}


def test_a_torn_lock_line_locks_nothing(study: Study, tmp_path: Path) -> None:
    store = study.folder.store
    store.append(freeze.LOCK, (store.get(freeze.LOCK) or b"")[:40])
    assert len(study.locks()) == 1
    freeze.amend(store, larger(study, tmp_path / "other"), [])
    assert [entry.kind for entry in study.locks()] == ["freeze", "amend"]
    assert len(study.design().cards) > 2


def test_a_torn_decision_is_set_aside_before_more_are_added(study: Study, tmp_path: Path) -> None:
    store, before = study.folder.store, study.decisions()
    store.append(freeze.DECISIONS, (store.get(freeze.DECISIONS) or b"")[:40])
    assert study.decisions() == before
    freeze.amend(store, larger(study, tmp_path / "other"), before[:1])
    assert study.decisions() == [*before, before[0]]


def test_of_two_amendments_at_once_one_is_made(study: Study, tmp_path: Path) -> None:
    old, new = study.design(), larger(study, tmp_path / "other")
    other = old.model_copy(update={"cards": (*old.cards, new.cards[-1])})
    together, refused = threading.Barrier(2), list[DesignError]()

    class Slow(LocalStore):
        """Waits a while, before the lock is written, for the other to come as far."""

        def append(self, key: str, data: bytes) -> None:
            if key == freeze.LOCK:
                with contextlib.suppress(threading.BrokenBarrierError):
                    together.wait(0.5)
            super().append(key, data)

    def amend(design: Design) -> None:
        try:
            freeze.amend(Slow(study.folder.root), design, [])
        except DesignError as error:
            refused.append(error)

    amending = [threading.Thread(target=amend, args=(design,)) for design in (new, other)]
    for thread in amending:
        thread.start()
    for thread in amending:
        thread.join()
    assert len(refused) == 1
    assert "amend again" in str(refused[0])
    assert study.design() in (new, other)
    assert [entry.kind for entry in study.locks()] == ["freeze", "amend"]


def test_a_lock_entry_changed_later_is_named(study: Study, tmp_path: Path) -> None:
    store = study.folder.store
    freeze.amend(store, larger(study, tmp_path / "other"), [])
    data = store.get(freeze.LOCK) or b""
    store.replace(freeze.LOCK, data.replace(b'"n_tasks":2', b'"n_tasks":3', 1))
    with pytest.raises(DamageError, match="chain is broken"):
        study.locks()


def test_arms_that_differ_in_more_than_the_endpoint_are_not_frozen(tmp_path: Path) -> None:
    study = draligned.open(tmp_path / "study")
    study.construct(tasks=1)
    design = study.design()
    p, q = design.conditions
    longer = q.model_copy(update={"turns": (q.turns[0].replace("任务：", "任务：请快些。", 1),)})
    wrong = design.model_copy(update={"conditions": (p, longer)})
    freeze.write_draft(study.folder.store, wrong, [])
    with pytest.raises(DesignError, match=r"task"):
        study.freeze()
    assert study.locks() == []
