"""Contrasts of single tasks and factors by size, at borrowed thresholds (DR-91).

The main study has no threshold of its own: 0.10 and its neighbours 0.05 and 0.20 come from the
factor follow-up. So these classes are a sensitivity analysis, never a primary result.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import bounds
from draligned.measure import quantities as qs
from draligned.measure.contrasts import Group
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.panel import Panel, Quantity

THRESHOLDS = (0.05, 0.10, 0.20)
BORROWED = 0.10

_COUNTS = (
    "n_units", "n_toward", "n_against", "n_small", "n_unknown", "n_sure_toward", "n_sure_against",
    "n_sure_small",
)  # fmt: skip

CONTRAST_CLASSES = Table(
    name="contrast_classes",
    columns=(
        *typed("string", *GROUP, "estimand", "level"),
        *typed("Float64", "threshold"),
        *typed("boolean", "borrowed"),
        *typed("string", "use"),
        *typed("Int64", *_COUNTS),
        *STAMP,
    ),
    keys=(*GROUP, "estimand", "level", "threshold"),
)
"""Tasks and factors (`level`) by the mean D of their readable pairs: `toward` the assigned endpoint
(D ≥ threshold), `against` it (D ≤ −threshold), `small` between, `unknown` with no readable pair.
`sure` counts those whose class is the same whatever unreadable pairs were, within sharp bounds.
`borrowed` marks the follow-up's own threshold; `use` is `sensitivity`: the main study has none."""

_ROUNDING = 1e-12

Floats = NDArray[np.float64]


def contrast_classes(panels: Iterable[Group]) -> pd.DataFrame:
    """Rows of the table, unsorted."""
    rows = [
        {**names, **row}
        for names, panel in panels
        for quantity in (qs.d_a(panel), qs.d_f(panel))
        for level in ("task", "factor")
        for row in _rows(panel, quantity, level)
    ]
    columns = [name for name, _ in CONTRAST_CLASSES.columns if name != "development"]
    return pd.DataFrame(rows, columns=columns)


def _rows(panel: Panel, quantity: Quantity, level: str) -> list[dict[str, object]]:
    readable = panel.a if quantity.channel == "A" else panel.f
    codes = panel.tasks if level == "task" else panel.clusters["factor"]
    planned, seen = np.bincount(codes), np.bincount(codes[readable], minlength=codes.max() + 1)
    known = seen > 0
    mean = _means(codes, np.where(readable, quantity.values, 0.0), np.maximum(seen, 1))
    sharp = bounds.Limits(
        low=_means(codes, np.where(readable, quantity.values, quantity.sharp.low), planned),
        high=_means(codes, np.where(readable, quantity.values, quantity.sharp.high), planned),
    )
    return [
        {
            "estimand": quantity.estimand,
            "level": level,
            "threshold": threshold,
            "borrowed": threshold == BORROWED,
            "use": "sensitivity",
            **_counts(mean, known, sharp, threshold),
        }
        for threshold in THRESHOLDS
    ]


def _means(codes: NDArray[np.intp], values: Floats, sizes: NDArray[np.intp]) -> Floats:
    return np.bincount(codes, weights=values) / sizes


def _counts(
    mean: Floats, known: NDArray[np.bool_], sharp: bounds.Limits, threshold: float
) -> dict[str, int]:
    edge = threshold - _ROUNDING
    flags = {
        "n_units": np.ones(len(mean), dtype=bool),
        "n_toward": known & (mean >= edge),
        "n_against": known & (mean <= -edge),
        "n_small": known & (np.abs(mean) < edge),
        "n_unknown": ~known,
        "n_sure_toward": sharp.low >= edge,
        "n_sure_against": sharp.high <= -edge,
        "n_sure_small": (sharp.low > -edge) & (sharp.high < edge),
    }
    return {name: int(flag.sum()) for name, flag in flags.items()}


MAKERS = {CONTRAST_CLASSES: lambda made: contrast_classes(made.panels)}
