"""Rows by what some columns together say: as numbers, so that a table of texts is gone through
once a column and not once a comparison."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.intp]


def codes(frame: pd.DataFrame, names: Sequence[str]) -> Codes:
    """One number for each different row of some columns, in the order of first appearance; null
    is a value."""
    joint = np.zeros(len(frame), dtype=np.int64)
    for name in names:
        code, values = pd.factorize(frame[name], use_na_sentinel=False)
        joint = pd.factorize(joint * max(len(values), 1) + code)[0]
    return joint


def places(frame: pd.DataFrame, rows: pd.DataFrame, names: Sequence[str]) -> Codes:
    """Row of `rows`, which are unlike one another, that says the same in some columns as each row
    of `frame`; −1 where none does."""
    known = np.zeros(len(rows), dtype=np.int64)
    asked, there = np.zeros(len(frame), dtype=np.int64), np.ones(len(frame), dtype=bool)
    for name in names:
        own, words = pd.factorize(rows[name], use_na_sentinel=False)
        code, others = pd.factorize(frame[name], use_na_sentinel=False)
        same = pd.Index(words).get_indexer(pd.Index(others))[code]
        there &= same >= 0
        known, seen = pd.factorize(known * max(len(words), 1) + own)
        asked = pd.Index(seen).get_indexer(asked * max(len(words), 1) + same)
        there &= asked >= 0
    place = np.full(len(rows), -1, dtype=np.intp)
    place[known] = np.arange(len(rows))
    return np.where(there, place[asked], -1) if len(rows) else np.full(len(frame), -1)


def tally(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Each different row of some columns once, with `n`, how many rows say that."""
    code = codes(frame, names)
    first = np.unique(code, return_index=True)[1]
    alike = frame[list(names)].iloc[first]
    return alike.assign(n=np.bincount(code, minlength=len(first)).astype(np.int64))
