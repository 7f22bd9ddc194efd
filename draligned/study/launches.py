"""The launch log: which arm of a pair was started first, and when."""

from draligned.schema.base import Record
from draligned.schema.labels import Side
from draligned.store.protocol import Store
from draligned.study.ledger import owner_name
from draligned.study.lines import iter_lines
from draligned.study.log import now


class LaunchRecord(Record):
    """One start of an episode."""

    pair_id: str
    run_id: str
    arm: Side
    place: int
    """1 for the first of the pair."""
    started_with: int
    """How many cells of the pair started in that moment."""
    utc: str
    pilot: int | None = None
    """So many pairs of each model and harness were asked for at most; none: all of them."""


def record_launch(
    store: Store,
    *,
    pair_id: str,
    run_id: str,
    arm: Side,
    place: int,
    started_with: int,
    pilot: int | None = None,
) -> None:
    """Add one start to this process's launch log."""
    record = LaunchRecord(
        pair_id=pair_id,
        run_id=run_id,
        arm=arm,
        place=place,
        started_with=started_with,
        utc=now()[0],
        pilot=pilot,
    )
    store.append(f"launches/{owner_name()}.jsonl", record.to_json().encode() + b"\n")


def pilot_of(store: Store) -> int | None:
    """Most pairs that a pilot asked for, if every start so far was a pilot's; else none.

    A line that a kill cut short is passed over. Raises `DamageError` for one that is no record.
    """
    asked = [
        launch.pilot
        for key in store.list("launches")
        for launch in iter_lines(store, key, LaunchRecord)
    ]
    found = [n for n in asked if n is not None]
    return max(found) if found and len(found) == len(asked) else None
