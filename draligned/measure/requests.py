"""Labels of requests: identified when both mirrored reads agree (DR-56, DR-57)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.keys import codes
from draligned.schema.errors import InventoryError
from draligned.schema.labels import CellStatus, ReadRole, UnknownReason

UNIT = ["run_id", "factor_id", "request_no"]
CELL = [*UNIT, "evaluator"]
_FACTS = ["tool", "return_status", "delegation"]
_SAID = ["status", "label", "alpha"]
_WORDS = ["run_id", "factor_id", "tool", "return_status"]

_STATES = {
    CellStatus.MISSING.value: rs.MISSING,
    CellStatus.VOID.value: rs.VOID,
    CellStatus.VALID.value: rs.OK,
}


def label_requests(reads: pd.DataFrame, evaluators: Sequence[str]) -> pd.DataFrame:
    """One row per request × factor × evaluator, from checked `request_reads`.

    Columns: the cell's keys, `tool`, `return_status`, `delegation`, `alpha` (of the first read),
    `bits_first`, `bits_mirror`, `state_first`, `state_mirror` (restore's codes), `bits` (−1 unless
    identified), `reason` (blank when identified).
    A request read by one evaluator and not by another is UNKNOWN(read_missing) for the other.
    Retests never enter a label.
    """
    unit, first_rows = _units(reads)
    names = np.array(list(evaluators), dtype=object)
    size = len(first_rows) * len(names)
    who, found_names = pd.factorize(reads["evaluator"])
    place = pd.Index(names).get_indexer(found_names)[who] * len(first_rows) + unit
    states, bits, alphas = {}, {}, {}
    for role in (ReadRole.FIRST.value, ReadRole.MIRROR.value):
        rows = np.flatnonzero(reads["read"] == role)
        found = _said(reads[_SAID].iloc[rows])
        at = place[rows]
        states[role] = _put(found["state"], at, np.full(size, rs.ABSENT, dtype=np.int8))
        bits[role] = _put(found["bits"], at, np.full(size, rs.UNKNOWN, dtype=np.int8))
        alphas[role] = _put(found["alpha"], at, np.full(size, None, dtype=object))
    first, mirror = bits["first"], bits["mirror"]
    unread = rs.unread_reason(states["first"], states["mirror"])
    unlike = rs.choose(
        [(first == rs.UNKNOWN) | (mirror == rs.UNKNOWN), first != mirror],
        [UnknownReason.ABSTAINED.value, UnknownReason.MIRROR_DISAGREEMENT.value],
    )
    reason = rs.first_reason(unread, unlike)
    units = reads[[*UNIT, *_FACTS]].iloc[first_rows].astype(dict.fromkeys(_WORDS, "category"))
    cells = units.iloc[np.tile(np.arange(len(units)), len(names))]
    return cells.reset_index(drop=True).assign(
        evaluator=pd.Categorical.from_codes(
            np.repeat(np.arange(len(names)), len(units)), categories=pd.Index(names, dtype="str")
        ),
        bits_first=first,
        bits_mirror=mirror,
        alpha=pd.Series(alphas["first"], dtype="str"),
        read_first=states["first"] == rs.OK,
        read_mirror=states["mirror"] == rs.OK,
        state_first=states["first"],
        state_mirror=states["mirror"],
        bits=np.where(reason == "", first, rs.UNKNOWN).astype(np.int8),
        reason=reason,
    )


def _units(reads: pd.DataFrame) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number of each row's request × factor, in order of their names, and the first row of each."""
    unit = codes(reads, UNIT)
    first = np.unique(unit, return_index=True)[1]
    names = [pd.factorize(reads[name].iloc[first], sort=True)[0] for name in reversed(UNIT)]
    order = np.lexsort(names)
    first, unit = first[order], np.argsort(order)[unit]
    for name in _FACTS:
        code = pd.factorize(reads[name])[0]
        unlike = np.flatnonzero(code != code[first[unit]])
        if len(unlike):
            row = reads.iloc[unlike[0]]
            raise InventoryError(
                f"request_reads: request {row['request_no']} of run {row['run_id']} "
                "has two tools, return states or delegations"
            )
    return unit, first


def one_read(reads: pd.DataFrame, role: ReadRole) -> pd.DataFrame:
    """Cells of one read: `state_ROLE` (restore's codes), `bits_ROLE` (P, Q) and `alpha_ROLE`."""
    rows = reads[reads["read"] == role.value]
    said = _said(rows).add_suffix(f"_{role.value}").set_index(rows.index)
    return pd.concat([rows[CELL], said], axis=1)


def _said(reads: pd.DataFrame) -> pd.DataFrame:
    """What reads say: `state` (restore's codes), `bits` (P, Q), `alpha`."""
    states = rs.encode(reads["status"], _STATES, "request_reads.status")
    bits = np.full(len(reads), rs.UNKNOWN, dtype=np.int8)
    valid = states == rs.OK
    slots = rs.encode(reads.loc[valid, "label"], rs.SLOT_BITS, "request_reads.label")
    bits[valid] = rs.restore(slots, reads.loc[valid, "alpha"])
    return pd.DataFrame({"state": states, "bits": bits, "alpha": reads["alpha"].to_numpy(object)})


def _put(values: pd.Series, at: NDArray[np.intp], into: NDArray[Any]) -> NDArray[Any]:
    into[at] = values.to_numpy()
    return into
