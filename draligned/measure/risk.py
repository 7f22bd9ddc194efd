"""The risk set of draft-to-final comparisons by readable start state (DR-99, Q15)."""

import numpy as np
import pandas as pd

from draligned.measure.contrasts import ALL_MODELS
from draligned.schema.labels import DocState

_STATES = {
    "n_own": DocState.OWN_ONLY,
    "n_other": DocState.OTHER_ONLY,
    "n_both": DocState.BOTH,
    "n_none": DocState.NONE,
}
_BY = ["evaluator", "harness", "model", "start", "unit"]
UNIT = "run with a final and a readable start state"


def risk_set(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Counts of start states, the start being a run's first or its last draft before the final;
    the final's own label need not be readable. One row per evaluator × harness × model × start;
    none for harnesses that submit the saved draft itself (DR-23). From `retained.comparisons`."""
    own = (comparisons["scope"] == "within_run") & (comparisons["start_bits"] >= 0)
    rows = comparisons[own.to_numpy(dtype=bool)]
    states = rows["start_state"]
    counts = {name: (states == s.value).astype(np.int64) for name, s in _STATES.items()}
    names = rows[["evaluator", "harness", "model", "start"]]
    units = names.assign(unit=UNIT, n=1, **counts)
    both = pd.concat([units, units.assign(model=ALL_MODELS)], ignore_index=True)
    return both.groupby(_BY, sort=True)[["n", *_STATES]].sum().reset_index()
