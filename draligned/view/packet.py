"""One packet: what was shown, and both mirrored reads next to each other."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from draligned.measure.restore import ITEM_BITS, SLOT_BITS
from draligned.measure.trajectories import restored
from draligned.report.shown import Shown, shown
from draligned.schema.errors import DamageError
from draligned.schema.labels import Side
from draligned.schema.packets import CellRead, ItemRead, ReadRecord
from draligned.study.folder import StudyFolder
from draligned.view.filters import asked
from draligned.view.loading import reads_of_packet
from draligned.view.owners import owners
from draligned.view.readindex import ReadRow, row_of
from draligned.view.run import ID
from draligned.view.site import page, site_of

REPLY_CHARS = 60_000
PACKET_CHARS = 200_000


@dataclass(frozen=True, kw_only=True)
class CellView:
    """What one read says of one request: restored to P and Q, or why it is void."""

    presence: str
    quote: Shown
    void: str


@dataclass(frozen=True, kw_only=True)
class ItemView:
    """One item as one read gives it."""

    entity: Shown
    presence: str
    words: tuple[str, ...]
    paragraphs: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ReadPage:
    """One read with all that belongs to it."""

    record: ReadRecord
    row: ReadRow
    cells: Mapping[int, CellView]
    items: tuple[ItemView, ...]
    shown: Shown | None
    reply: Shown | None


def show(request: Request) -> Response:
    """GET /reads/{packet_id}."""
    site = site_of(request)
    packet_id = request.path_params["packet_id"]
    if not ID.fullmatch(packet_id):
        raise HTTPException(404)
    now = site.index.now()
    evaluators = now.plan.ordered_evaluators
    chosen = [e for e in evaluators if e.evaluator_id == asked(request, "evaluator")]
    there = {
        e.evaluator_id: list(reads_of_packet(site.folder.store, e.evaluator_id, packet_id))
        for e in evaluators
    }
    evaluator = next((e for e in (*chosen, *evaluators) if there[e.evaluator_id]), None)
    if evaluator is None:
        raise HTTPException(404)
    reads = [_read_page(site.folder, r) for r in there[evaluator.evaluator_id]]
    first = reads[0].record
    return page(
        request,
        "packet.html",
        packet_id=packet_id,
        reads=reads,
        numbers=sorted({n for r in reads for n in r.cells}),
        evaluator=evaluator,
        evaluators=[e for e in evaluators if there[e.evaluator_id]],
        card=next((c for c in now.design.cards if c.factor_id == first.factor_id), None),
        runs=owners(site, now, first, asked(request, "run")),
        kind=first.kind,
    )


def _read_page(folder: StudyFolder, record: ReadRecord) -> ReadPage:
    return ReadPage(
        record=record,
        row=row_of(record),
        cells={c.request_no: _cell(c, record.alpha) for c in record.cells},
        items=tuple(_item(i, record.alpha) for i in record.items),
        shown=_text(folder, record.packet_sha256, PACKET_CHARS),
        reply=None
        if record.reply_sha256 is None
        else _text(folder, record.reply_sha256, REPLY_CHARS),
    )


def _text(folder: StudyFolder, sha256: str, limit: int) -> Shown | None:
    try:
        return shown(folder.blobs.get(sha256), limit)
    except DamageError:
        return None


def _cell(cell: CellRead, alpha: Side) -> CellView:
    said = [] if cell.label is None else restored([cell.label], SLOT_BITS, alpha)
    return CellView(
        presence=next(iter(said), ""),
        quote=shown(cell.quote, 400),
        void=cell.reason.value if cell.reason else "",
    )


def _item(item: ItemRead, alpha: Side) -> ItemView:
    return ItemView(
        entity=shown(item.entity_key, 300),
        presence=restored([item.direction], ITEM_BITS, alpha)[0].value,
        words=(item.actor.value, item.role.value, item.action.value, item.strength.value),
        paragraphs=item.paragraph_ids,
    )
