"""One long table of every unit of every planned run, for models in R, statsmodels and the like."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from draligned.measure import restore as rs
from draligned.measure.keys import Codes, places
from draligned.measure.layout import RUN, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.schema.labels import Presence

LONG = Table(
    name="long",
    columns=(
        *typed("string", "evaluator", "channel", "unit", "run_id", "factor_id"),
        *typed("Int64", "unit_no"),
        *typed("string", "pair_id"),
        *RUN,
        *typed("string", "arm"),
        *typed("Float64", "contrast"),
        *typed("Int64", "replicate"),
        *typed("string", "kind", "return_status", "text_sha256", "status", "reason"),
        *typed("string", "presence"),
        *typed("Int64", "x"),
        *typed("Float64", "weight"),
        *STAMP,
    ),
    keys=("evaluator", "channel", "unit", "run_id", "factor_id", "unit_no"),
)
"""Every request, draft and final × factor × evaluator, and one row (`unit` none) for a planned run
that has none in its channel, so that nothing planned is missing. `x` is null unless `status` is
identified: a model that drops such rows estimates something over readable units. `contrast` is
+0.5 for P and −0.5 for Q, so that its coefficient is a difference P − Q. `weight` = 1 / identified
requests of the run, or 1 for an identified final: per pair, the sum of x · weight under P less that
under Q is d_A for channel A, and its sign d_F for channel F. Drafts are channel W. `pair_id` is
null for runs in no planned pair (repeats); rows of one text or one run are not independent."""

_NAMES = ["run_id", "factor_id", "evaluator"]
_RUN = [name for name, _ in RUN]
_COLUMNS = [name for name, _ in LONG.columns if name != "development"]
_FROM_MATRIX = ["acq_reason", "final_reason", "last_draft_reason", "n_requests", "n_drafts"]


def long(made: Made) -> pd.DataFrame:
    """Rows of `long`, unsorted."""
    runs = _planned(made)
    requests, documents = _requests(made.requests), _documents(made.documents)
    parts = [_units(requests, runs), _units(documents, runs), *_without_units(runs, documents)]
    rows = pd.concat(parts, ignore_index=True)
    return rows.assign(contrast=rows["arm"].map({"P": 0.5, "Q": -0.5}))[_COLUMNS]


def _planned(made: Made) -> pd.DataFrame:
    """Every planned run × factor × evaluator, with its pair and what is readable of it."""
    names = [*_NAMES, *_RUN, "arm", "replicate", *_FROM_MATRIX]
    pairs, chosen = made.pairs, made.config.pairing == "first"
    sides = [
        pairs[[f"run_id_{side}", "factor_id", "evaluator", "pair_id"]]
        .rename(columns={f"run_id_{side}": "run_id"})
        .dropna(subset=["run_id"])
        for side in "pq"
    ]
    paired = pd.concat(sides, ignore_index=True)
    paired = paired if chosen else paired.iloc[:0]
    return made.matrix[names].merge(paired, on=_NAMES, how="left")


def _requests(requests: pd.DataFrame) -> pd.DataFrame:
    return requests[[*_NAMES, "bits", "reason", "return_status"]].assign(
        channel="A",
        unit="request",
        unit_no=requests["request_no"],
        kind=requests["tool"],
        text_sha256=None,
    )


def _documents(documents: pd.DataFrame) -> pd.DataFrame:
    final = (documents["role"] == "final").to_numpy(dtype=bool)
    return documents[[*_NAMES, "bits", "reason", "text_sha256"]].assign(
        channel=np.where(final, "F", "W"),
        unit=documents["role"],
        unit_no=documents["version_no"].mask(final, 1),
        kind=None,
        return_status=None,
    )


def _units(units: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Units that were read, beside their runs; what is not readable of a run is of no unit."""
    place = places(units, runs, _NAMES)
    of_runs = runs.drop(columns=_NAMES).reindex(place).reset_index(drop=True)
    rows = pd.concat([units.reset_index(drop=True), of_runs], axis=1)
    channel = rows["channel"].to_numpy()
    of_run = np.where(channel == "A", rows["acq_reason"], rows["final_reason"])
    reason = np.where(
        (channel == "W") | (rows["bits"] < 0) | (of_run == ""), rows["reason"], of_run
    ).astype(object)
    known = reason == ""
    x = pd.Series(rs.readout(rows["bits"].to_numpy())).astype("Int64").where(known)
    return rows.assign(
        status=np.where(known, "identified", "unknown"),
        reason=rs.none_if_blank(reason),
        presence=rs.presence_words(np.where(known, rows["bits"], rs.UNKNOWN)),
        x=x,
        weight=_weight(channel, place, known),
    )


def _weight(channel: rs.Words, run: Codes, known: rs.Flags) -> pd.Series:
    """One over the identified units of the run in the channel; none for drafts."""
    size = np.bincount(np.maximum(run, 0), weights=known & (run >= 0))[run]
    weight = 1.0 / np.where((channel == "A") & known, size, 1.0)
    return pd.Series(weight).where(known & (channel != "W"))


def _without_units(runs: pd.DataFrame, documents: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Rows of planned runs that have no request, no draft or no final."""
    finals = documents.loc[documents["channel"] == "F", _NAMES]
    written = pd.MultiIndex.from_frame(runs[_NAMES]).isin(pd.MultiIndex.from_frame(finals))
    for channel, absent, reason in (
        ("A", (runs["n_requests"] == 0).to_numpy(), "acq_reason"),
        ("W", (runs["n_drafts"] == 0).to_numpy(), "last_draft_reason"),
        ("F", ~written, "final_reason"),
    ):
        rows = runs[absent]
        yield rows.assign(
            channel=channel,
            unit="none",
            unit_no=0,
            kind=None,
            return_status=None,
            text_sha256=None,
            status="unknown",
            reason=rows[reason],
            presence=Presence.UNKNOWN.value,
            x=pd.Series(pd.NA, index=rows.index, dtype="Int64"),
            weight=pd.Series(np.nan, index=rows.index, dtype="float64"),
        )


MAKERS = {LONG: long}
