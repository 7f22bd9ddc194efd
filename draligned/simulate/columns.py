"""Columns of label tables, filled by code instead of row by row."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.schema.labels import CellStatus, ItemDirection, SlotLabel
from draligned.simulate.behaviour import BOTH, NEITHER, Leans
from draligned.simulate.reading import UNKNOWN, VOID, Flags


def words(vocabulary: Sequence[str], codes: NDArray[np.integer]) -> pd.Series:
    """The word of each code, null for −1."""
    return pd.Series(pd.array(list(vocabulary), dtype="str").take(codes, allow_fill=True))


def repeated(word: str | None, size: int) -> pd.Series:
    """One word, or null, in every row."""
    return words([word or ""], np.full(size, -1 if word is None else 0))


_LABELS = (
    SlotLabel.NEITHER.value, SlotLabel.BETA_ONLY.value, SlotLabel.ALPHA_ONLY.value,
    SlotLabel.BOTH.value, SlotLabel.UNKNOWN.value,
)  # fmt: skip
_DIRECTIONS = (
    ItemDirection.NEITHER.value, ItemDirection.SLOT2.value, ItemDirection.SLOT1.value,
    ItemDirection.BOTH.value, ItemDirection.UNKNOWN.value,
)  # fmt: skip
_OPPOSITE = np.array([0, 2, 1, 3], dtype=np.int8)


def slots(said: Leans, own_is_alpha: Flags) -> Leans:
    """Codes relative to the run's endpoint as slot codes: 2 is ALPHA alone, 1 BETA alone.

    UNKNOWN becomes 4 and VOID −1.
    """
    known = np.clip(said, NEITHER, BOTH)
    turned = np.where(own_is_alpha, known, _OPPOSITE[known])
    return np.select([said == UNKNOWN, said == VOID], [4, -1], turned).astype(np.int8)


def labels(slot: Leans) -> pd.Series:
    """Slot labels of requests, null for void cells."""
    return words(_LABELS, slot)


def directions(slot: Leans) -> pd.Series:
    """Slot directions of items."""
    return words(_DIRECTIONS, slot)


def cell_status(slot: Leans) -> pd.Series:
    """Whether a request's cell of a read is valid."""
    return words((CellStatus.VALID.value, CellStatus.VOID.value), (slot < 0).astype(np.intp))
