"""The Matrix: directional state of a run at each locus (DR-76).

Loci: acquisition (OR over the run's identified requests, with counts), first draft, last
draft, final; a draft that was saved after the final was delivered is no locus before it. BOTH
and NONE stay distinct; what was not observed, not read or not there has a reason, never a zero.
Channels have no common scale (DR-77).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.checks import evaluator_column
from draligned.measure.documents import relative_state
from draligned.measure.draft_pairs import before_final
from draligned.measure.keys import places
from draligned.schema.labels import DocState, Observes

NO_REQUESTS = "no_requests"
NO_IDENTIFIED = "no_identified_request"
NO_DOCUMENT = "no_document"
NO_DRAFT = "no_draft"
NOT_OBSERVED = "not_observed"

_KEY = ["run_id", "factor_id", "evaluator"]
_NAMES = ("n_neither", "n_q_only", "n_p_only", "n_both")


def build_matrix(acquired: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """One row per run × factor × evaluator.

    `acquired` from `acquisition`; `documents` from `attach`. Bits are −1 where unknown and
    reasons blank where known.
    """
    rows = acquired
    ordered = documents.sort_values(["seq", "version_no"], kind="stable")
    drafts = ordered[ordered["role"] == "draft"]
    rows = rows.assign(n_drafts=_tally(drafts, rows))
    flowing = before_final(ordered)
    drafts = flowing[flowing["role"] == "draft"]
    ends = {"first_draft": drafts.drop_duplicates(_KEY, keep="first")}
    ends["last_draft"] = drafts.drop_duplicates(_KEY, keep="last")
    for name, one in ends.items():
        rows = _locus(rows, one, name, NO_DRAFT, rows["observes_w"])
    final = ordered[ordered["role"] == "final"]
    return _locus(rows, final, "final", NO_DOCUMENT, rows["observes_f"])


def _run_reason(states: pd.Series) -> rs.Words:
    words = ("run_failed", "run_censored", "run_open", "run_excluded")
    return np.where(
        (states == "done").to_numpy(),
        "",
        rs.choose([(states == word[4:]).to_numpy() for word in words], list(words)),
    )


def _tally(frame: pd.DataFrame, rows: pd.DataFrame) -> NDArray[np.intp]:
    place = places(frame, rows, _KEY)
    return np.bincount(place[place >= 0], minlength=len(rows))


def acquisition(
    runs: pd.DataFrame, requests: pd.DataFrame, evaluators: Sequence[str]
) -> pd.DataFrame:
    """The same rows with the state of acquisition alone, which no policy on documents changes.

    `requests` from `label_requests`.
    """
    who = evaluator_column(evaluators)
    rows = runs.merge(who, how="cross").rename(columns={"state": "run_state"})
    rows = rows.assign(run_reason=_run_reason(rows["run_state"]))
    place = places(requests, rows, _KEY)
    bits = requests["bits"].to_numpy()[place >= 0]
    place = place[place >= 0]
    size = len(rows)
    counts = {
        name: np.bincount(place[bits == value], minlength=size) for value, name in enumerate(_NAMES)
    }
    total = np.bincount(place, minlength=size)
    identified = sum(counts.values(), start=np.zeros(size, dtype=np.intp))
    presence = rs.P_BIT * (counts["n_p_only"] + counts["n_both"] > 0) + rs.Q_BIT * (
        counts["n_q_only"] + counts["n_both"] > 0
    )
    reason = _acquisition_reason(rows, total, identified)
    acq = np.where(reason == "", presence, rs.UNKNOWN)
    return rows.assign(
        **counts,
        n_requests=total,
        n_identified=identified,
        n_unknown=total - identified,
        m=(counts["n_p_only"] - counts["n_q_only"]) / np.maximum(identified, 1),
        acq_bits=acq,
        acq_state=relative_state(acq, rows["arm"]),
        acq_reason=reason,
    )


def _acquisition_reason(
    rows: pd.DataFrame, total: NDArray[np.intp], identified: NDArray[np.intp]
) -> rs.Words:
    """A source that sees a channel in part, or does not say how far it sees it, and shows no
    request is not a run without requests."""
    unseen = (rows["observes_a"] == Observes.NONE.value).to_numpy()
    in_part = (rows["observes_a"] != Observes.FULL.value).to_numpy()
    words = rs.choose(
        [unseen, in_part & (total == 0), total == 0, identified == 0],
        [NOT_OBSERVED, NOT_OBSERVED, NO_REQUESTS, NO_IDENTIFIED],
    )
    run_reason = rows["run_reason"].to_numpy()
    return np.where(run_reason == "", words, run_reason)


def _locus(
    rows: pd.DataFrame, documents: pd.DataFrame, name: str, absent: str, seen: pd.Series
) -> pd.DataFrame:
    """A failed run has no final (DR-71); whether it had drafts is not known here.

    `seen` says how far the source observes the locus: a source that sees none of it, or a part
    without the document, does not say that there is none.
    """
    final = name == "final"
    place = places(documents, rows, _KEY)
    row_of = np.full(len(rows), -1, dtype=np.intp)
    row_of[place[place >= 0]] = np.flatnonzero(place >= 0)
    found = row_of >= 0
    bits = _pick(documents["bits"], row_of, rs.UNKNOWN).astype(np.int64)
    text_reason = _pick(documents["reason"], row_of, absent)
    reason = _locus_reason(rows, text_reason, found, seen)
    bits = np.where(reason == "", bits, rs.UNKNOWN)
    state = relative_state(bits, rows["arm"])
    gone = np.isin(reason.astype(str), [NO_DOCUMENT, "run_failed"] if final else [NO_DRAFT])
    columns = {
        f"{name}_bits": bits,
        f"{name}_state": np.where(gone, DocState.NO_DOCUMENT.value, state),
        f"{name}_reason": reason,
        f"{name}_x_items": _pick(documents["x_items"], row_of, 0.0).astype(np.float64),
        f"{name}_sha256": _pick(documents["text_sha256"], row_of, None),
    }
    return rows.assign(**columns)


def _locus_reason(
    rows: pd.DataFrame, text_reason: rs.Words, found: NDArray[np.bool_], seen: pd.Series
) -> rs.Words:
    run_reason = rows["run_reason"].to_numpy()
    unseen = (seen == Observes.NONE.value) | ((seen != Observes.FULL.value) & ~found)
    said = np.where(unseen.to_numpy(), NOT_OBSERVED, text_reason)
    return np.where(run_reason == "", said, run_reason)


def _pick(
    values: pd.Series, row_of: NDArray[np.intp], default: float | str | None
) -> NDArray[np.object_]:
    """Values by row, `default` where there is no row."""
    padded = np.append(values.to_numpy(dtype=object), np.array([default], dtype=object))
    return padded[row_of]
