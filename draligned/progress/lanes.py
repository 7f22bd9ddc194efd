"""What a design leaves on disk: its frozen stimuli, and one lane a deployment (SI-46, SI-67).

progress/<design>/design.json, design.lock
progress/<design>/lanes/<model key>/lane.json       who was asked, probes of the precheck
progress/<design>/lanes/<model key>/replies.jsonl   one reply a line, in the order they came
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from draligned import __version__
from draligned.schema.base import Record, sha256_of
from draligned.schema.errors import DamageError
from draligned.schema.progress import Lane, StageDesign, StageReply
from draligned.store.protocol import Store
from draligned.study.lines import iter_lines, mend_lines
from draligned.study.stored import stored

ROOT = "progress"


class DesignLock(Record):
    """Hash of a design, and when and by what it was frozen."""

    design_sha256: str
    n_stimuli: int
    repetitions: int
    locked_utc: str
    version: str


def freeze_design(store: Store, design: StageDesign) -> StageDesign:
    """The design as it is frozen in this study, by this call if it was not before.

    A frozen design stays, whatever this version of the package would write: the replies that
    are there were made to it.
    """
    key = f"{ROOT}/{design.name}/design.json"
    store.put_if_absent(key, design.to_json().encode() + b"\n")
    found = stored(StageDesign, store.get(key) or b"", key)
    lock = DesignLock(
        design_sha256=found.sha256(),
        n_stimuli=len(found.stimuli),
        repetitions=found.repetitions,
        locked_utc=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )
    store.put_if_absent(f"{ROOT}/{design.name}/design.lock", lock.to_json().encode() + b"\n")
    return load_design(store, design.name)


def load_design(store: Store, name: str) -> StageDesign:
    """A frozen design. Raises `DamageError` where it is not what was locked, or not there."""
    key = f"{ROOT}/{name}/design.json"
    found = stored(StageDesign, store.get(key) or b"", key)
    lock = stored(DesignLock, store.get(f"{ROOT}/{name}/design.lock") or b"", f"{name}/design.lock")
    if found.sha256() != lock.design_sha256:
        raise DamageError(f"{key} was changed after it was frozen")
    return found


def frozen_designs(store: Store) -> tuple[str, ...]:
    """Names of the designs of this study."""
    return tuple(n for n in store.folders(ROOT) if store.exists(f"{ROOT}/{n}/design.lock"))


def design_sha256(store: Store, name: str) -> str | None:
    """By which hash a design is locked; of a follow-up that stands for several, of all of theirs;
    none of what is no design."""
    found = [
        stored(DesignLock, store.get(f"{ROOT}/{n}/design.lock") or b"", f"{n}/design.lock")
        for n in frozen_designs(store)
        if n == name or n.startswith(f"{name}-")
    ]
    hashes = [lock.design_sha256 for lock in found]
    return hashes[0] if len(hashes) == 1 else sha256_of(hashes) if hashes else None


def put_lane(store: Store, lane: Lane) -> Lane:
    """Store a lane with its precheck; what was there first stays (SI-44: frozen)."""
    key = _lane_key(lane.design, lane.model_key)
    store.put_if_absent(key, lane.to_json().encode() + b"\n")
    return stored(Lane, store.get(key) or b"", key)


def find_lane(store: Store, design: str, model_key: str) -> Lane | None:
    """A lane, if its deployment was ever asked."""
    key = _lane_key(design, model_key)
    data = store.get(key)
    return None if data is None else stored(Lane, data, key)


def load_lanes(store: Store, design: str) -> tuple[Lane, ...]:
    """All lanes of a design, by name of the deployment."""
    keys = store.folders(f"{ROOT}/{design}/lanes")
    found = (find_lane(store, design, key) for key in keys)
    return tuple(sorted((lane for lane in found if lane), key=lambda lane: lane.deployment))


def add_reply(store: Store, reply: StageReply) -> None:
    """Append a reply to its lane."""
    key = _replies_key(reply.position.design, reply.position.model_key)
    store.append(key, reply.to_json().encode() + b"\n")


def mend(store: Store, design: str, model_key: str) -> str | None:
    """Set aside the end of a lane that a kill cut short; where it went, if anywhere.

    Only for the one who holds the lane's claim.
    """
    return mend_lines(store, _replies_key(design, model_key))


def iter_replies(store: Store, design: str, model_key: str) -> Iterator[StageReply]:
    """Replies of a lane in the order they came; a torn last line is passed over.

    Raises `DamageError` where a position has two: then which one counts is unknown.
    """
    key = _replies_key(design, model_key)
    seen: set[str] = set()
    for reply in iter_lines(store, key, StageReply):
        position = reply.position.position_id
        if position in seen:
            raise DamageError(f"{key}: position {position} has two replies")
        seen.add(position)
        yield reply


def _lane_key(design: str, model_key: str) -> str:
    return f"{ROOT}/{design}/lanes/{model_key}/lane.json"


def _replies_key(design: str, model_key: str) -> str:
    return f"{ROOT}/{design}/lanes/{model_key}/replies.jsonl"
