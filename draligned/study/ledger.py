"""The attempt ledger: every try of every model and retrieval call, one line each."""

from draligned.schema.chat import AttemptRecord
from draligned.store.protocol import Store
from draligned.study.claims import this_owner
from draligned.study.stored import stored


def owner_name() -> str:
    """This process as a storage name."""
    return "".join(c if c.isalnum() else "-" for c in this_owner()).strip("-")


class Ledger:
    """Appends to this process's own ledger file; readers see all files."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._key = f"ledger/{owner_name()}.jsonl"

    def record(self, attempt: AttemptRecord) -> None:
        """Add one try."""
        self._store.append(self._key, attempt.to_json().encode() + b"\n")


def read_ledger(store: Store) -> list[AttemptRecord]:
    """All tries recorded; a torn last line (a kill in mid-write) is passed over."""
    out: list[AttemptRecord] = []
    for key in store.list("ledger"):
        lines = (store.get(key) or b"").split(b"\n")
        out.extend(stored(AttemptRecord, line, key) for line in lines[:-1])
    return out
