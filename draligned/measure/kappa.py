"""Cohen's kappa: agreement of two people above what their own marginals would give by chance.

Cohen, A Coefficient of Agreement for Nominal Scales (1960); unweighted. Held by tests to
statsmodels' `cohens_kappa`, which is an optional library here. With lopsided marginals kappa is
small or undefined however often two people say the same, so it never stands without them.
"""

import numpy as np
from numpy.typing import NDArray


def cohens_kappa(table: NDArray[np.float64]) -> float | None:
    """Kappa of a square table of counts (first person × second person).

    None where nothing was counted, or where both say one thing alone, so that chance could not
    have disagreed.
    """
    total = float(table.sum())
    if total == 0:
        return None
    same = float(np.trace(table)) / total
    chance = float(table.sum(axis=1) @ table.sum(axis=0)) / total**2
    return (same - chance) / (1 - chance) if chance < 1 else None
