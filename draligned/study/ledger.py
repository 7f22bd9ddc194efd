"""The attempt ledger: every try of every model and retrieval call, one line each."""

from draligned.schema.chat import AttemptRecord, CallKey
from draligned.store.protocol import Store
from draligned.study.claims import this_owner
from draligned.study.lines import iter_lines


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


def lost_call(key: CallKey, provider: str, requested_model: str) -> AttemptRecord:
    """A call whose process was gone before its answer was written down.

    It may have been billed: its usage, cost and time are unknown.
    """
    return AttemptRecord(
        key=key,
        purpose="agent",
        provider=provider,
        requested_model=requested_model,
        echoed_model=None,
        try_no=1,
        started_utc="",
        seconds=0.0,
        waited_seconds=0.0,
        outcome="lost",
        http_status=None,
        usage=None,
        cost=None,
        detail="in flight when the process ended",
    )


def read_ledger(store: Store) -> list[AttemptRecord]:
    """All tries recorded; a torn last line (a kill in mid-write) is passed over."""
    return [a for key in store.list("ledger") for a in iter_lines(store, key, AttemptRecord)]
