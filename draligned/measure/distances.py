"""Edit distances of drafts and finals by what became of the state, beside repeats (DR-97)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.intervals import quantiles
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.persistence_shares import laid_out, share, split, why_empty
from draligned.measure.restore import Flags
from draligned.measure.retained import COMPARED, SAME_TEXT, refused
from draligned.measure.sequences import OWN

EDIT_DISTANCE = Table(
    name="edit_distance",
    columns=(
        *typed("string", *GROUP, "scope", "start", "subset", "tokens", "status", "reason"),
        *typed("Int64", "n", "n_unknown"),
        *typed("Float64", "median", "median_lo", "median_hi", "q1", "q3", "low", "high"),
        *typed("Int64", "n_half"),
        *typed("Float64", "half_share", "half_lo", "half_hi"),
        *typed("Int64", "n_sentences", "n_verbatim", "n_none_verbatim"),
        *typed("Float64", "verbatim_median"),
        *STAMP,
    ),
    keys=(*GROUP, "scope", "start", "subset"),
)
"""Normalised content-token edit distance of unlike texts (Q14). `subset`: text_different (readable
or not), compared (both states readable), unchanged or changed state, own_to_own. `n` comparisons
have a distance, `n_unknown` have none; quartiles interpolate linearly, `low` and `high` are the
ends. The median's interval holds at least 95 % by order statistics, `n_half` have a distance of 0.5
or more, with Wilson's interval; both take comparisons as independent, and repeats (`across_runs`),
which share runs, have neither. `n_verbatim` of all `n_sentences` of the starts stand word for word
in the final; in `n_none_verbatim` comparisons none does. `tokens`: how text was cut."""

HALF = 0.5


@dataclass(frozen=True, kw_only=True)
class _Edits:
    """Comparisons as arrays; numbers mean nothing where not `known`."""

    unlike: Flags
    read: Flags
    same_state: Flags
    own: Flags
    known: Flags
    distance: NDArray[np.float64]
    sentences: NDArray[np.int64]
    verbatim: NDArray[np.int64]

    def at(self, rows: NDArray[Any]) -> "_Edits":
        """Some of them."""
        return _Edits(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def edit_distance(made: Made) -> pd.DataFrame:
    """`EDIT_DISTANCE`: every subset, also where nothing could be compared."""
    every = _arrays(made.comparisons)
    rows = [
        names | {"subset": subset, "tokens": made.config.tokens} | _summary(part.at(flags), names)
        for names, at in split(made)
        for part in [every.at(at)]
        for subset, flags in _subsets(part).items()
    ]
    apart = refused(made.readings.runs, made.readings.evaluators)
    return laid_out(EDIT_DISTANCE, [pd.DataFrame(rows), apart])


def median_interval(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Distribution-free interval of a median, level at least 95 %; none of fewer than six values.

    Between the k-th smallest and the k-th largest value, k the largest number for which fewer
    than k of n fair coins show heads with probability at most 2.5 %.
    """
    n, tail, k = len(values), 0, 0
    while k < n and (tail + comb(n, k)) * 40 <= 2**n:
        tail += comb(n, k)
        k += 1
    ordered = np.sort(values)
    return (float(ordered[k - 1]), float(ordered[n - k])) if k else None


def _arrays(rows: pd.DataFrame) -> _Edits:
    status = rows["status"].to_numpy(dtype=object)
    start, final = (rows[f"{name}_bits"].to_numpy(dtype=np.int64) for name in ("start", "final"))
    return _Edits(
        unlike=status != SAME_TEXT,
        read=status == COMPARED,
        same_state=start == final,
        own=start == OWN,
        known=rows["edit_status"].to_numpy(dtype=object) == "ok",
        distance=rows["distance"].to_numpy(dtype=np.float64, na_value=np.nan),
        sentences=rows["n_sentences"].to_numpy(dtype=np.int64, na_value=0),
        verbatim=rows["n_verbatim"].to_numpy(dtype=np.int64, na_value=0),
    )


def _subsets(part: _Edits) -> dict[str, Flags]:
    return {
        "text_different": part.unlike,
        "compared": part.read,
        "unchanged": part.read & part.same_state,
        "changed": part.read & ~part.same_state,
        "own_to_own": part.read & part.same_state & part.own,
    }


def _summary(rows: _Edits, names: Mapping[str, str]) -> dict[str, Any]:
    known = rows.at(rows.known)
    values = known.distance
    n, unknown = len(values), len(rows.known) - len(values)
    counts: dict[str, Any] = {"n": n, "n_unknown": unknown}
    if n == 0:
        reason = "no_distance" if unknown else why_empty(names["scope"])
        return counts | {"status": "unknown", "reason": reason}
    apart = names["scope"] == "within_run"
    low, high = (median_interval(values) if apart else None) or (None, None)
    q = quantiles(values, np.array([0, 0.25, 0.5, 0.75, 1]))
    half = int((values >= HALF).sum())
    return counts | {
        "status": "ok",
        **dict(zip(("low", "q1", "median", "q3", "high"), map(float, q), strict=True)),
        "median_lo": low,
        "median_hi": high,
        "n_half": half,
        **share("half", half, n, interval=apart),
        **_verbatim(known),
    }


def _verbatim(known: _Edits) -> dict[str, Any]:
    some = known.sentences > 0
    shares = known.verbatim[some] / known.sentences[some]
    return {
        "n_sentences": int(known.sentences.sum()),
        "n_verbatim": int(known.verbatim.sum()),
        "n_none_verbatim": int((known.verbatim == 0).sum()),
        "verbatim_median": float(np.median(shares)) if len(shares) else None,
    }


MAKERS = {EDIT_DISTANCE: edit_distance}
