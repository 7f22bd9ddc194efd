"""How often two evaluators say what of the same units, counted in arrays."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.contrasts import ALL_MODELS

NAMES = ["harness", "model", "task_id"]
CELLS = ["evaluator", "other", *NAMES, "known", "known_other", "label", "label_other", "n"]

_LABELS = 5
_LEAST = -1
"""Labels are whole numbers from −1 to 3."""

Codes = NDArray[np.intp]


def side_by_side(
    rows: pd.DataFrame, unit: Sequence[str], known: NDArray[np.bool_], labels: NDArray[np.int64]
) -> pd.DataFrame:
    """Numbers of units by what both of two evaluators say, each model alone and all together.

    `rows` have `evaluator`, `NAMES` and the columns of `unit`, which name a unit within a harness ×
    model; a unit that stands in several rows of an evaluator says the same in all and counts once.
    Units that only one of the two was asked about do not count.
    """
    words = {name: pd.factorize(rows[name], sort=True) for name in ("evaluator", *NAMES)}
    group, groups = _codes([words[name][0] for name in NAMES])
    key, keys = _codes([words["harness"][0], words["model"][0], *(_plain(rows[u]) for u in unit)])
    who, names = words["evaluator"]
    said = np.full((len(names), len(keys[0])), -1, dtype=np.int64)
    said[who, key] = known * _LABELS + (labels - _LEAST)
    of_key = np.zeros(len(keys[0]), dtype=np.intp)
    of_key[key] = group
    parts = [_count(said[a], said[b], of_key).assign(evaluator=names[a], other=names[b])
             for a, b in _couples(len(names))]  # fmt: skip
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype=object) for name in CELLS})
    cells = pd.concat(parts, ignore_index=True)
    for name, codes in zip(NAMES, groups, strict=True):
        cells[name] = words[name][1][codes[cells["group"]]]
    return cells[CELLS]


def with_all_models(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of every model, and their sums over models: for units of one model each."""
    return pd.concat([cells, cells.assign(model=ALL_MODELS)], ignore_index=True)


def _plain(values: pd.Series) -> Codes:
    return np.asarray(pd.factorize(values)[0], dtype=np.intp)


def _codes(parts: Sequence[Codes]) -> tuple[Codes, list[Codes]]:
    """One code for each combination that occurs, and each part's code by it."""
    combined = np.zeros(len(parts[0]), dtype=np.int64)
    sizes = [int(part.max(initial=0)) + 1 for part in parts]
    for part, size in zip(parts, sizes, strict=True):
        combined = combined * size + part
    found, code = np.unique(combined, return_inverse=True)
    of_parts = []
    for size in reversed(sizes):
        of_parts.append((found % size).astype(np.intp))
        found = found // size
    return code, of_parts[::-1]


def _couples(count: int) -> Iterator[tuple[int, int]]:
    for first in range(count):
        for second in range(first + 1, count):
            yield first, second


def _count(a: NDArray[np.int64], b: NDArray[np.int64], group: Codes) -> pd.DataFrame:
    both = (a >= 0) & (b >= 0)
    size = 2 * _LABELS
    found = np.bincount((group[both] * size + a[both]) * size + b[both])
    at = np.flatnonzero(found)
    one, other = at // size % size, at % size
    return pd.DataFrame(
        {
            "group": at // (size * size),
            "known": one >= _LABELS,
            "known_other": other >= _LABELS,
            "label": one % _LABELS + _LEAST,
            "label_other": other % _LABELS + _LEAST,
            "n": found[at],
        }
    )
