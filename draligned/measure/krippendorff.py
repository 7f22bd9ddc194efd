"""Krippendorff's alpha: agreement above what the same labels would give by chance.

Krippendorff, Computing Krippendorff's Alpha-Reliability (2011). Any number of readers, units
that only some have read, and three kinds of distance. 1 is agreement, 0 chance; below 0 readers
disagree more than chance. Agreement is not accuracy (DR-75).
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Metric = Literal["nominal", "interval", "ratio"]


def alpha(values: Floats, known: NDArray[np.bool_], metric: Metric = "nominal") -> float | None:
    """Alpha of values by unit × reader where `known`; else they are not looked at.

    Units with fewer than two values say nothing. None where no unit has two, or where all values
    are one, so that chance could not have disagreed.
    """
    levels, codes = np.unique(values[known], return_inverse=True)
    tally = np.zeros((len(values), len(levels)))
    np.add.at(tally, (np.nonzero(known)[0], codes), 1.0)
    tally = tally[tally.sum(axis=1) > 1]
    if not len(tally):
        return None
    return _ratio(_coincidences(tally), _distance(levels, metric))


def alpha_of_two(coincidences: Floats, levels: Floats, metric: Metric = "nominal") -> float | None:
    """Alpha of two readers from their table of labels (reader × reader counts)."""
    both = coincidences + coincidences.T
    return _ratio(both, _distance(levels, metric)) if both.sum() else None


def _coincidences(tally: Floats) -> Floats:
    """Ordered pairs of values within units, each unit counting as many times as it has values."""
    size = tally.sum(axis=1)
    weighted: Floats = tally / (size - 1)[:, None]
    pairs: Floats = weighted.T @ tally - np.diag(weighted.sum(axis=0))
    return pairs


def _distance(levels: Floats, metric: Metric) -> Floats:
    apart: Floats = levels[:, None] - levels[None, :]
    if metric == "nominal":
        unlike: Floats = (apart != 0).astype(np.float64)
        return unlike
    if metric == "interval":
        squared: Floats = apart * apart
        return squared
    total = levels[:, None] + levels[None, :]
    share: Floats = (apart / np.where(total == 0, 1.0, total)) ** 2
    return share


def _ratio(coincidences: Floats, distance: Floats) -> float | None:
    margins = coincidences.sum(axis=0)
    count = float(margins.sum())
    observed = float((coincidences * distance).sum())
    expected = float(margins @ distance @ margins) / (count - 1) if count > 1 else 0.0
    return 1.0 - observed / expected if expected > 0 else None
