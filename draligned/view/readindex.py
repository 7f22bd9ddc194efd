"""Which reads were made and what was wrong with them: looked up again at every page.

A read never changes once it is stored, so each file is read once; what a page has no time for is
left to the next one, and said.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal

from draligned.schema.errors import DamageError
from draligned.schema.labels import CellStatus, ReadRole
from draligned.schema.packets import ReadRecord
from draligned.study.folder import StudyFolder
from draligned.study.stored import stored

Quality = Literal["ok", "some_void", "dropped", "void", "damaged"]
"""`some_void`: some requests have no valid label; `dropped`: some items were not valid."""
BUDGET_SECONDS = 0.6
"""Processor time that one page may spend on reads it has not seen."""


@dataclass(frozen=True, kw_only=True)
class ReadRow:
    """One read, as the list shows it."""

    packet_id: str
    evaluator_id: str
    role: str
    kind: str
    factor_id: str
    quality: Quality
    reasons: tuple[str, ...]
    """Why the read, cells or items of it are not valid: each reason once, in order."""


@dataclass(frozen=True, kw_only=True)
class Reads:
    """The reads seen so far; `unseen` folders of packets are still to be looked at."""

    rows: tuple[ReadRow, ...]
    unseen: int


class ReadIndex:
    """The reads of one study. Pages come from several threads."""

    def __init__(self, folder: StudyFolder, *, budget: float = BUDGET_SECONDS) -> None:
        self._folder = folder
        self._budget = budget
        self._lock = Lock()
        self._seen: dict[tuple[str, str], tuple[int, tuple[ReadRow, ...]]] = {}

    def now(self) -> Reads:
        """All reads that there was time to look at, in the order of packets."""
        with self._lock:
            end = time.thread_time() + self._budget
            there = dict(_packets(self._folder.root / "reads"))
            unseen = 0
            for key, changed in there.items():
                known = self._seen.get(key)
                if known is not None and known[0] == changed:
                    continue
                if time.thread_time() < end:
                    self._seen[key] = (changed, tuple(self._read(*key)))
                else:
                    unseen += 1
            found = (self._seen[key][1] for key in sorted(there) if key in self._seen)
            return Reads(rows=tuple(row for rows in found for row in rows), unseen=unseen)

    def _read(self, evaluator_id: str, packet_id: str) -> Iterator[ReadRow]:
        store = self._folder.store
        for role in ReadRole:
            key = f"reads/{evaluator_id}/{packet_id}/{role.value}.json"
            data = store.get(key)
            if data is None:
                continue
            try:
                yield row_of(stored(ReadRecord, data, key))
            except DamageError as error:
                yield ReadRow(
                    packet_id=packet_id,
                    evaluator_id=evaluator_id,
                    role=role.value,
                    kind="",
                    factor_id="",
                    quality="damaged",
                    reasons=(str(error),),
                )


def row_of(read: ReadRecord) -> ReadRow:
    """What a read came to."""
    void = [c.reason.value for c in read.cells if c.status is CellStatus.VOID and c.reason]
    reasons = [read.void.value] if read.void else [*void, *(d.reason for d in read.dropped)]
    return ReadRow(
        packet_id=read.packet_id,
        evaluator_id=read.evaluator_id,
        role=read.role.value,
        kind=read.kind,
        factor_id=read.factor_id,
        quality=_quality(read, bool(void)),
        reasons=tuple(dict.fromkeys(reasons)),
    )


def _quality(read: ReadRecord, some_void: bool) -> Quality:
    if read.void is not None:
        return "void"
    if some_void:
        return "some_void"
    return "dropped" if read.dropped else "ok"


def _packets(root: Path) -> Iterator[tuple[tuple[str, str], int]]:
    """Evaluator and packet of every folder of reads, and when it was last changed (ns)."""
    try:
        with os.scandir(root) as evaluators:
            for evaluator in evaluators:
                if evaluator.is_dir():
                    with os.scandir(evaluator.path) as packets:
                        for packet in packets:
                            if packet.is_dir():
                                yield (evaluator.name, packet.name), packet.stat().st_mtime_ns
    except FileNotFoundError:
        return
