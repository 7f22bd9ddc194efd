"""What one read says by itself, in terms of P and Q.

A study's labels take two reads and are made by measure; a packet with a known answer is asked
once a wave, and its one read is set beside the answer.
"""

from draligned.schema.human import presence_of
from draligned.schema.labels import (
    Action,
    Actor,
    CellStatus,
    ItemDirection,
    Presence,
    Role,
    Side,
)
from draligned.schema.packets import ItemRead, ReadRecord

DOCUMENT = 0
"""The number that stands for the document itself."""


def said(record: ReadRecord) -> dict[int, Presence | None]:
    """By request number, or under `DOCUMENT`; none where the read is unreadable.

    A document is UNKNOWN without resolved main advice, and where unresolved main advice stands
    beside advice for neither end (the default rule for unresolved items).
    """
    if record.kind == "requests":
        return {
            cell.request_no: presence_of(cell.label, record.alpha)
            if cell.status is CellStatus.VALID and cell.label is not None
            else None
            for cell in record.cells
        }
    return {DOCUMENT: None if record.void is not None else _of_items(record.items, record.alpha)}


def _of_items(items: tuple[ItemRead, ...], alpha: Side) -> Presence:
    main = [i.direction for i in items if is_main_advice(i)]
    resolved = [d for d in main if d is not ItemDirection.UNKNOWN]
    ends = {side for d in resolved for side in _ENDS.get(d, ())}
    if not resolved or (not ends and len(resolved) < len(main)):
        return Presence.UNKNOWN
    if len(ends) == 2:
        return Presence.BOTH
    if not ends:
        return Presence.NEITHER
    return Presence(f"{alpha if 1 in ends else alpha.other}_ONLY")


_ENDS = {
    ItemDirection.SLOT1: (1,),
    ItemDirection.SLOT2: (2,),
    ItemDirection.BOTH: (1, 2),
}


def is_main_advice(item: ItemRead) -> bool:
    """Whether an item is the author's own main advice (DR-63, Q9)."""
    advised = item.action in (Action.RECOMMEND, Action.CONDITION)
    return item.actor is Actor.AGENT and item.role is Role.MAIN and advised
