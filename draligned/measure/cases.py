"""Finders of boundary cases along trajectories (DR-82). What they find is selected, not sampled:
it says that a thing occurs, never how often."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from draligned.measure import restore as rs
from draligned.measure.gaps import gaps
from draligned.measure.items import TEXT, outside_main
from draligned.measure.layout import RUN, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.reentry import paths
from draligned.measure.retained import COMPARED, SAME_TEXT
from draligned.measure.sequences import KEY, OWN
from draligned.measure.two_factors import only_in_final
from draligned.schema.base import short_id
from draligned.schema.labels import DocState

SELECTED = "selected, not sampled"

CASES = Table(
    name="cases",
    columns=(
        *typed("string", "case", "evaluator", "input_set", "run_id", "factor_id"),
        *RUN,
        *typed("string", "arm", "certainty", "group_id"),
        *typed("Int64", "n_group", "n_paths"),
        *typed("string", "requests_path", "documents_path", "acq_state", "last_draft_state"),
        *typed("string", "final_state", "request_nos"),
        *typed("boolean", "outside_main"),
        *typed("string", "selection"),
        *STAMP,
    ),
    keys=("case", "evaluator", "input_set", "run_id", "factor_id"),
)
"""One row per run that a finder selects. `case`: own_draft_none_final (`outside_main`: whether both
reads of the final find the own side outside of the main advice, as background or restatement);
other_request_own_final (`request_nos` toward the counterfactual's endpoint or both, the final OWN);
strict_reentry and uncertain_reentry in requests (`request_nos` where the own side returns);
paths_to_one_direction (runs of `group_id`, one task, factor and condition under one harness, whose
finals are OWN; `n_group` runs in `n_paths` kinds of path, by state of requests, of the first and of
the last draft); both_factors_only_in_final (two facts in the final, in no request; uncertain where
a request could not be read on both). `selection` is always "selected, not sampled"."""

PANEL = "panel"


def cases(made: Made) -> pd.DataFrame:
    """`CASES`."""
    found = pd.concat([finder(made) for finder in FINDERS.values()], ignore_index=True)
    columns = [name for name, _ in CASES.columns if name != "development"]
    return found.assign(selection=SELECTED).reindex(columns=columns)


def own_draft_none_final(made: Made) -> pd.DataFrame:
    """An OWN last draft, a final whose main advice names neither endpoint."""
    rows = made.comparisons
    lost = (
        (rows["scope"] == "within_run")
        & (rows["start"] == "last_draft")
        & rows["status"].isin([COMPARED, SAME_TEXT])
        & (rows["start_state"] == DocState.OWN_ONLY.value)
        & (rows["final_state"] == DocState.NONE.value)
    )
    found = _named(made, rows.loc[lost.to_numpy(dtype=bool), KEY], "own_draft_none_final")
    known = outside_main(made.known.document_reads, made.known.items)
    beside = found.rename(columns={"final_sha256": "text_sha256"}).merge(known, on=TEXT, how="left")
    bits = beside["outside_bits"].fillna(0).to_numpy(dtype=np.int64)
    own = np.where((found["arm"] == "Q").to_numpy(), rs.swap(bits), bits) & OWN
    return found.assign(outside_main=own > 0)


def other_request_own_final(made: Made) -> pd.DataFrame:
    """An identified request toward the other endpoint or both; the final OWN all the same."""
    found = made.sequences[0]
    toward = (found.state >= 0) & ((found.state & ~OWN) > 0)
    numbers = _listed(found.of[toward], found.no[toward])
    rows = _named(made, found.heads.loc[list(numbers), KEY], "other_request_own_final")
    rows = rows.assign(request_nos=list(numbers.values()))
    return rows[(rows["final_state"] == DocState.OWN_ONLY.value).to_numpy(dtype=bool)]


def reentries(made: Made) -> pd.DataFrame:
    """Runs with a strict gap among their requests; others with an uncertain one."""
    found = made.sequences[0]
    cut = gaps(found)
    strict = _listed(cut.of[cut.strict], found.no[cut.end[cut.strict]])
    unsure = _listed(cut.of[~cut.strict], found.no[cut.end[~cut.strict]])
    unsure = {run: text for run, text in unsure.items() if run not in strict}
    parts = [
        _named(made, found.heads.loc[list(numbers), KEY], f"{name}_reentry").assign(
            request_nos=list(numbers.values()), certainty=certainty
        )
        for name, numbers, certainty in (
            ("strict", strict, "certain"),
            ("uncertain", unsure, "uncertain"),
        )
    ]
    return pd.concat(parts, ignore_index=True)


def paths_to_one_direction(made: Made) -> pd.DataFrame:
    """Runs of one condition and harness whose finals are OWN, along unlike paths."""
    own = (made.matrix["final_state"] == DocState.OWN_ONLY.value).to_numpy()
    rows = _named(made, made.matrix.loc[own, KEY], "paths_to_one_direction")
    by = ["evaluator", "harness", "task_id", "factor_id", "arm"]
    kind = (
        rows["acq_state"]
        .astype("str")
        .str.cat(
            [rows[f"{draft}_draft_state"].astype("str") for draft in ("first", "last")], sep="|"
        )
    )
    grouped = rows.assign(kind=kind).groupby(by)
    rows = rows.assign(
        n_group=grouped["run_id"].transform("size"),
        n_paths=grouped["kind"].transform("nunique"),
        group_id=[short_id("paths", *key) for key in rows[by].itertuples(index=False, name=None)],
    )
    return rows[(rows["n_paths"] > 1).to_numpy(dtype=bool)]


def both_factors_only_in_final(made: Made) -> pd.DataFrame:
    """Two-factor runs whose final expresses both facts while no request does."""
    parts = [pd.DataFrame(columns=["case"])]
    for name, own in made.sets.items():
        if not own.inputs.second.empty:
            chosen = only_in_final(own)
            rows = _named(own, chosen[KEY], "both_factors_only_in_final")
            parts.append(
                rows.assign(input_set=name.value, certainty=chosen["certainty"].to_numpy())
            )
    return pd.concat(parts, ignore_index=True)


FINDERS: Mapping[str, Callable[[Made], pd.DataFrame]] = {
    "own_draft_none_final": own_draft_none_final,
    "other_request_own_final": other_request_own_final,
    "reentry": reentries,
    "paths_to_one_direction": paths_to_one_direction,
    "both_factors_only_in_final": both_factors_only_in_final,
}


def _named(made: Made, keys: pd.DataFrame, case: str) -> pd.DataFrame:
    """Names, states and paths beside the keys of runs, in their order."""
    names = ["task_id", "user_id", "model", "harness", "environment", "arm", "acq_state"]
    states = ["first_draft_state", "last_draft_state", "final_state", "final_sha256"]
    rows = keys.merge(made.matrix[[*KEY, *names, *states]], on=KEY, how="left")
    for unit, found in zip(("requests", "documents"), made.sequences, strict=True):
        told = found.heads[KEY].assign(**{f"{unit}_path": paths(found)})
        rows = rows.merge(told, on=KEY, how="left")
    return rows.assign(case=case, input_set=PANEL, certainty="certain")


def _listed(of: Any, numbers: Any) -> dict[int, str]:
    """Numbers by head, as text."""
    out: dict[int, list[str]] = {}
    for head, number in zip(of.tolist(), numbers.tolist(), strict=True):
        out.setdefault(head, []).append(str(number))
    return {head: ",".join(texts) for head, texts in out.items()}


MAKERS = {CASES: cases}
