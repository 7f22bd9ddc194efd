"""Readability by arm, state and cause, and the panel's cross table (DR-85, DR-89, DR-90)."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from draligned.measure import restore as rs
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.keys import tally

_BY = ["evaluator", "harness", "model", "unit", "channel", "arm"]
_KEYS = [*_BY, "state", "status", "reason"]


def readability(pairs: pd.DataFrame, matrix: pd.DataFrame, requests: pd.DataFrame) -> pd.DataFrame:
    """Counts of units: `pair` (planned pairs), `panel` (pairs by both channels), `arm` (the runs
    that stand in pairs), `run` (every planned run), `request` (every request by arm).

    `state` is relative to the run's endpoint for runs and arms, presence for requests.
    """
    parts = [*_pair_units(pairs), *_run_units(matrix), _request_units(requests)]
    units = pd.concat([tally(part, _KEYS) for part in parts])
    both = pd.concat([units, units.assign(model=ALL_MODELS)])
    counted = both.groupby(_KEYS, sort=True, dropna=False)["n"].sum().reset_index()
    total = counted.groupby(_BY)["n"].transform("sum")
    words = counted[["state", "status", "reason"]]
    return counted.assign(n_planned=total, **{c: _null(words[c]) for c in words.columns})


def _null(values: pd.Series) -> rs.Words:
    return rs.none_if_blank(values.to_numpy(dtype=object))


def _pair_units(pairs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    names = pairs[["evaluator", "harness", "model"]]
    for channel, low in (("A", "a"), ("F", "f")):
        status = pairs[f"{low}_status"]
        yield names.assign(
            unit="pair", channel=channel, arm="both", state="", status=status, reason=""
        )
        for side in "pq":
            reason = pairs[f"{low}_reason_{side}"]
            yield names.assign(
                unit="arm",
                channel=channel,
                arm=side.upper(),
                state=_arm_state(pairs, low, side),
                status=_read(reason),
                reason=reason,
            )
    yield names.assign(
        unit="panel", channel="A×F", arm="both", state=_zero(pairs), status=_cross(pairs), reason=""
    )


def _arm_state(pairs: pd.DataFrame, low: str, side: str) -> rs.Words:
    name = {"a": "acq_state", "f": "final_state"}[low]
    states = pairs[f"{name}_{side}"].to_numpy(dtype=object)
    return np.where(pairs[f"{name}_{side}"].isna().to_numpy(), "", states)


def _read(reason: pd.Series) -> rs.Words:
    return np.where((reason == "").to_numpy(), "readable", "unreadable").astype(object)


def _zero(pairs: pd.DataFrame) -> rs.Words:
    readable = (pairs["a_status"] == "readable").to_numpy()
    zero = pairs["d_a_zero"].to_numpy(dtype=bool)
    return rs.choose([readable & zero, readable], ["dA_zero", "dA_nonzero"])


def _cross(pairs: pd.DataFrame) -> rs.Words:
    a = (pairs["a_status"] == "readable").to_numpy()
    f = (pairs["f_status"] == "readable").to_numpy()
    return rs.choose([a & f, a, f, ~a & ~f], ["both", "A_only", "F_only", "neither"])


def _run_units(matrix: pd.DataFrame) -> Iterator[pd.DataFrame]:
    names = matrix[["evaluator", "harness", "model", "arm"]]
    for channel, low in (("A", "acq"), ("W", "last_draft"), ("F", "final")):
        reason = matrix[f"{low}_reason"]
        yield names.assign(
            unit="run",
            channel=channel,
            state=matrix[f"{low}_state"],
            status=_read(reason),
            reason=reason,
        )


def _request_units(requests: pd.DataFrame) -> pd.DataFrame:
    assigned = requests[requests["arm"].notna()]
    reason = assigned["reason"]
    return assigned[["evaluator", "harness", "model", "arm"]].assign(
        unit="request",
        channel="A",
        state=rs.presence_words(assigned["bits"].to_numpy()),
        status=np.where((reason == "").to_numpy(), "identified", "unknown").astype(object),
        reason=reason,
    )
