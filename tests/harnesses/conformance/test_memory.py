"""The store in memory does what the store on disk does."""

from pathlib import Path

from draligned.harnesses.conformance.memory import MemoryStore
from draligned.store.local import LocalStore
from draligned.store.protocol import Store


def used(store: Store) -> list[object]:
    """One use of everything that a run does with a store."""
    said: list[object] = [store.get("runs/a/x"), store.exists("runs/a/x")]
    said += [store.put_if_absent("runs/a/x", b"1"), store.put_if_absent("runs/a/x", b"2")]
    store.append("runs/a/log", b"one\n")
    store.append("runs/a/log", b"tw")
    aside = store.cut("runs/a/log", 4)
    said += [aside, store.get(aside), store.get("runs/a/log")]
    store.put_if_absent("runs/b/y", b"3")
    store.replace("runs/b/y", b"4")
    said += [store.get("runs/b/y"), store.list("runs"), store.folders("runs"), store.list("nope")]
    store.discard("runs/a")
    return [*said, store.list("runs"), store.exists("runs/a/x")]


def test_both_stores_say_the_same(tmp_path: Path) -> None:
    assert used(MemoryStore()) == used(LocalStore(tmp_path))


def test_a_copy_is_a_store_of_its_own() -> None:
    store = MemoryStore({"a": b"1"})
    copy = store.copy()
    copy.replace("a", b"2")
    assert (store.get("a"), copy.get("a")) == (b"1", b"2")
