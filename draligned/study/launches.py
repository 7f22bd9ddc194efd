"""The launch log: which arm of a pair was started first, and when."""

from draligned.schema.base import Record
from draligned.schema.labels import Side
from draligned.store.protocol import Store
from draligned.study.ledger import owner_name
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


def record_launch(
    store: Store, *, pair_id: str, run_id: str, arm: Side, place: int, started_with: int
) -> None:
    """Add one start to this process's launch log."""
    record = LaunchRecord(
        pair_id=pair_id,
        run_id=run_id,
        arm=arm,
        place=place,
        started_with=started_with,
        utc=now()[0],
    )
    store.append(f"launches/{owner_name()}.jsonl", record.to_json().encode() + b"\n")
