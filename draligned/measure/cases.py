"""Finders of boundary cases along trajectories (DR-82). What they find is selected, not sampled:
it says that a thing occurs, never how often."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.gaps import gaps
from draligned.measure.items import TEXT, outside_main
from draligned.measure.layout import RUN, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.retained import COMPARED, SAME_TEXT
from draligned.measure.sequences import KEY, NAMES, OWN
from draligned.measure.two_factors import only_in_final
from draligned.schema.base import short_id
from draligned.schema.labels import DocState, Side

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
    at = _places(made, rows.loc[lost.to_numpy(dtype=bool), KEY])
    texts = made.matrix.iloc[at].rename(columns={"final_sha256": "text_sha256"})[[*TEXT, "arm"]]
    items = made.known.items
    mine = items[items["text_sha256"].isin(texts["text_sha256"])]
    known = outside_main(made.known.document_reads, mine)
    found = texts.merge(known, on=TEXT, how="left")["outside_bits"].fillna(0)
    bits = found.to_numpy(dtype=np.int8)
    own = np.where((texts["arm"] == Side.Q.value).to_numpy(dtype=bool), rs.swap(bits), bits)
    return _named(made, at, "own_draft_none_final").assign(outside_main=(own & OWN) > 0)


def other_request_own_final(made: Made) -> pd.DataFrame:
    """An identified request toward the other endpoint or both; the final OWN all the same."""
    found = made.sequences[0]
    own = (made.matrix["final_state"] == DocState.OWN_ONLY.value).to_numpy(dtype=bool)
    toward = (found.state >= 0) & ((found.state & ~OWN) > 0) & own[found.of]
    numbers = _listed(found.of[toward], found.no[toward])
    rows = _named(made, list(numbers), "other_request_own_final")
    return rows.assign(request_nos=list(numbers.values()))


def reentries(made: Made) -> pd.DataFrame:
    """Runs with a strict gap among their requests; others with an uncertain one."""
    found = made.sequences[0]
    cut = gaps(found)
    strict = _listed(cut.of[cut.strict], found.no[cut.end[cut.strict]])
    unsure = _listed(cut.of[~cut.strict], found.no[cut.end[~cut.strict]])
    unsure = {run: text for run, text in unsure.items() if run not in strict}
    parts = [
        _named(made, list(numbers), f"{name}_reentry").assign(
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
    own = (made.matrix["final_state"] == DocState.OWN_ONLY.value).to_numpy(dtype=bool)
    rows = _named(made, np.flatnonzero(own), "paths_to_one_direction")
    states = ["acq_state", "first_draft_state", "last_draft_state"]
    kind = rows.groupby(states, sort=False).ngroup()
    grouped = rows.assign(kind=kind).groupby(_CONDITION, sort=False)
    rows = rows.assign(
        n_group=grouped["run_id"].transform("size"),
        n_paths=grouped["kind"].transform("nunique"),
    )
    rows = rows[(rows["n_paths"] > 1).to_numpy(dtype=bool)]
    keys = rows[_CONDITION].itertuples(index=False, name=None)
    return rows.assign(group_id=[short_id("paths", *map(str, key)) for key in keys])


_CONDITION = ["evaluator", "harness", "task_id", "factor_id", "arm"]


def both_factors_only_in_final(made: Made) -> pd.DataFrame:
    """Two-factor runs whose final expresses both facts while no request does."""
    parts = [pd.DataFrame(columns=["case"])]
    for name, own in made.sets.items():
        if not own.inputs.second.empty:
            chosen = only_in_final(own)
            rows = _named(own, _places(own, chosen[KEY]), "both_factors_only_in_final")
            certainty = chosen["certainty"].to_numpy(dtype=object)
            parts.append(rows.assign(input_set=name.value, certainty=certainty))
    return pd.concat(parts, ignore_index=True)


FINDERS: Mapping[str, Callable[[Made], pd.DataFrame]] = {
    "own_draft_none_final": own_draft_none_final,
    "other_request_own_final": other_request_own_final,
    "reentry": reentries,
    "paths_to_one_direction": paths_to_one_direction,
    "both_factors_only_in_final": both_factors_only_in_final,
}


_STATES = ["acq_state", "first_draft_state", "last_draft_state", "final_state"]


def _places(made: Made, keys: pd.DataFrame) -> NDArray[np.intp]:
    """Rows of the matrix, which are the heads of the sequences too."""
    index = pd.MultiIndex.from_frame(made.matrix[KEY])
    return index.get_indexer(pd.MultiIndex.from_frame(keys))


def _named(made: Made, at: Sequence[int] | NDArray[np.intp], case: str) -> pd.DataFrame:
    """Names, states and paths of runs, by their rows of the matrix."""
    rows = np.asarray(at, dtype=np.intp)
    told = made.matrix.iloc[rows][[*NAMES, *_STATES]].reset_index(drop=True)
    requests, documents = ([found.paths[k] for k in rows] for found in made.sequences)
    return told.assign(
        case=case,
        input_set=PANEL,
        certainty="certain",
        requests_path=requests,
        documents_path=documents,
    )


def _listed(of: Any, numbers: Any) -> dict[int, str]:
    """Numbers by head, as text."""
    out: dict[int, list[str]] = {}
    for head, number in zip(of.tolist(), numbers.tolist(), strict=True):
        out.setdefault(head, []).append(str(number))
    return {head: ",".join(texts) for head, texts in out.items()}


MAKERS = {CASES: cases}
