"""Matched pairs and their values (DR-83 … DR-85, Q11, Q16).

A pair is task × user × factor × model × harness × environment: its first P and first Q run,
that is the planned run of smallest replicate, whatever became of it: membership is a property
of the design, and no run is chosen by its outcome (DR-34).
With `all_cross` every planned P run is crossed with every planned Q run of the cell.

d_A = m_P − m_Q, in [−2, 2]; d_F = sign(x_P − x_Q), in {−1, 0, 1}. Side columns: d_A halved,
x_P − x_Q raw and halved, the sign of the difference of the requests' ORs, and the difference of
mean x over main items.
"""

from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.keys import codes
from draligned.schema.base import short_id
from draligned.schema.labels import Side

CELL = ["task_id", "user_id", "factor_id", "model", "harness", "environment"]
COUNTS = ["n_requests", "n_identified", "n_p_only", "n_q_only", "n_both", "n_neither", "n_unknown"]
NOT_PLANNED = "not_planned"

Pairing = Literal["first", "all_cross"]

_ARM = [
    "run_id", "replicate", "run_state", "a_reason", *COUNTS, "m", "acq_bits", "acq_state",
    "final_bits", "final_state", "f_reason", "x", "x_items", "acq_x", "a_unlimited",
]  # fmt: skip
_WORDS = {
    "run_id": None, "run_state": None, "a_reason": NOT_PLANNED, "f_reason": NOT_PLANNED,
    "final_state": None, "acq_state": None,
}  # fmt: skip


def build_pairs(matrix: pd.DataFrame, pairing: Pairing) -> pd.DataFrame:
    """One row per planned pair × evaluator, sorted; from `build_matrix`.

    Integer columns of an arm without a planned run are 0, its reasons `not_planned`.
    """
    arms = matrix.rename(columns={"acq_reason": "a_reason", "final_reason": "f_reason"}).assign(
        x=rs.readout(matrix["final_bits"].to_numpy()),
        x_items=matrix["final_x_items"].to_numpy(dtype=float),
        acq_x=rs.readout(matrix["acq_bits"].to_numpy()),
        a_unlimited=((matrix["observes_a"] != "full") | (matrix["run_state"] != "done")).to_numpy(),
    )
    key = [*CELL, "evaluator"]
    sides = [_arm(arms, side, pairing) for side in (Side.P, Side.Q)]
    pairs = sides[0].merge(sides[1], on=key, how="outer", suffixes=("_p", "_q"))
    pairs = _fill(pairs)
    pairs = pairs.assign(pair_id=_ids(pairs, pairing))
    pairs = pairs.sort_values(["evaluator", "harness", "model", "task_id", "pair_id"])
    return _values(pairs.reset_index(drop=True))


def _arm(arms: pd.DataFrame, side: Side, pairing: Pairing) -> pd.DataFrame:
    rows = arms[arms["arm"] == side.value]
    if pairing == "first":
        cell = codes(rows, [*CELL, "evaluator"])
        order = np.lexsort((pd.factorize(rows["run_id"], sort=True)[0], _last(rows), cell))
        rows = rows.iloc[order[np.unique(cell[order], return_index=True)[1]]]
    return rows[[*CELL, "evaluator", *_ARM]]


def _last(rows: pd.DataFrame) -> NDArray[np.float64]:
    """Number of the repeat; a run without one comes last."""
    return rows["replicate"].to_numpy(dtype=np.float64, na_value=np.inf)


def _fill(pairs: pd.DataFrame) -> pd.DataFrame:
    filled: dict[str, pd.Series] = {}
    for suffix in ("_p", "_q"):
        for name in _ARM:
            column = pairs[name + suffix]
            if name in _WORDS:
                word = _WORDS[name]
                filled[name + suffix] = column if word is None else column.fillna(word)
            elif name != "replicate":
                filled[name + suffix] = _number(column, name)
    return pairs.assign(**filled)


def _number(column: pd.Series, name: str) -> pd.Series:
    default = rs.UNKNOWN if name.endswith("_bits") else int(name == "a_unlimited")
    kind: type = np.float64 if name in ("m", "x_items") else np.int64
    return column.astype("Float64").fillna(default).astype(kind)


def _ids(pairs: pd.DataFrame, pairing: Pairing) -> list[str]:
    names = CELL if pairing == "first" else [*CELL, "run_id_p", "run_id_q"]
    rows = pairs[names].astype(object).where(pairs[names].notna(), None)
    return [_id(row) for row in rows.itertuples(index=False, name=None)]


@lru_cache(maxsize=1 << 16)
def _id(names: tuple[str | None, ...]) -> str:
    """Asked for again by every evaluator and every setting of the same pairs."""
    return short_id("pair", *names)


def _values(pairs: pd.DataFrame) -> pd.DataFrame:
    x_p, x_q = pairs["x_p"].to_numpy(), pairs["x_q"].to_numpy()
    numerator, denominator = _acquisition_difference(pairs)
    return pairs.assign(
        a_status=_status(pairs, "a"),
        f_status=_status(pairs, "f"),
        d_a=numerator / np.maximum(denominator, 1),
        d_a_zero=numerator == 0,
        d_f=np.sign(x_p - x_q),
        d_f_raw=x_p - x_q,
        d_finals_mean=(pairs["x_items_p"] - pairs["x_items_q"]).to_numpy(),
        d_requests_sign=np.sign((pairs["acq_x_p"] - pairs["acq_x_q"]).to_numpy()),
    )


def _status(pairs: pd.DataFrame, channel: str) -> rs.Words:
    p_unread = (pairs[f"{channel}_reason_p"] != "").to_numpy()
    q_unread = (pairs[f"{channel}_reason_q"] != "").to_numpy()
    words = rs.choose(
        [p_unread & q_unread, p_unread, q_unread],
        ["unreadable_both", "unreadable_p", "unreadable_q"],
    )
    return np.where(words == "", "readable", words)


def _acquisition_difference(pairs: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """d_A as a fraction of whole numbers, so that no rounding decides whether it is zero."""
    net = {side: (pairs[f"n_p_only_{side}"] - pairs[f"n_q_only_{side}"]) for side in "pq"}
    n_p, n_q = pairs["n_identified_p"], pairs["n_identified_q"]
    return (net["p"] * n_q - net["q"] * n_p).to_numpy(), (n_p * n_q).to_numpy()
