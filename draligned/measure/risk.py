"""The risk set of draft-to-final comparisons by readable start state (DR-99, Q15)."""

import numpy as np
import pandas as pd

from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.persistence import comparable
from draligned.schema.labels import DocState

_STATES = {
    "n_own": DocState.OWN_ONLY,
    "n_other": DocState.OTHER_ONLY,
    "n_both": DocState.BOTH,
    "n_none": DocState.NONE,
}
_BY = ["evaluator", "harness", "model", "start", "unit"]
UNIT = "run with a final and a readable start state"


def risk_set(matrix: pd.DataFrame) -> pd.DataFrame:
    """Counts of start states, the start being a run's first or its last draft; the final's own
    label need not be readable. One row per evaluator × harness × model × start; none for
    harnesses that submit the saved draft itself (DR-23)."""
    matrix = comparable(matrix)
    final = matrix["final_sha256"].notna() & (matrix["run_state"] == "done")
    parts = []
    for start in ("first_draft", "last_draft"):
        rows = matrix[final & (matrix[f"{start}_reason"] == "")]
        states = rows[f"{start}_state"]
        counts = {name: (states == s.value).astype(np.int64) for name, s in _STATES.items()}
        names = rows[["evaluator", "harness", "model"]]
        parts.append(names.assign(start=start, unit=UNIT, n=1, **counts))
    units = pd.concat(parts, ignore_index=True)
    both = pd.concat([units, units.assign(model=ALL_MODELS)], ignore_index=True)
    return both.groupby(_BY, sort=True)[["n", *_STATES]].sum().reset_index()
