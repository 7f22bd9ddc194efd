"""Labels of texts and states of documents: the decision table of DR-71."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.checks import evaluator_column
from draligned.measure.items import TEXT, summarise_reads
from draligned.schema.labels import DocState, ReadRole, Side, UnknownReason

Policy = Literal["block_none", "ignore", "block_all"]

_STATE_WORDS = np.array(
    [
        DocState.NONE.value, DocState.OTHER_ONLY.value, DocState.OWN_ONLY.value,
        DocState.BOTH.value, DocState.UNKNOWN.value,
    ],
    dtype=object,
)  # fmt: skip


def read_texts(
    documents: pd.DataFrame, reads: pd.DataFrame, items: pd.DataFrame, evaluators: Sequence[str]
) -> pd.DataFrame:
    """One row per text × factor × evaluator with both reads' summaries side by side.

    Independent of any policy, so that all three can be made from it. A text that an evaluator
    never read has absent reads.
    """
    texts = documents[["text_sha256", "factor_id"]].drop_duplicates()
    cells = texts.merge(evaluator_column(evaluators), how="cross")
    summary = summarise_reads(reads, items)
    for role in (ReadRole.FIRST.value, ReadRole.MIRROR.value):
        rows = summary[summary["read"] == role].drop(columns="read")
        names = {name: f"{name}_{role}" for name in rows.columns if name not in TEXT}
        cells = cells.merge(rows.rename(columns=names), on=TEXT, how="left")
    fill = {"state": rs.ABSENT, "n_main": 0, "n_resolved": 0, "bits": 0, "x_sum": 0}
    for name, value in fill.items():
        for role in ("first", "mirror"):
            column = f"{name}_{role}"
            cells[column] = cells[column].fillna(value).astype(np.int64)
    return cells


def label_texts(texts: pd.DataFrame, policy: Policy) -> pd.DataFrame:
    """Adds `bits` (−1 when UNKNOWN), `reason` (blank when accepted) and `x_items`.

    A label is accepted when both reads have a resolved main item and agree in direction
    (DR-70); there is no vote. `policy` says what unresolved main items do: under `block_none`
    a read with one may not say NONE, under `block_all` it may not say anything.
    """
    first, mirror = texts["bits_first"].to_numpy(), texts["bits_mirror"].to_numpy()
    unread = rs.unread_reason(texts["state_first"].to_numpy(), texts["state_mirror"].to_numpy())
    unlike = rs.choose(
        [
            ((texts["n_resolved_first"] == 0) | (texts["n_resolved_mirror"] == 0)).to_numpy(),
            _blocked(texts, "first", policy) | _blocked(texts, "mirror", policy),
            first != mirror,
        ],
        [
            UnknownReason.NO_BASIS.value,
            UnknownReason.UNRESOLVED_ITEMS.value,
            UnknownReason.MIRROR_DISAGREEMENT.value,
        ],
    )
    reason = rs.first_reason(unread, unlike)
    return texts.assign(
        bits=np.where(reason == "", first, rs.UNKNOWN).astype(np.int8),
        reason=reason,
        x_items=_mean_x(texts),
    )


def _blocked(texts: pd.DataFrame, role: str, policy: Policy) -> NDArray[Any]:
    unresolved = (texts[f"n_main_{role}"] > texts[f"n_resolved_{role}"]).to_numpy()
    if policy == "ignore":
        return np.zeros(len(texts), dtype=bool)
    if policy == "block_all":
        return unresolved
    return unresolved & (texts[f"bits_{role}"] == 0).to_numpy()


def _mean_x(texts: pd.DataFrame) -> NDArray[Any]:
    """Mean x over resolved main items, averaged over the two reads; 0 where one has none."""
    reads = [
        texts[f"x_sum_{role}"] / texts[f"n_resolved_{role}"].clip(lower=1)
        for role in ("first", "mirror")
    ]
    return ((reads[0] + reads[1]) / 2).to_numpy()


def relative_state(bits: NDArray[Any], arm: pd.Series) -> rs.Words:
    """State relative to the run's endpoint (DR-72); −1 gives UNKNOWN."""
    own = np.where((arm == Side.Q.value).to_numpy(), rs.swap(bits), bits)
    return _STATE_WORDS[own]


def read_words(texts: pd.DataFrame, role: str) -> rs.Words:
    """What one read says, in words: null where it was not read or had no basis."""
    said = (texts[f"state_{role}"] == rs.OK) & (texts[f"n_resolved_{role}"] > 0)
    words = rs.presence_words(texts[f"bits_{role}"].to_numpy())
    return rs.only(said.to_numpy(), words)


def attach(documents: pd.DataFrame, labelled: pd.DataFrame) -> pd.DataFrame:
    """Labels of texts put on every draft and final that has the text (DR-59); every text has one
    label an evaluator, so where there is no evaluator there is no row."""
    return documents.merge(labelled, on=["text_sha256", "factor_id"], how="inner")
