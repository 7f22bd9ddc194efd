"""Reads as the long tables that `measure` takes (schema/frames.py).

A planned read that was not made is a row with status `missing`; nothing is filled in. All
columns are of type object, so that a missing value stays None.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from draligned.evaluators.inventory import checked_index
from draligned.evaluators.orientation import PlannedRead, ReadPlan, alpha_of, planned_reads
from draligned.evaluators.packets import assigned_factors
from draligned.schema import frames
from draligned.schema.errors import InventoryError
from draligned.schema.frames import MeasureInputs
from draligned.schema.labels import CellStatus, ReadRole, VoidReason
from draligned.schema.observed import ObservedRequest, ObservedRun
from draligned.schema.packets import CellRead, EvalUnit, ReadRecord

_Row = dict[str, Any]


class _Slot(NamedTuple):
    """One read that was planned or made."""

    unit: EvalUnit
    evaluator: str
    read: PlannedRead
    record: ReadRecord | None


def collect(
    *,
    runs_table: pd.DataFrame,
    runs: Iterable[ObservedRun],
    units: Iterable[EvalUnit],
    reads: Iterable[ReadRecord],
    evaluators: Mapping[str, str],
    plan: ReadPlan,
    single: Collection[str] = (),
    factors_of: Callable[[ObservedRun], Iterable[str]] = assigned_factors,
) -> MeasureInputs:
    """The tables of a study; row order is by ids, whatever the order given.

    `runs_table` is passed through. `evaluators` maps evaluator ids to the names shown; reads by
    others are left out. Of the evaluators in `single` no mirrored read was asked, whatever
    `plan` says: none of theirs is missing. Reads that were made although `plan` no longer asks
    for them (a mirror, a retest) are kept. Raises `InventoryError` for mixed protocols, a read
    given twice, and reads of packets or orientations that were not planned.
    """
    observed = {run.run_id: run for run in runs}
    planned = {unit.packet_id: unit for unit in units}
    mine = [r for r in reads if r.evaluator_id in evaluators]
    plans = {e: plan.model_copy(update={"mirrored": False}) if e in single else plan
             for e in evaluators}  # fmt: skip
    slots = list(_slots(planned, checked_index(mine, planned, plan), evaluators, plans))
    requests = [s for s in slots if s.unit.kind == "requests"]
    documents = [s for s in slots if s.unit.kind == "document"]
    texts = ((run, factor) for run in observed.values() for factor in factors_of(run))
    return MeasureInputs(
        runs=runs_table,
        request_reads=_table(
            (row for s in requests for row in _request_rows(s, observed)), frames.REQUEST_READS
        ),
        documents=_table(
            (row for run, factor in texts for row in _text_rows(run, factor)), frames.DOCUMENTS
        ),
        document_reads=_table((_document_row(s) for s in documents), frames.DOCUMENT_READS),
        items=_table((row for s in documents for row in _item_rows(s)), frames.ITEMS),
    )


def _slots(
    units: Mapping[str, EvalUnit],
    found: Mapping[tuple[str, str, ReadRole], ReadRecord],
    evaluators: Mapping[str, str],
    plans: Mapping[str, ReadPlan],
) -> Iterator[_Slot]:
    for packet_id, unit in units.items():
        for evaluator_id, name in evaluators.items():
            plan = plans[evaluator_id]
            asked = {read.role for read in planned_reads(packet_id, plan)}
            for role in ReadRole:
                record = found.get((packet_id, evaluator_id, role))
                if record or role in asked:
                    read = PlannedRead(role, alpha_of(packet_id, plan.seed, role))
                    yield _Slot(unit, name, read, record)


def _request_rows(slot: _Slot, runs: Mapping[str, ObservedRun]) -> Iterator[_Row]:
    run = runs.get(slot.unit.run_id or "")
    if run is None:
        raise InventoryError(f"packet {slot.unit.packet_id}: run {slot.unit.run_id} is not given")
    requests = {r.request_no: r for r in run.requests}
    cells = {c.request_no: c for c in slot.record.cells} if slot.record else {}
    for number in slot.unit.request_nos:
        cell = cells.get(number)
        if number not in requests or (slot.record and cell is None):
            raise InventoryError(
                f"packet {slot.unit.packet_id}: request {number} is in the plan but not in the "
                "run or its read; the run has changed since it was read"
            )
        yield _request_row(slot, run.run_id, requests[number], cell)


def _request_row(slot: _Slot, run_id: str, request: ObservedRequest, cell: CellRead | None) -> _Row:
    return {
        "run_id": run_id,
        "factor_id": slot.unit.factor_id,
        "request_no": request.request_no,
        "tool": request.tool,
        "return_status": request.return_status.value,
        "delegation": request.parent,
        **_read_columns(slot),
        "status": cell.status.value if cell else CellStatus.MISSING.value,
        "label": cell.label.value if cell and cell.label else None,
        "reason": cell.reason.value if cell and cell.reason else None,
    }


def _text_rows(run: ObservedRun, factor_id: str) -> Iterator[_Row]:
    same = {"run_id": run.run_id, "factor_id": factor_id}
    for draft in run.drafts:
        yield {
            **same,
            "role": "draft",
            "version_no": draft.version_no,
            "seq": draft.seq,
            "text_sha256": draft.text_sha256,
        }
    if run.final:
        yield {
            **same,
            "role": "final",
            "version_no": None,
            "seq": run.final.seq,
            "text_sha256": run.final.text_sha256,
        }


def _document_row(slot: _Slot) -> _Row:
    record = slot.record
    readable = record is not None and record.void is None
    return {
        **_document_key(slot),
        "status": _document_status(record),
        "reason": record.void.value if record and record.void else None,
        "n_items": len(record.items) if record and readable else None,
        "n_dropped": len(record.dropped) if record and readable else None,
        "cap_hit": record.cap_hit if record and readable else None,
    }


def _document_status(record: ReadRecord | None) -> str:
    if record is None:
        return "missing"
    if record.void is None:
        return "ok"
    return "oversize" if record.void is VoidReason.OVERSIZE else "void"


def _item_rows(slot: _Slot) -> Iterator[_Row]:
    for number, item in enumerate(slot.record.items if slot.record else (), start=1):
        yield {
            **_document_key(slot),
            "item_no": number,
            "entity_key": item.entity_key,
            "actor": item.actor.value,
            "role": item.role.value,
            "action": item.action.value,
            "strength": item.strength.value,
            "direction": item.direction.value,
        }


def _document_key(slot: _Slot) -> _Row:
    return {
        "text_sha256": slot.unit.text_sha256,
        "factor_id": slot.unit.factor_id,
        **_read_columns(slot),
    }


def _read_columns(slot: _Slot) -> _Row:
    return {
        "evaluator": slot.evaluator,
        "read": slot.read.role.value,
        "alpha": slot.read.alpha.value,
    }


_KEYS = {
    frames.RUNS: ("run_id",),
    frames.REQUEST_READS: ("run_id", "factor_id", "request_no", "evaluator", "read"),
    frames.DOCUMENTS: ("run_id", "factor_id", "role", "seq"),
    frames.DOCUMENT_READS: ("text_sha256", "factor_id", "evaluator", "read"),
    frames.ITEMS: ("text_sha256", "factor_id", "evaluator", "read", "item_no"),
}
"""The columns that identify a row of each table."""


def _table(rows: Iterable[_Row], columns: tuple[str, ...]) -> pd.DataFrame:
    """Rows sorted by what identifies them."""
    ordered = sorted(rows, key=lambda row: tuple(row[k] for k in _KEYS[columns]))
    return pd.DataFrame(ordered, columns=list(columns), dtype=object)
