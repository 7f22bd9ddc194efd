"""Reads as columns: what tables are made from, without an object for every cell and item.

A study of the paper's size has some 600,000 cells and 700,000 items; as records they take
several times the memory of all tables together.
"""

from collections.abc import Iterable
from sys import intern
from typing import Any, NamedTuple

from draligned.schema.labels import ReadRole, Side, VoidReason
from draligned.schema.packets import CellRead, ItemRead, ReadRecord

Column = tuple[Any, ...]


class CellColumns(NamedTuple):
    """The cells of one read, in the order of the record."""

    request_no: Column
    status: Column
    label: Column
    reason: Column


class ItemColumns(NamedTuple):
    """The items of one read, in the order of the record."""

    entity_key: Column
    actor: Column
    role: Column
    action: Column
    strength: Column
    direction: Column


class ReadColumns(NamedTuple):
    """What tables need of one `ReadRecord`; words and quotes stay on disk."""

    packet_id: str
    kind: str
    factor_id: str
    evaluator_id: str
    protocol_sha256: str
    role: ReadRole
    alpha: Side
    void: VoidReason | None
    cells: CellColumns
    items: ItemColumns
    n_dropped: int
    cap_hit: bool

    @property
    def n_items(self) -> int:
        """Valid items."""
        return len(self.items.direction)


def as_columns(record: ReadRecord) -> ReadColumns:
    """The columns of one read; equal names are one text in memory, however many reads have it."""
    return ReadColumns(
        packet_id=intern(record.packet_id),
        kind=record.kind,
        factor_id=intern(record.factor_id),
        evaluator_id=intern(record.evaluator_id),
        protocol_sha256=intern(record.protocol_sha256),
        role=record.role,
        alpha=record.alpha,
        void=record.void,
        cells=CellColumns(*_turned(map(_cell, record.cells), len(CellColumns._fields))),
        items=ItemColumns(*_turned(map(_item, record.items), len(ItemColumns._fields))),
        n_dropped=len(record.dropped),
        cap_hit=record.cap_hit,
    )


def _turned(rows: Iterable[Column], width: int) -> Iterable[Column]:
    return tuple(zip(*rows, strict=True)) or ((),) * width


def _cell(cell: CellRead) -> Column:
    label, reason = cell.label, cell.reason
    return (
        cell.request_no, cell.status.value,
        None if label is None else label.value, None if reason is None else reason.value,
    )  # fmt: skip


def _item(item: ItemRead) -> Column:
    return (
        intern(item.entity_key), item.actor.value, item.role.value, item.action.value,
        item.strength.value, item.direction.value,
    )  # fmt: skip
