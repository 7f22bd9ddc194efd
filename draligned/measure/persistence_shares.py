"""Draft-to-final tables: start state by readable destination and text identity (DR-96, DR-99)."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.proportions import wilson
from draligned.measure.restore import Words
from draligned.measure.retained import COMPARED, SAME_TEXT, groups, refused
from draligned.schema.labels import DocState

PERSISTENCE = Table(
    name="persistence",
    columns=(
        *typed("string", *GROUP, "scope", "start", "start_state", "final_state", "text"),
        *typed("Int64", "n", "n_runs"),
        *typed("string", "status", "reason"),
        *STAMP,
    ),
    keys=(*GROUP, "scope", "start", "start_state", "final_state", "text"),
)
"""Comparisons by state of the start, state of the final (UNKNOWN where not readable) and `text`:
same or different. `n_runs` = distinct runs whose draft is compared. A harness that submits the
saved draft itself has one row, `refused`, without counts (DR-23, DR-98)."""

PERSISTENCE_SHARES = Table(
    name="persistence_shares",
    columns=(
        *typed("string", *GROUP, "scope", "start", "start_state", "status", "reason"),
        *typed("Int64", "n_start", "n_same_text", "n_final_unreadable", "n_compared"),
        *typed("Int64", "n_kept_side", "n_kept_state"),
        *typed("Float64", "side_share", "side_lo", "side_hi"),
        *typed("Float64", "state_share", "state_lo", "state_hi"),
        *STAMP,
    ),
    keys=(*GROUP, "scope", "start", "start_state"),
)
"""Of comparisons with a readable start in `start_state`: `n_compared` have a readable final of
another text; in `n_kept_state` of them it has the same state, in `n_kept_side` it expresses every
side that the start does (null for NONE, which expresses none). Intervals are Wilson's at 95 %, runs
taken as independent; couples of repeats (`across_runs`, the baseline) share runs and have none."""

Bits = NDArray[np.int64]

_BY = [*GROUP, "scope", "start"]
_STATES = {
    DocState.OWN_ONLY.value: 2,
    DocState.BOTH.value: 3,
    DocState.OTHER_ONLY.value: 1,
    DocState.NONE.value: 0,
}
STARTS = (
    ("within_run", "first_draft"), ("within_run", "last_draft"), ("across_runs", "first_draft"),
    ("across_runs", "last_draft"), ("across_runs", "final"),
)  # fmt: skip


def persistence(made: Made) -> pd.DataFrame:
    """`PERSISTENCE`: cells that occur."""
    columns = [*_BY, "start_state", "final_state", "status", "run_id"]
    rows = made.comparisons[columns]
    rows = pd.concat([rows.assign(model=ALL_MODELS), rows], ignore_index=True)
    text = (rows["status"] == SAME_TEXT).map({True: "same", False: "different"})
    by = [*_BY, "start_state", "final_state", "text"]
    found = rows.assign(text=text).groupby(by, sort=True)["run_id"].agg(["size", "nunique"])
    named = found.reset_index().rename(columns={"size": "n", "nunique": "n_runs"})
    return laid_out(PERSISTENCE, [named.assign(status="ok", reason=None), _refused(made)])


def persistence_shares(made: Made) -> pd.DataFrame:
    """`PERSISTENCE_SHARES`: every state, also where nothing could be compared."""
    compared = made.comparisons
    status = compared["status"].to_numpy(dtype=object)
    start, final = (compared[f"{n}_bits"].to_numpy(dtype=np.int64) for n in ("start", "final"))
    rows = [
        names | {"start_state": state} | _shares(status[at], start[at], final[at], bits, names)
        for names, at in split(made)
        for state, bits in _STATES.items()
    ]
    return laid_out(PERSISTENCE_SHARES, [pd.DataFrame(rows), _refused(made)])


def split(made: Made) -> Iterator[tuple[dict[str, str], NDArray[np.intp]]]:
    """Rows of comparisons by evaluator × harness × model (and `all`) × scope × start, where there
    are none too."""
    rows = made.comparisons[_BY]
    found: dict[Any, Any] = {}
    for each in (rows, rows.assign(model=ALL_MODELS)):
        found |= dict(each.groupby(_BY, sort=False).indices)
    for group in groups(made.readings.runs, made.readings.evaluators).to_numpy(dtype=object):
        for start in STARTS:
            key = (*group, *start)
            at = np.asarray(found.get(key, ()), dtype=np.intp)
            yield dict(zip(_BY, key, strict=True)), at


def laid_out(table: Table, parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Rows of several parts in the table's columns; null where a part has no such column."""
    columns = [name for name, _ in table.columns if name != "development"]
    full = [part.reindex(columns=columns).astype(object) for part in parts]
    return pd.concat(full, ignore_index=True)


def why_empty(scope: str) -> str:
    """Reason of a share of nothing."""
    return "no_repeat_compared" if scope == "across_runs" else "no_run_compared"


def _refused(made: Made) -> pd.DataFrame:
    return refused(made.readings.runs, made.readings.evaluators)


def _shares(
    status: Words, start: Bits, final: Bits, bits: int, names: Mapping[str, str]
) -> dict[str, Any]:
    own = start == bits
    after = final[own & (status == COMPARED)]
    n = len(after)
    row: dict[str, Any] = {
        "status": "ok" if n else "unknown",
        "reason": None if n else why_empty(names["scope"]),
        "n_start": int(own.sum()),
        "n_same_text": int((own & (status == SAME_TEXT)).sum()),
        "n_final_unreadable": int((own & (status == "final_unreadable")).sum()),
        "n_compared": n,
        "n_kept_state": int((after == bits).sum()),
        "n_kept_side": int(((after & bits) == bits).sum()) if bits else None,
    }
    apart = names["scope"] == "within_run"
    row |= share("state", row["n_kept_state"], n, interval=apart)
    return row | share("side", row["n_kept_side"], n, interval=apart)


def share(name: str, hits: int | None, n: int, *, interval: bool) -> dict[str, float | None]:
    """A share with Wilson's interval; null of nothing."""
    if hits is None or n == 0:
        return {f"{name}_share": None, f"{name}_lo": None, f"{name}_hi": None}
    low, high = (wilson(hits, n) if interval else None) or (None, None)
    return {f"{name}_share": hits / n, f"{name}_lo": low, f"{name}_hi": high}


MAKERS = {PERSISTENCE: persistence, PERSISTENCE_SHARES: persistence_shares}
