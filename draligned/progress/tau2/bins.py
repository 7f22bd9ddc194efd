"""Where in its run a checkpoint stands: five bins mid-task, ten over the whole run (SI-76, SI-77).

A position is the message's index between the first and the last checkpoint that count: 0 for the
first, 1 for the last. Ranks would be no such position: evenly spaced, they fill no bin less than
its neighbour.
"""

import numpy as np
import pandas as pd

from draligned.progress.tau2.frame import SHARED

MID, ALL = 5, 10
RUN = [name for name in SHARED if name in ("deployment", "results_sha256", "run_id", "task_id")]
RUN = [*RUN, "trial"]
"""What names one run."""


def binned(rows: pd.DataFrame, bins: int) -> pd.Series:
    """Bin 1 … `bins` of each row in its run; null where the run has one row alone (Q31)."""
    places = rows.groupby(RUN, sort=False, dropna=False)["index"]
    first, last = places.transform("min"), places.transform("max")
    span = (last - first).to_numpy(dtype=float)
    position = (rows["index"] - first).to_numpy(dtype=float) / np.where(span > 0, span, 1.0)
    found = np.minimum(np.floor(position * bins + 1e-9), bins - 1) + 1
    return pd.Series(found, index=rows.index, dtype="Int64").mask(span == 0)
