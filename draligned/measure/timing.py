"""When drafts and finals stand relative to the last request, by subset of runs (DR-95, DR-98)."""

from typing import Any

import numpy as np
import pandas as pd

from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.draft_pairs import before_final
from draligned.measure.layout import STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.persistence_shares import share
from draligned.schema.labels import Observes

TIMING = Table(
    name="timing",
    columns=(
        *typed("string", "harness", "model", "subset", "milestone", "status", "reason"),
        *typed("Int64", "n_runs", "n_unobserved", "n_with", "n_timed", "n_after"),
        *typed("Float64", "after_share", "after_lo", "after_hi"),
        *typed("Int64", "n_both", "n_same"),
        *typed("Float64", "same_share", "same_lo", "same_hi"),
        *STAMP,
    ),
    keys=("harness", "model", "subset", "milestone"),
)
"""Of `n_runs` done runs, `n_unobserved` were not observed in full and stand in no later count;
`n_with` have the `milestone` (first_draft, last_draft, final), `n_timed` of them made a request,
and in `n_after` it stands strictly after the last one, by event number. `n_same` of `n_both` runs
with a draft and a final have that draft's text as final (null for `final`). `subset`: panel (runs
that stand in pairs), repeats (the others), all. Wilson's intervals, runs taken as independent."""

_BY = ["harness", "model", "subset", "milestone"]
_FULL = ("observes_a", "observes_w", "observes_f")
_COUNTS = ["n_runs", "n_unobserved", "n_with", "n_timed", "n_after", "n_both", "n_same"]


def timing(made: Made) -> pd.DataFrame:
    """`TIMING`: one row per harness × model (and `all`) × subset × milestone."""
    runs = made.readings.runs.drop_duplicates("run_id")
    runs = runs[(runs["state"] == "done").to_numpy(dtype=bool)]
    paired = pd.concat([made.pairs["run_id_p"], made.pairs["run_id_q"]])
    subset = np.where(runs["run_id"].isin(paired), "panel", "repeats")
    flags = pd.concat([_flags(runs.assign(subset=subset), m, t) for m, t in _ends(made).items()])
    flags = pd.concat([flags, flags.assign(subset="all")])
    flags = pd.concat([flags, flags.assign(model=ALL_MODELS)], ignore_index=True)
    rows = [
        dict(zip(_BY, key, strict=True)) | _counted(part)
        for key, part in flags.groupby(_BY, sort=True)
    ]
    return pd.DataFrame(rows, columns=[n for n, _ in TIMING.columns if n != "development"])


def _ends(made: Made) -> dict[str, pd.DataFrame]:
    texts = before_final(made.readings.documents).sort_values(["seq", "version_no"], kind="stable")
    drafts, finals = (texts[texts["role"] == role] for role in ("draft", "final"))
    ends = {
        "first_draft": drafts.drop_duplicates("run_id", keep="first"),
        "last_draft": drafts.drop_duplicates("run_id", keep="last"),
        "final": finals.drop_duplicates("run_id"),
    }
    delivered = ends["final"].set_index("run_id")["text_sha256"].rename("final_sha256")
    return {name: end.join(delivered, on="run_id") for name, end in ends.items()}


def _flags(runs: pd.DataFrame, milestone: str, ends: pd.DataFrame) -> pd.DataFrame:
    found = runs.merge(
        ends[["run_id", "seq", "text_sha256", "final_sha256"]], on="run_id", how="left"
    )
    full = np.all([(found[c] == Observes.FULL.value).to_numpy(dtype=bool) for c in _FULL], axis=0)
    here = full & found["seq"].notna().to_numpy()
    asked, at = (
        found[c].to_numpy(dtype=float, na_value=np.nan) for c in ("last_request_seq", "seq")
    )
    same = (found["text_sha256"] == found["final_sha256"]).fillna(False).to_numpy(dtype=bool)
    draft = here & found["final_sha256"].notna().to_numpy() & (milestone != "final")
    columns = (np.ones_like(full), ~full, here, here & ~np.isnan(asked), here & (at > asked))
    flags = dict(zip(_COUNTS, (*columns, draft, draft & same), strict=True))
    return found[["harness", "model", "subset"]].assign(milestone=milestone, **flags)


def _counted(part: pd.DataFrame) -> dict[str, Any]:
    counts: dict[str, Any] = {name: int(part[name].sum()) for name in _COUNTS}
    if part["milestone"].iloc[0] == "final":
        counts |= {"n_both": None, "n_same": None}
    row = counts | share("after", counts["n_after"], counts["n_timed"], interval=True)
    row |= share("same", counts["n_same"], counts["n_both"] or 0, interval=True)
    timed = counts["n_timed"] > 0
    return row | {"status": "ok" if timed else "unknown", "reason": None if timed else "none_timed"}


MAKERS = {TIMING: timing}
