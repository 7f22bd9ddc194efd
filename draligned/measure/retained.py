"""What of a draft is retained in the final, comparison by comparison (DR-96, DR-97).

A comparison is of one run's draft with its own final, or, as a baseline, with the final of a
repeat of the same condition. Harnesses that submit the saved draft itself have none (DR-23).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from draligned.measure import restore as rs
from draligned.measure.checks import evaluator_column
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.documents import Policy, label_texts, relative_state
from draligned.measure.draft_pairs import draft_pairs
from draligned.measure.items import TEXT
from draligned.measure.layout import GROUP, RUN, STAMP, Table, typed
from draligned.measure.persistence import REFUSED, SAVED_FILE, comparable
from draligned.measure.steps import KINDS_BY_STATE
from draligned.schema.frames import MeasureInputs
from draligned.schema.labels import Side

COMPARED = "compared"
SAME_TEXT = "same_text"
NOT_MEASURED = "not_measured"

PERSISTENCE_RUNS = Table(
    name="persistence_runs",
    columns=(
        *typed("string", "evaluator", "scope", "start", "run_id", "other_run_id", "factor_id"),
        *RUN,
        *typed("string", "arm", "from_sha256", "to_sha256", "status", "start_state"),
        *typed("string", "start_reason", "final_state", "final_reason", "kind"),
        *typed("string", "edit_status", "edit_reason"),
        *typed("Int64", "n_tokens_from", "n_tokens_to"),
        *typed("Float64", "distance"),
        *typed("Int64", "n_sentences", "n_verbatim"),
        *typed("Float64", "verbatim_share"),
        *STAMP,
    ),
    keys=("evaluator", "scope", "start", "run_id", "other_run_id", "factor_id"),
)
"""One row per comparison × evaluator. `scope`: within_run, or across_runs (the baseline: the final
of `other_run_id`, a repeat of the same condition). `start`: first_draft, last_draft (the last one
before the final) and, across runs, final. `status`: same_text, compared (both states readable, not
one text), start_unreadable, final_unreadable or both_unreadable. `distance` = normalised
content-token edit distance; `n_verbatim` of `n_sentences` of the start stand word for word in the
final (Q14)."""


def comparisons(
    inputs: MeasureInputs, texts: Sequence[pd.DataFrame], policy: Policy, evaluators: Sequence[str]
) -> pd.DataFrame:
    """`PERSISTENCE_RUNS`, with relative bits `start_bits` and `final_bits`, −1 unknown.

    `inputs` are checked; `texts` (from `read_texts`) of the panel, then of the A/A set.
    """
    rows = draft_pairs(inputs).merge(evaluator_column(evaluators), how="cross")
    found = [label_texts(each, policy)[[*TEXT, "bits", "reason"]] for each in texts]
    labels = pd.concat(found).drop_duplicates(TEXT)
    for name, text in (("start", "from_sha256"), ("final", "to_sha256")):
        rows = _labelled(rows, labels, name, text)
    same = (rows["from_sha256"] == rows["to_sha256"]).to_numpy(dtype=bool)
    rows = rows.assign(status=_status(rows, same), kind=_kinds(rows))
    return _edited(rows, inputs.edits, same)


def refused(runs: pd.DataFrame, evaluators: Sequence[str]) -> pd.DataFrame:
    """Evaluator × harness × model (and `all`) for which no comparison may be made, with why."""
    saved = runs["submits_saved"].to_numpy(dtype=bool)
    return _names(runs[saved], evaluators).assign(status=REFUSED, reason=SAVED_FILE)


def groups(runs: pd.DataFrame, evaluators: Sequence[str]) -> pd.DataFrame:
    """Evaluator × harness × model (and `all`) for which comparisons may be made."""
    return _names(comparable(runs), evaluators)


def _names(runs: pd.DataFrame, evaluators: Sequence[str]) -> pd.DataFrame:
    names = runs[["harness", "model"]].drop_duplicates()
    both = pd.concat([names.assign(model=ALL_MODELS), names]).drop_duplicates()
    crossed = evaluator_column(evaluators).merge(both, how="cross")[list(GROUP)]
    return crossed.sort_values(list(GROUP), ignore_index=True)


def _labelled(rows: pd.DataFrame, labels: pd.DataFrame, name: str, text: str) -> pd.DataFrame:
    named = labels.rename(
        columns={"text_sha256": text, "bits": f"{name}_bits", "reason": f"{name}_reason"}
    )
    found = rows.merge(named, on=[text, "factor_id", "evaluator"], how="left")
    bits = found[f"{name}_bits"].fillna(rs.UNKNOWN).to_numpy(dtype=np.int64)
    q_arm = (found["arm"] == Side.Q.value).to_numpy(dtype=bool)
    reason = found[f"{name}_reason"].fillna("read_missing").to_numpy(dtype=object)
    return found.assign(
        **{
            f"{name}_state": relative_state(bits, found["arm"]),
            f"{name}_reason": rs.none_if_blank(reason),
            f"{name}_bits": np.where(q_arm, rs.swap(bits), bits),
        }
    )


def _status(rows: pd.DataFrame, same: rs.Flags) -> rs.Words:
    start, final = ((rows[f"{name}_bits"] < 0).to_numpy() for name in ("start", "final"))
    words = rs.choose(
        [same, start & final, start, final],
        [SAME_TEXT, "both_unreadable", "start_unreadable", "final_unreadable"],
    )
    return np.where(words == "", COMPARED, words)


def _kinds(rows: pd.DataFrame) -> rs.Words:
    start, final = (rows[f"{name}_bits"].to_numpy(dtype=np.int64) for name in ("start", "final"))
    return rs.only((start >= 0) & (final >= 0), KINDS_BY_STATE[start, final])


def _edited(rows: pd.DataFrame, edits: pd.DataFrame, same: rs.Flags) -> pd.DataFrame:
    """Distances beside the comparisons. Equal texts have none: it would be 0 by construction."""
    numbers = ["n_tokens_from", "n_tokens_to", "distance", "n_sentences", "n_verbatim"]
    known = edits.rename(columns={"status": "edit_status", "reason": "edit_reason"})
    kinds: dict[str, Any] = dict.fromkeys(numbers, "Int64") | {"distance": "Float64"}
    kinds |= dict.fromkeys(("from_sha256", "to_sha256", "edit_status", "edit_reason"), "str")
    found = rows.merge(known.astype(kinds), on=["from_sha256", "to_sha256"], how="left")
    found.loc[same, numbers] = pd.NA
    status = np.where(same, SAME_TEXT, found["edit_status"].fillna("unknown").to_numpy(object))
    lost = (status == "unknown") & found["edit_reason"].isna().to_numpy()
    sentences = found["n_sentences"].astype("Float64")
    return found.assign(
        edit_status=status,
        edit_reason=np.where(lost, NOT_MEASURED, found["edit_reason"].to_numpy(dtype=object)),
        verbatim_share=(found["n_verbatim"] / sentences.mask(sentences == 0)).astype("Float64"),
    )


MAKERS = {PERSISTENCE_RUNS: lambda made: made.comparisons}
