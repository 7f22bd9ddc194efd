"""Strict validation of request reads, cell by cell (DR-48 … DR-50).

VOID, UNKNOWN, NEITHER and BOTH stay distinct: VOID says that the reply is unusable for this
cell, the others are what the evaluator said.
"""

from collections import defaultdict
from typing import Any, NamedTuple

from draligned.models.answers import Answer
from draligned.schema.labels import CellStatus, SlotLabel, VoidReason
from draligned.schema.packets import CellRead, DroppedItem, PacketRequest, RequestPacket
from draligned.schema.strictjson import clean_text

DIRECTIONAL = frozenset({SlotLabel.ALPHA_ONLY, SlotLabel.BETA_ONLY, SlotLabel.BOTH})
_LABELS = {label.value: label for label in SlotLabel}


class Cells(NamedTuple):
    """The cells of one read, and the entries of the reply that belong to none of them."""

    cells: tuple[CellRead, ...]
    dropped: tuple[DroppedItem, ...]


def validate_cells(answer: Answer, packet: RequestPacket, request_nos: tuple[int, ...]) -> Cells:
    """Every labelled request as a valid or a VOID cell; entries for other numbers are counted.

    `request_nos` are the run's numbers of the packet's labelled requests, in packet order.
    """
    labelled = [r for r in packet.requests if not r.context_only]
    entries = answer.get("cells")
    if not isinstance(entries, list):
        return Cells(void_cells(request_nos, VoidReason.BAD_SHAPE), ())
    given, dropped = _sort(entries, packet)
    cells = tuple(
        _cell(number, request, given[request.no])
        for number, request in zip(request_nos, labelled, strict=True)
    )
    return Cells(cells, tuple(dropped))


def void_cells(request_nos: tuple[int, ...], reason: VoidReason) -> tuple[CellRead, ...]:
    """The cells of a read that is unreadable as a whole."""
    return tuple(_void(number, reason) for number in request_nos)


def _sort(
    entries: list[Any], packet: RequestPacket
) -> tuple[defaultdict[int, list[dict[str, Any]]], list[DroppedItem]]:
    """Entries by packet number, and those that name no labelled request."""
    context = {r.no: r.context_only for r in packet.requests}
    given: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    dropped: list[DroppedItem] = []
    for index, entry in enumerate(entries):
        problem = _misplaced(entry, context)
        if problem is None:
            given[entry["no"]].append(entry)
        else:
            dropped.append(DroppedItem(index=index, reason=problem))
    return given, dropped


def _misplaced(entry: Any, context: dict[int, bool]) -> str | None:
    if not isinstance(entry, dict):
        return "not_an_object"
    number = entry.get("no")
    if type(number) is not int:
        return "no_number"
    if number not in context:
        return "unknown_number"
    return "context_only" if context[number] else None


def _cell(number: int, request: PacketRequest, entries: list[dict[str, Any]]) -> CellRead:
    if not entries:
        return _void(number, VoidReason.MISSING_CELL)
    if len(entries) > 1:
        return _void(number, VoidReason.DUPLICATE_CELL)
    given, said = entries[0].get("label"), entries[0].get("quote")
    raw = said if isinstance(said, str) else ""
    quote = clean_text(raw).text
    label = _LABELS.get(given) if isinstance(given, str) else None
    if label is None:
        return _void(number, VoidReason.INVALID_LABEL, quote)
    if label in DIRECTIONAL and not quote.strip():
        return _void(number, VoidReason.NO_QUOTE, quote)
    if label in DIRECTIONAL and raw not in request.request:
        return _void(number, VoidReason.QUOTE_NOT_FOUND, quote)
    return CellRead(request_no=number, status=CellStatus.VALID, label=label, quote=quote)


def _void(number: int, reason: VoidReason, quote: str = "") -> CellRead:
    return CellRead(
        request_no=number, status=CellStatus.VOID, label=None, quote=quote, reason=reason
    )
