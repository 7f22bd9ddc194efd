"""From anonymous slots back to P and Q, and the rule for two mirrored reads (DR-55 … DR-57).

Presence is a small integer whose two bits are (P, Q): P_ONLY 10, Q_ONLY 01, BOTH 11,
NEITHER 00; −1 is UNKNOWN. Everything here works on arrays.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.schema.errors import InventoryError
from draligned.schema.labels import ItemDirection, Presence, Side, SlotLabel, UnknownReason

Bits = NDArray[np.int8]
Flags = NDArray[np.bool_]
Words = NDArray[np.object_]

UNKNOWN = -1
P_BIT = 2
Q_BIT = 1

SLOT_BITS: Mapping[str, int] = {
    SlotLabel.NEITHER.value: 0,
    SlotLabel.BETA_ONLY.value: 1,
    SlotLabel.ALPHA_ONLY.value: 2,
    SlotLabel.BOTH.value: 3,
    SlotLabel.UNKNOWN.value: UNKNOWN,
}
ITEM_BITS: Mapping[str, int] = {
    ItemDirection.NEITHER.value: 0,
    ItemDirection.SLOT2.value: 1,
    ItemDirection.SLOT1.value: 2,
    ItemDirection.BOTH.value: 3,
    ItemDirection.UNKNOWN.value: UNKNOWN,
}

_PRESENCE = np.array(
    [
        Presence.NEITHER.value, Presence.Q_ONLY.value, Presence.P_ONLY.value,
        Presence.BOTH.value, Presence.UNKNOWN.value,
    ],
    dtype=object,
)  # fmt: skip
_SWAPPED = np.array([0, 2, 1, 3, UNKNOWN], dtype=np.int8)
_X = np.array([0, -1, 1, 0, 0], dtype=np.int8)

ABSENT, MISSING, VOID, OVERSIZE, OK = 0, 1, 2, 3, 4
"""State of one read: no such read was planned; planned, not there; unreadable; too long; read."""


_STRANGE = -128


def encode(values: pd.Series, codes: Mapping[str, int], what: str) -> NDArray[np.int8]:
    """Codes of words. Raises `InventoryError` on a word outside the closed set."""
    place, words = pd.factorize(values)
    known = np.array([codes.get(word, _STRANGE) for word in words] + [_STRANGE], dtype=np.int8)
    found: NDArray[np.int8] = known[place]
    if (found == _STRANGE).any():
        word = values.iloc[int(np.argmax(found == _STRANGE))]
        raise InventoryError(f"{what}: {word!r} is not one of {', '.join(codes)}")
    return found


def restore(slot_bits: Bits, alpha: pd.Series) -> Bits:
    """Slot bits (ALPHA, BETA) as bits (P, Q), by which endpoint stood in ALPHA."""
    sides = encode(alpha, {Side.P.value: 0, Side.Q.value: 1}, "alpha")
    return np.where(sides == 1, swap(slot_bits), slot_bits)


def swap(bits: Bits) -> Bits:
    """P and Q exchanged."""
    swapped: Bits = _SWAPPED[bits]
    return swapped


def presence_words(bits: NDArray[Any]) -> Words:
    """Presence as words."""
    words: Words = _PRESENCE[bits]
    return words


def readout(bits: NDArray[Any]) -> NDArray[np.int8]:
    """x = P bit − Q bit; BOTH and NEITHER are 0 (Q18). UNKNOWN gives 0: mask it."""
    x: NDArray[np.int8] = _X[bits]
    return x


def unread_reason(first: NDArray[Any], mirror: NDArray[Any]) -> Words:
    """Why two reads cannot be compared, "" where they can; by state of each read.

    First that holds: oversize, first read not there, no mirrored read planned,
    mirrored read not there, a void read.
    """
    conditions = [
        (first == OVERSIZE) | (mirror == OVERSIZE),
        (first == ABSENT) | (first == MISSING),
        mirror == ABSENT,
        mirror == MISSING,
        (first == VOID) | (mirror == VOID),
    ]
    reasons = [
        UnknownReason.OVERSIZE, UnknownReason.READ_MISSING, UnknownReason.SINGLE_READ,
        UnknownReason.READ_MISSING, UnknownReason.VOID_READ,
    ]  # fmt: skip
    return choose(conditions, [reason.value for reason in reasons])


def choose(conditions: list[NDArray[Any]], words: list[str]) -> Words:
    """The word of the first condition that holds in each place, "" where none does."""
    out = np.full(len(conditions[0]), "", dtype=object)
    for condition, word in zip(reversed(conditions), reversed(words), strict=True):
        out[condition] = word
    return out


def only(known: NDArray[Any], words: Words) -> Words:
    """Words where known, null elsewhere."""
    out = words.copy()
    out[~known] = None
    return out


def none_if_blank(words: Words) -> Words:
    """Null instead of the blank word."""
    return only(words != "", words)


def first_reason(before: Words, after: Words) -> Words:
    """The reason in `before` where it is not blank, else that in `after`."""
    out = after.copy()
    out[before != ""] = before[before != ""]
    return out
