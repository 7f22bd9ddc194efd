"""Sequences of units from a path's letters."""

import numpy as np
import pandas as pd

from draligned.measure.sequences import Sequences

STATE = {"N": 0, "X": 1, "O": 2, "B": 3, "?": -1}


def sequences(*paths: str, in_full: bool = True) -> Sequences:
    """Request sequences from paths."""
    letters = "".join(paths)
    none = np.array([None] * len(letters), dtype=object)
    return Sequences(
        unit="request",
        heads=pd.DataFrame({"in_full": [in_full] * len(paths), "reason": ""}),
        of=np.repeat(np.arange(len(paths)), [len(p) for p in paths]),
        role=np.array(["request"] * len(letters), dtype=object),
        no=np.concatenate([np.arange(1, len(p) + 1) for p in paths] or [np.array([], dtype=int)]),
        state=np.array([STATE[c] for c in letters], dtype=np.int64),
        text=none,
    )
