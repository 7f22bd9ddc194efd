"""What a correction leaves out: the records stay, and no table is made from them (DR-106).

A run stays planned: left out, it is unreadable with the reason `run_excluded`, as a failed one is
with its own, so that bounds and readability know of it. A read that is left out is void with the
reason `excluded`, so that its unit is UNKNOWN.
"""

from dataclasses import dataclass, replace

import pandas as pd

from draligned.schema.frames import InputSet, MeasureInputs
from draligned.schema.labels import Observes

STATE = "excluded"
"""State of a run that is left out."""
REASON = "excluded"
"""Reason of a read that is left out."""

_UNSEEN = ("delegations", "requests", "requests_delegated", "last_request_seq")
_OBSERVES = ("observes_a", "observes_w", "observes_f")


@dataclass(frozen=True, kw_only=True)
class Excluded:
    """What is left out, by the ids that the tables have."""

    runs: frozenset[str] = frozenset()
    factors: frozenset[str] = frozenset()
    requests: frozenset[tuple[str, str, int]] = frozenset()
    """Reads of requests: run, factor, number of the request."""
    texts: frozenset[tuple[str, str]] = frozenset()
    """Reads of texts: hash of the text, factor."""
    masked: frozenset[tuple[str, str]] = frozenset()
    """The same of texts read with the user's restatements masked, which have packets of their
    own."""

    def __bool__(self) -> bool:
        return any((self.runs, self.factors, self.requests, self.texts, self.masked))

    def of(self, name: InputSet) -> "Excluded":
        """What is left out of a set beside the panel."""
        return replace(self, texts=self.masked) if name is InputSet.MASKED else self


def exclude(inputs: MeasureInputs, excluded: Excluded) -> MeasureInputs:
    """`inputs` without what is left out, in every set; the same object where nothing is."""
    if not excluded:
        return inputs
    documents = _of_others(inputs.documents, excluded)
    reads, items = _document_reads(inputs, documents, excluded)
    gone = inputs.runs.loc[_left_out(inputs.runs, excluded), "run_id"]
    return replace(
        inputs,
        runs=_runs(inputs.runs, excluded),
        request_reads=_request_reads(_of_others(inputs.request_reads, excluded), excluded),
        documents=documents,
        document_reads=reads,
        items=items,
        visits=inputs.visits[~inputs.visits["run_id"].isin(gone)],
        sets={name: exclude(part, excluded.of(name)) for name, part in inputs.sets.items()},
    )


def _left_out(frame: pd.DataFrame, excluded: Excluded) -> pd.Series:
    return frame["run_id"].isin(excluded.runs) | frame["factor_id"].isin(excluded.factors)


def _of_others(frame: pd.DataFrame, excluded: Excluded) -> pd.DataFrame:
    return frame[~_left_out(frame, excluded)]


def _runs(runs: pd.DataFrame, excluded: Excluded) -> pd.DataFrame:
    """Only what was done can be left out: what failed keeps its own reason."""
    out = _left_out(runs, excluded) & (runs["state"] == "done")
    seen = {name: runs[name].mask(out, Observes.NONE.value) for name in _OBSERVES}
    counts = {name: runs[name].astype(object).mask(out, None) for name in _UNSEEN}
    return runs.assign(state=runs["state"].mask(out, STATE), **seen, **counts)


def _request_reads(reads: pd.DataFrame, excluded: Excluded) -> pd.DataFrame:
    units = zip(reads["run_id"], reads["factor_id"], reads["request_no"], strict=True)
    out = pd.Series([unit in excluded.requests for unit in units], index=reads.index, dtype=bool)
    return _void(reads, out, ("label",))


def _document_reads(
    inputs: MeasureInputs, documents: pd.DataFrame, excluded: Excluded
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Reads of texts that are still there, those left out void, and items of the others."""
    here = set(zip(documents["text_sha256"], documents["factor_id"], strict=True))
    reads = inputs.document_reads[_among(inputs.document_reads, here)]
    out = _among(reads, excluded.texts)
    items = inputs.items[_among(inputs.items, here - excluded.texts)]
    return _void(reads, out, ("n_items", "n_dropped", "cap_hit")), items


def _among(
    frame: pd.DataFrame, texts: set[tuple[str, str]] | frozenset[tuple[str, str]]
) -> pd.Series:
    units = zip(frame["text_sha256"], frame["factor_id"], strict=True)
    return pd.Series([unit in texts for unit in units], index=frame.index, dtype=bool)


def _void(reads: pd.DataFrame, out: pd.Series, emptied: tuple[str, ...]) -> pd.DataFrame:
    """A read that was made is void where it is left out; one that is missing stays missing."""
    made = out & (reads["status"] != "missing")
    cells = {name: reads[name].astype(object).mask(made, None) for name in emptied}
    return reads.assign(
        status=reads["status"].mask(made, "void"),
        reason=reads["reason"].astype(object).mask(made, REASON),
        **cells,
    )
