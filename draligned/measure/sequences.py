"""The comparable units of a run in order: its requests, or its drafts and final (DR-78).

Requests are compared with requests and documents with documents, within one run, factor and
evaluator, by state relative to the run's own endpoint (DR-72, DR-81).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.draft_pairs import before_final
from draligned.measure.keys import places
from draligned.measure.matrix import NO_DOCUMENT, NO_IDENTIFIED
from draligned.schema.labels import DocState, Observes, Side

Unit = Literal["request", "document"]
KEY = ["evaluator", "run_id", "factor_id"]
NAMES = [*KEY, "task_id", "user_id", "model", "harness", "environment", "arm", "replicate"]

OWN = rs.P_BIT
"""Bit of the run's own endpoint in a relative state; the other bit is the counterfactual's."""
LETTERS = np.array(["N", "X", "O", "B", "?"])
"""Of relative states 0 … 3 and of unknown (−1): none, other, own, both."""
STATES = np.array(
    [
        DocState.NONE.value, DocState.OTHER_ONLY.value, DocState.OWN_ONLY.value,
        DocState.BOTH.value, DocState.UNKNOWN.value,
    ],
    dtype=object,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Sequences:
    """Units of many runs; those of one run stand together, in order."""

    unit: Unit
    heads: pd.DataFrame
    """One row per run × factor × evaluator: its names, `in_full` (whether every unit was
    observed) and `reason` (why it has no units; blank where it has)."""
    of: NDArray[np.intp]
    """Row of `heads` of each unit, ascending."""
    role: rs.Words
    """request, draft or final."""
    no: NDArray[np.int64]
    """Number of the request or of the draft version; −1 of a final."""
    state: NDArray[np.int64]
    """Relative state; −1 unknown."""
    text: rs.Words
    """Hash of a document's text; null for requests."""

    @cached_property
    def paths(self) -> list[str]:
        """A letter per unit, run by run; a bar before the final."""
        letters = LETTERS[self.state].astype(object)
        letters[self.role == "final"] = "|" + letters[self.role == "final"]
        ends = np.cumsum(self.sizes)
        return ["".join(letters[end - n : end]) for end, n in zip(ends, self.sizes, strict=True)]

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of units of each head."""
        return np.bincount(self.of, minlength=len(self.heads))

    def count(self, flags: rs.Flags) -> NDArray[np.intp]:
        """Number of flagged units of each head."""
        return np.bincount(self.of[flags], minlength=len(self.heads))


def request_sequences(matrix: pd.DataFrame, requests: pd.DataFrame) -> Sequences:
    """Requests in the order they were made, those inside delegations included (DR-25)."""
    known = matrix["acq_reason"].isin(["", NO_IDENTIFIED])
    heads = matrix[NAMES].assign(
        in_full=(matrix["observes_a"] == Observes.FULL.value).to_numpy(),
        reason=np.where(known, "", matrix["acq_reason"].to_numpy(dtype=object)),
    )
    units = pd.DataFrame(
        {
            **{name: requests[name] for name in [*KEY, "bits"]},
            "role": "request",
            "no": requests["request_no"].astype(np.int64),
            "place": requests["request_no"].astype(np.int64),
            "text_sha256": None,
        }
    )
    return _ordered("request", heads, units)


def document_sequences(matrix: pd.DataFrame, documents: pd.DataFrame) -> Sequences:
    """Draft versions, then the final. Drafts saved after the final was delivered are left out, and
    so is the final of a harness that submits the saved draft itself (DR-23)."""
    flowing = before_final(documents)
    saved = matrix.loc[matrix["submits_saved"].to_numpy(dtype=bool), "run_id"]
    final = flowing["role"] == "final"
    flowing = flowing[~(final & flowing["run_id"].isin(saved))]
    full = [(matrix[f"observes_{c}"] == Observes.FULL.value).to_numpy() for c in "wf"]
    heads = matrix[NAMES].assign(in_full=full[0] & full[1], reason=_document_reason(matrix))
    last = np.iinfo(np.int64).max
    is_final = (flowing["role"] == "final").to_numpy()
    number = flowing["version_no"].fillna(-1).to_numpy(dtype=np.int64)
    units = flowing[[*KEY, "bits", "role", "text_sha256"]].assign(
        no=np.where(is_final, -1, number),
        place=np.where(is_final, last, flowing["seq"].fillna(0).to_numpy(dtype=np.int64)),
    )
    found = _ordered("document", heads, units)
    absent = (heads["reason"] == "").to_numpy() & (found.sizes == 0)
    reason = np.where(absent, NO_DOCUMENT, heads["reason"].to_numpy(dtype=object))
    return replace(found, heads=found.heads.assign(reason=reason))


def _document_reason(matrix: pd.DataFrame) -> rs.Words:
    unseen = (matrix["observes_w"] == Observes.NONE.value).to_numpy()
    run_reason = matrix["run_reason"].to_numpy(dtype=object)
    return np.where(unseen & (run_reason == ""), "not_observed", run_reason)


def _ordered(unit: Unit, heads: pd.DataFrame, units: pd.DataFrame) -> Sequences:
    heads = heads.reset_index(drop=True)
    of = places(units, heads, KEY)
    usable = of >= 0
    usable[usable] = (heads["reason"] == "").to_numpy()[of[usable]]
    units, of = units[usable], of[usable]
    order = np.lexsort((units["no"].to_numpy(), units["place"].to_numpy(), of))
    units, of = units.iloc[order], of[order]
    bits = units["bits"].to_numpy(dtype=np.int64)
    other_arm = (heads["arm"] == Side.Q.value).to_numpy()[of]
    return Sequences(
        unit=unit,
        heads=heads,
        of=of,
        role=units["role"].to_numpy(dtype=object),
        no=units["no"].to_numpy(dtype=np.int64),
        state=np.where(other_arm, rs.swap(bits), bits).astype(np.int64),
        text=units["text_sha256"].to_numpy(dtype=object),
    )
