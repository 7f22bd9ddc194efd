"""Reads as the long tables that `measure` takes (schema/frames.py).

A planned read that was not made is a row with status `missing`; nothing is filled in. All
columns are of type object, so that a missing value stays None.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.evaluators.inventory import checked_index
from draligned.evaluators.orientation import PlannedRead, ReadPlan, alpha_of, planned_reads
from draligned.evaluators.packets import assigned_factors
from draligned.evaluators.read_columns import CellColumns, ReadColumns
from draligned.schema import frames
from draligned.schema.errors import InventoryError
from draligned.schema.frames import MeasureInputs
from draligned.schema.labels import CellStatus, ReadRole, VoidReason
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import EvalUnit


class _Slot(NamedTuple):
    """One read that was planned or made."""

    unit: EvalUnit
    evaluator: str
    read: PlannedRead
    record: ReadColumns | None


class _Part(NamedTuple):
    """Some rows of a table: columns that have one value in all of them, and the others."""

    n: int
    same: Mapping[str, Any]
    each: Mapping[str, Sequence[Any]] = {}


_Executed = Mapping[int, tuple[str, str, int | None]]
"""Tool, return status and delegation of a run's requests, by number."""


def collect(
    *,
    runs_table: pd.DataFrame,
    runs: Iterable[ObservedRun],
    units: Iterable[EvalUnit],
    reads: Iterable[ReadColumns],
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
    mine = (r for r in reads if r.evaluator_id in evaluators)
    plans = {e: plan.model_copy(update={"mirrored": False}) if e in single else plan
             for e in evaluators}  # fmt: skip
    slots = list(_slots(planned, checked_index(mine, planned, plan), evaluators, plans))
    documents = [s for s in slots if s.unit.kind == "document"]
    texts = ((run, factor) for run in observed.values() for factor in factors_of(run))
    return MeasureInputs(
        runs=runs_table,
        request_reads=_table(_request_parts(slots, observed), frames.REQUEST_READS),
        documents=_table((_text_rows(run, factor) for run, factor in texts), frames.DOCUMENTS),
        document_reads=_table((_Part(1, _document_row(s)) for s in documents),
                              frames.DOCUMENT_READS),
        items=_table((_items_of(s) for s in documents if s.record), frames.ITEMS),
    )  # fmt: skip


def _slots(
    units: Mapping[str, EvalUnit],
    found: Mapping[tuple[str, str, ReadRole], ReadColumns],
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


def _request_parts(slots: Iterable[_Slot], runs: Mapping[str, ObservedRun]) -> Iterator[_Part]:
    known: dict[str, _Executed] = {}
    for slot in slots:
        run_id = slot.unit.run_id
        if slot.unit.kind != "requests":
            continue
        if run_id is None or run_id not in runs:
            raise InventoryError(f"packet {slot.unit.packet_id}: run {run_id} is not given")
        if run_id not in known:
            known[run_id] = _executed(runs[run_id])
        yield _requests_of(slot, known[run_id])


def _executed(run: ObservedRun) -> _Executed:
    return {r.request_no: (r.tool, r.return_status.value, r.parent) for r in run.requests}


def _requests_of(slot: _Slot, executed: _Executed) -> _Part:
    numbers = slot.unit.request_nos
    cells = _cells_of(slot, executed)
    facts = [executed[number] for number in numbers]
    return _Part(
        len(numbers),
        {"run_id": slot.unit.run_id, "factor_id": slot.unit.factor_id, **_read_columns(slot)},
        {
            **cells._asdict(),
            "tool": [tool for tool, _, _ in facts],
            "return_status": [status for _, status, _ in facts],
            "delegation": [parent for _, _, parent in facts],
        },
    )


def _cells_of(slot: _Slot, executed: _Executed) -> CellColumns:
    """The cells of the packet's requests, in its order."""
    numbers = slot.unit.request_nos
    none, unread = (None,) * len(numbers), (CellStatus.MISSING.value,) * len(numbers)
    cells = slot.record.cells if slot.record else CellColumns(numbers, unread, none, none)
    place = {number: at for at, number in enumerate(cells.request_no)}
    for number in numbers:
        if number not in executed or number not in place:
            raise InventoryError(
                f"packet {slot.unit.packet_id}: request {number} is in the plan but not in the "
                "run or its read; the run has changed since it was read"
            )
    if cells.request_no == numbers:
        return cells
    return CellColumns(*(tuple(column[place[n]] for n in numbers) for column in cells))


def _text_rows(run: ObservedRun, factor_id: str) -> _Part:
    drafts = [("draft", d.version_no, d.seq, d.text_sha256) for d in run.drafts]
    final = [("final", None, run.final.seq, run.final.text_sha256)] if run.final else []
    rows = [*drafts, *final]
    names = ("role", "version_no", "seq", "text_sha256")
    each = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return _Part(len(rows), {"run_id": run.run_id, "factor_id": factor_id}, each)


def _document_row(slot: _Slot) -> dict[str, Any]:
    record = slot.record
    readable = record is not None and record.void is None
    return {
        **_document_key(slot),
        "status": _document_status(record),
        "reason": record.void.value if record and record.void else None,
        "n_items": record.n_items if record and readable else None,
        "n_dropped": record.n_dropped if record and readable else None,
        "cap_hit": record.cap_hit if record and readable else None,
    }


def _document_status(record: ReadColumns | None) -> str:
    if record is None:
        return "missing"
    if record.void is None:
        return "ok"
    return "oversize" if record.void is VoidReason.OVERSIZE else "void"


def _items_of(slot: _Slot) -> _Part:
    assert slot.record is not None
    n = slot.record.n_items
    each = {"item_no": range(1, n + 1), **slot.record.items._asdict()}
    return _Part(n, _document_key(slot), each)


def _document_key(slot: _Slot) -> dict[str, Any]:
    return {
        "text_sha256": slot.unit.text_sha256,
        "factor_id": slot.unit.factor_id,
        **_read_columns(slot),
    }


def _read_columns(slot: _Slot) -> dict[str, Any]:
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


def _table(parts: Iterable[_Part], columns: tuple[str, ...]) -> pd.DataFrame:
    """Rows sorted by what identifies them."""
    cells: dict[str, list[Any]] = {name: [] for name in columns}
    for part in parts:
        for name, values in cells.items():
            values.extend(part.each[name] if name in part.each else repeat(part.same[name], part.n))
    keys = [pd.factorize(_objects(cells[name]), sort=True)[0] for name in _KEYS[columns]]
    order = np.lexsort(keys[::-1])
    made = {name: _objects(cells.pop(name))[order] for name in columns}
    return pd.DataFrame(made, columns=list(columns), dtype=object, copy=False)


def _objects(values: list[Any]) -> NDArray[np.object_]:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
