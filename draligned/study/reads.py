"""Reads of evaluators on disk: one file a read, first writer wins; one protocol an evaluator."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from draligned.schema.errors import ConfigError
from draligned.schema.labels import ReadRole
from draligned.schema.packets import ReadRecord
from draligned.store.protocol import Store
from draligned.study.stored import stored


class ReadsOf(StrEnum):
    """What reads are made of; each sort is stored under a folder of its own."""

    STUDY = "reads"
    """The study's runs: data."""
    SENTINELS = "sentinels"
    """Packets with known answers, put among the study's own; never data."""
    GOLD = "qualification"
    """The gold set, by which an evaluator is qualified; never data."""


def read_key(evaluator_id: str, packet_id: str, role: ReadRole, of: ReadsOf = ReadsOf.STUDY) -> str:
    """Key of one read."""
    return f"{of.value}/{evaluator_id}/{packet_id}/{role.value}.json"


def lock_protocol(store: Store, evaluator_id: str, protocol_json: str) -> None:
    """Lock an evaluator's protocol. Raises `ConfigError` if another one is locked."""
    key = f"reads/{evaluator_id}/protocol.lock"
    if store.put_if_absent(key, protocol_json.encode()):
        return
    if store.get(key) != protocol_json.encode():
        raise ConfigError(
            "this evaluator read with another protocol; add it under a new name to read anew"
        )


def locked_protocol(store: Store, evaluator_id: str) -> str | None:
    """The locked protocol's JSON, if any."""
    data = store.get(f"reads/{evaluator_id}/protocol.lock")
    return None if data is None else data.decode()


def put_read(store: Store, record: ReadRecord, of: ReadsOf = ReadsOf.STUDY) -> bool:
    """Store a read; false if it is there already: the first answered reply is final."""
    key = read_key(record.evaluator_id, record.packet_id, record.role, of)
    return store.put_if_absent(key, record.to_json().encode())


def iter_reads(
    store: Store, evaluator_id: str, of: ReadsOf = ReadsOf.STUDY
) -> Iterator[ReadRecord]:
    """All reads of an evaluator, in a fixed order."""
    keys = store.list(f"{of.value}/{evaluator_id}")
    yield from _stored(store, (key for key in keys if key.endswith(".json")))


def reads_of(store: Store, evaluator_id: str, packets: Iterable[str]) -> Iterator[ReadRecord]:
    """An evaluator's reads of some packets, in the order of these."""
    return _stored(store, (read_key(evaluator_id, p, role) for p in packets for role in ReadRole))


def _stored(store: Store, keys: Iterable[str]) -> Iterator[ReadRecord]:
    for key in keys:
        data = store.get(key)
        if data is not None:
            yield stored(ReadRecord, data, key)
