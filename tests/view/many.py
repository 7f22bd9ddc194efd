"""A study of many runs, made by copying the runs of a small one.

A copy is a further replicate: the log of the first replicate of its condition under its own id.
"""

from collections.abc import Iterator
from pathlib import Path

from draligned.schema.events import RunHeader, Seal
from draligned.schema.ids import request_packet_id
from draligned.schema.labels import ReadRole, RunSet
from draligned.schema.packets import ReadRecord
from draligned.store.local import LocalStore
from draligned.study.attempts import (
    events_key,
    read_header,
    read_seal,
    write_header,
    write_seal,
)
from draligned.study.freeze import load_design
from draligned.study.inventory import RunCell, cells
from draligned.study.plan import KEY, load_plan
from draligned.study.reads import put_read, read_key
from draligned.study.stored import stored

_MODE = "whole_run"


def grow(root: Path, replicates: int) -> int:
    """Raise the replicates of every block of the study at `root`; its planned runs."""
    store = LocalStore(root)
    plan = load_plan(store)
    blocks = tuple(b.model_copy(update={"replicates": replicates}) for b in plan.blocks)
    store.replace(KEY, plan.model_copy(update={"blocks": blocks}).to_json().encode() + b"\n")
    design, more = load_design(store), load_plan(store)
    readers = [e.evaluator_id for e in more.evaluators]
    first: dict[tuple[str, ...], RunCell] = {}
    planned = cells(design, more)
    for cell in planned:
        kind = (cell.condition_id, cell.model_key, cell.harness_key, cell.environment)
        if cell.run_set is RunSet.PANEL and first.setdefault(kind, cell) is not cell:
            _copy(store, first[kind], cell, readers)
    return len(planned)


def _copy(store: LocalStore, old: RunCell, new: RunCell, readers: list[str]) -> None:
    header, seal = read_header(store, old.run_id, 1), read_seal(store, old.run_id, 1)
    assert header is not None
    assert seal is not None
    log = store.get(events_key(old.run_id, 1))
    assert log is not None
    changed = {"run_id": new.run_id}
    store.put_if_absent(events_key(new.run_id, 1), log)
    write_header(store, RunHeader(**{**dict(header), **changed, "replicate": new.replicate}))
    write_seal(store, Seal(**{**dict(seal), **changed}))
    packets = [request_packet_id(r.run_id, r.factor_id, _MODE, 0) for r in (old, new)]
    for record in _reads(store, packets[0], readers):
        put_read(store, record.model_copy(update={"packet_id": packets[1]}))


def _reads(store: LocalStore, packet_id: str, readers: list[str]) -> Iterator[ReadRecord]:
    for reader in readers:
        for role in ReadRole:
            key = read_key(reader, packet_id, role)
            if (data := store.get(key)) is not None:
                yield stored(ReadRecord, data, key)
