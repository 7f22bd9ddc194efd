"""What the reads of one unit say, side by side: first, mirrored and retest, restored to P and Q.

A unit is a request × factor or a distinct text × factor. Retests never enter a label (DR-55);
they are compared here and nowhere else.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import requests as rq
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.items import TEXT, summarise_reads
from draligned.measure.keys import places, tally
from draligned.measure.restore import OK, UNKNOWN, swap
from draligned.schema.frames import MeasureInputs
from draligned.schema.labels import ReadRole, Side

Codes = NDArray[np.int8]

UNREAD = -2
"""No such read, or it is void: it says nothing. −1: it was read and gives no direction (the
evaluator abstains, or a text's read has no resolved main item)."""
SIDES = ("first", "mirror", "retest")

_NAMES = ["evaluator", "harness", "model", "task_id"]
_SAID = [*_NAMES, "kind", "alpha", *SIDES, "retested"]


def read_units(
    known: MeasureInputs, requests: pd.DataFrame, documents: pd.DataFrame
) -> pd.DataFrame:
    """Units of each evaluator × model (each, and `all`) by what their reads say, from checked
    inputs and the labelled requests and documents with the names of their runs.

    Columns: evaluator, harness, model, task_id, kind (`request` or `document`), `alpha` (the
    endpoint that stood first in the first read), `first`, `mirror`, `retest` (bits, −1, −2),
    `retested` (whether a retest was planned) and `n`, how many units are all that. A text counts
    once for a model, whoever wrote it.
    """
    asked, wrote = tally(_requests(known, requests), _SAID), _documents(known, documents)
    once = ["evaluator", "harness", "model", "text_sha256", "factor_id"]
    texts = pd.concat([wrote, wrote.assign(model=ALL_MODELS)], ignore_index=True)
    both = [asked, asked.assign(model=ALL_MODELS), tally(texts.drop_duplicates(once), _SAID)]
    return pd.concat(both, ignore_index=True)


def _requests(known: MeasureInputs, requests: pd.DataFrame) -> pd.DataFrame:
    again = rq.one_read(known.request_reads, ReadRole.RETEST)
    place = places(again, requests, rq.CELL)
    again, place = again[place >= 0], place[place >= 0]
    retest, retested = np.full(len(requests), UNREAD, np.int8), np.zeros(len(requests), bool)
    retest[place] = _code(again["bits_retest"], again["state_retest"] == OK)
    retested[place] = True
    return requests[_NAMES].assign(
        kind="request",
        alpha=requests["alpha"],
        first=_code(requests["bits_first"], requests["read_first"]),
        mirror=_code(requests["bits_mirror"], requests["read_mirror"]),
        retest=retest,
        retested=retested,
    )


def _documents(known: MeasureInputs, documents: pd.DataFrame) -> pd.DataFrame:
    unit = ["text_sha256", "factor_id"]
    units = documents[[*_NAMES, *unit]].drop_duplicates()
    said = text_reads(known)
    sides = said.pivot(index=TEXT, columns="read", values="code").reindex(columns=list(SIDES))
    alpha = said.loc[said["read"] == ReadRole.FIRST.value, [*TEXT, "alpha"]]
    out = units.merge(sides.reset_index(), on=TEXT, how="left").merge(alpha, on=TEXT, how="left")
    return out[[*_NAMES, *unit]].assign(
        kind="document",
        alpha=out["alpha"],
        retested=out["retest"].notna(),
        **{side: out[side].fillna(UNREAD).astype(np.int8) for side in SIDES},
    )


def text_reads(known: MeasureInputs) -> pd.DataFrame:
    """One row per read of a text × factor × evaluator: `read`, `alpha`, `code` (bits, −1, −2)."""
    said = summarise_reads(known.document_reads, known.items, SIDES)
    sides = known.document_reads[[*TEXT, "read", "alpha"]]
    return said.assign(code=_document_code(said)).merge(sides, on=[*TEXT, "read"], how="left")


def _document_code(said: pd.DataFrame) -> Codes:
    code = np.where(said["n_resolved"] > 0, said["bits"], UNKNOWN)
    return np.where(said["state"] == OK, code, UNREAD).astype(np.int8)


def _code(bits: pd.Series, read: pd.Series) -> Codes:
    return np.where(read.to_numpy(dtype=bool), bits.to_numpy(), UNREAD).astype(np.int8)


def slot_codes(codes: Codes, alpha: pd.Series) -> Codes:
    """Bits (P, Q) as bits (ALPHA, BETA) of a read in which `alpha` stood in ALPHA."""
    turned = (alpha == Side.Q.value).to_numpy() & (codes >= 0)
    return np.where(turned, swap(np.maximum(codes, 0)), codes).astype(np.int8)
