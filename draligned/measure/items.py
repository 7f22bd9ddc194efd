"""Main advice of one read of one text: basis and presence bits (DR-63, DR-69, Q10).

An item is main advice when its actor is AGENT, its role MAIN and its action RECOMMEND or
CONDITION. Resolved items (direction not UNKNOWN) give basis and bits; REJECT items give
neither (DESIGN §7).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.keys import places
from draligned.schema.errors import InventoryError
from draligned.schema.labels import Action, Actor, ReadRole, Role

TEXT = ["text_sha256", "factor_id", "evaluator"]
READ = [*TEXT, "read"]

_STATES = {"missing": rs.MISSING, "void": rs.VOID, "oversize": rs.OVERSIZE, "ok": rs.OK}


LABELLING = (ReadRole.FIRST.value, ReadRole.MIRROR.value)


def summarise_reads(
    reads: pd.DataFrame, items: pd.DataFrame, roles: Sequence[str] = LABELLING
) -> pd.DataFrame:
    """One row per read of a text in one of `roles` (first, mirror), from checked tables.

    Columns: the read's keys, `state` (restore's codes), `cap_hit`, `n_main`, `n_resolved`,
    `bits` (OR over resolved main items), `x_sum` (sum of their x). Items of a read that is not
    `ok` count for nothing. Raises `InventoryError` for items of a read that is not listed.
    """
    chosen = reads["read"].isin(roles).to_numpy(dtype=bool)
    kept = reads[chosen].reset_index(drop=True)
    states = rs.encode(kept["status"], _STATES, "document_reads.status")
    main = items[is_main(items)]
    place = _places(chosen, main, reads)
    main, place = main[place >= 0], place[place >= 0]
    usable = states[place] == rs.OK
    main, place = main[usable], place[usable]
    out = kept[[*READ, "cap_hit"]].assign(state=states, n_main=_count(place, len(kept)))
    return out.assign(**_resolved(main, place, kept))


def is_main(items: pd.DataFrame) -> pd.Series:
    """Whether each item is main advice, by its actor, role and action."""
    advice = items["action"].isin([Action.RECOMMEND.value, Action.CONDITION.value])
    own = (items["actor"] == Actor.AGENT.value) & (items["role"] == Role.MAIN.value)
    return own & advice


def _places(chosen: rs.Flags, main: pd.DataFrame, reads: pd.DataFrame) -> NDArray[np.intp]:
    """Row among the chosen reads of each item's read, −1 for those left out."""
    place = places(main, reads, READ)
    if (place < 0).any():
        text = main.loc[place < 0, "text_sha256"].iloc[0]
        raise InventoryError(f"items: text {text[:16]} has items of a read that is not listed")
    return np.where(chosen, np.cumsum(chosen) - 1, -1)[place]


def _resolved(
    main: pd.DataFrame, place: NDArray[np.intp], kept: pd.DataFrame
) -> dict[str, NDArray[np.int64] | rs.Bits]:
    slots = rs.encode(main["direction"], rs.ITEM_BITS, "items.direction")
    known = slots != rs.UNKNOWN
    at = place[known]
    alpha = kept["alpha"].iloc[at].reset_index(drop=True)
    if (alpha.to_numpy() != main["alpha"].to_numpy()[known]).any():
        raise InventoryError("items: an item's orientation differs from its read's")
    bits = rs.restore(slots[known], alpha)
    size = len(kept)
    p_side = _count(at[(bits & rs.P_BIT) > 0], size) > 0
    q_side = _count(at[(bits & rs.Q_BIT) > 0], size) > 0
    x = rs.readout(bits)
    return {
        "n_resolved": _count(at, size),
        "bits": (rs.P_BIT * p_side + rs.Q_BIT * q_side).astype(np.int8),
        "x_sum": _count(at[x > 0], size) - _count(at[x < 0], size),
    }


def _count(place: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    return np.bincount(place, minlength=size).astype(np.int64)


def outside_main(reads: pd.DataFrame, items: pd.DataFrame) -> pd.DataFrame:
    """Presence bits of the items that are no main advice, found by both the first and the
    mirrored read of a text: `outside_bits` by text × factor × evaluator; texts without are not
    listed. The arguments are checked tables."""
    found = {}
    for role in LABELLING:
        ok = (reads["read"] == role) & (reads["status"] == "ok")
        rest = items[~is_main(items)].merge(reads.loc[ok, READ], on=READ)
        bits = rs.restore(
            rs.encode(rest["direction"], rs.ITEM_BITS, "items.direction"), rest["alpha"]
        )
        shown = rest[TEXT].assign(
            p=(bits > 0) & (bits & rs.P_BIT > 0), q=(bits > 0) & (bits & rs.Q_BIT > 0)
        )
        found[role] = shown.groupby(TEXT)[["p", "q"]].any()
    first, mirror = found["first"].align(found["mirror"], join="inner", axis=0)
    seen = rs.P_BIT * (first["p"] & mirror["p"]) + rs.Q_BIT * (first["q"] & mirror["q"])
    return seen.rename("outside_bits").reset_index()
