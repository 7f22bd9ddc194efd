"""Labels of requests: identified when both mirrored reads agree (DR-56, DR-57)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from draligned.measure import restore as rs
from draligned.measure.checks import evaluator_column
from draligned.schema.errors import InventoryError
from draligned.schema.labels import CellStatus, ReadRole, UnknownReason

UNIT = ["run_id", "factor_id", "request_no"]
CELL = [*UNIT, "evaluator"]
_FACTS = ["tool", "return_status", "delegation"]

_STATES = {
    CellStatus.MISSING.value: rs.MISSING,
    CellStatus.VOID.value: rs.VOID,
    CellStatus.VALID.value: rs.OK,
}


def label_requests(reads: pd.DataFrame, evaluators: Sequence[str]) -> pd.DataFrame:
    """One row per request × factor × evaluator, from checked `request_reads`.

    Columns: the cell's keys, `tool`, `return_status`, `delegation`, `alpha` (of the first read),
    `bits_first`, `bits_mirror`, `bits` (−1 unless identified), `reason` (blank when identified).
    A request read by one evaluator and not by another is UNKNOWN(read_missing) for the other.
    Retests never enter a label.
    """
    cells = _units(reads).merge(evaluator_column(evaluators), how="cross")
    for role in (ReadRole.FIRST, ReadRole.MIRROR):
        cells = cells.merge(one_read(reads, role), on=CELL, how="left")
    states = [_filled(cells, f"state_{role}", rs.ABSENT) for role in ("first", "mirror")]
    first, mirror = (_filled(cells, f"bits_{role}", rs.UNKNOWN) for role in ("first", "mirror"))
    unread = rs.unread_reason(states[0], states[1])
    unlike = rs.choose(
        [(first == rs.UNKNOWN) | (mirror == rs.UNKNOWN), first != mirror],
        [UnknownReason.ABSTAINED.value, UnknownReason.MIRROR_DISAGREEMENT.value],
    )
    reason = rs.first_reason(unread, unlike)
    return cells[[*CELL, *_FACTS]].assign(
        bits_first=first,
        bits_mirror=mirror,
        alpha=cells["alpha_first"],
        read_first=states[0] == rs.OK,
        read_mirror=states[1] == rs.OK,
        bits=np.where(reason == "", first, rs.UNKNOWN).astype(np.int8),
        reason=reason,
    )


def _units(reads: pd.DataFrame) -> pd.DataFrame:
    units = reads[[*UNIT, *_FACTS]].drop_duplicates()
    twice = units.duplicated(UNIT)
    if twice.any():
        row = units[twice].iloc[0]
        raise InventoryError(
            f"request_reads: request {row['request_no']} of run {row['run_id']} "
            "has two tools, return states or delegations"
        )
    return units


def one_read(reads: pd.DataFrame, role: ReadRole) -> pd.DataFrame:
    """Cells of one read: `state_ROLE` (restore's codes), `bits_ROLE` (P, Q) and `alpha_ROLE`."""
    rows = reads[reads["read"] == role.value]
    states = rs.encode(rows["status"], _STATES, "request_reads.status")
    bits = np.full(len(rows), rs.UNKNOWN, dtype=np.int8)
    valid = states == rs.OK
    slots = rs.encode(rows.loc[valid, "label"], rs.SLOT_BITS, "request_reads.label")
    bits[valid] = rs.restore(slots, rows.loc[valid, "alpha"])
    name = role.value
    made = {f"state_{name}": states, f"bits_{name}": bits}
    return rows[CELL].assign(**made, **{f"alpha_{name}": rows["alpha"]})


def _filled(frame: pd.DataFrame, column: str, absent: int) -> rs.Bits:
    return frame[column].fillna(absent).to_numpy(dtype=np.int8)
