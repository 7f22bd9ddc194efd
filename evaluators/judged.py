"""What an evaluator says of gold packets, beside what is right.

Labels are made by the same functions as a study's: `collect`, then measure's readings under the
default policy on unresolved items.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from draligned.bench_data.gold import GoldDocument
from draligned.evaluators.collect import collect
from draligned.evaluators.gold import GoldUnit
from draligned.evaluators.orientation import ReadPlan, alpha_of
from draligned.evaluators.read_columns import as_columns
from draligned.measure import restore as rs
from draligned.measure.documents import label_texts
from draligned.measure.made import read
from draligned.schema import frames
from draligned.schema.labels import Observes, ReadRole, Side
from draligned.schema.packets import ReadRecord

COLUMNS = (
    "gold_id", "kind", "no", "trap", "sense", "order", "expected", "alpha", "first", "mirror",
    "label", "reason",
)  # fmt: skip
"""One row per request or document. `first`, `mirror`: what each read says, restored, null where
it is unreadable; UNKNOWN where it abstains, or shows no resolved main advice. `label` is of both
reads (DR-56, DR-70), with the reason where it is UNKNOWN."""

_NAME = "evaluator"


def judged(
    units: Sequence[GoldUnit], reads: Iterable[ReadRecord], *, evaluator_id: str, plan: ReadPlan
) -> pd.DataFrame:
    """`COLUMNS` for every request and document of `units`, in their order.

    Raises `InventoryError` for reads of other packets or in other orientations.
    """
    inputs = collect(
        runs_table=_runs_table(units),
        runs=[u.run for u in units],
        units=[u.unit for u in units],
        reads=map(as_columns, reads),
        evaluators={evaluator_id: _NAME},
        plan=plan,
    )
    readings = read(inputs, [_NAME])
    said = {**_requests(readings.requests), **_documents(readings.texts)}
    rows = []
    for unit in units:
        alpha = alpha_of(unit.unit.packet_id, plan.seed, ReadRole.FIRST).value
        for no, facts in _expected(unit):
            found = said[unit.key, no]
            same = {"gold_id": unit.gold_id, "kind": unit.unit.kind, "no": no, "alpha": alpha}
            rows.append({**same, **facts, **found})
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def _expected(unit: GoldUnit) -> Iterator[tuple[int, dict[str, Any]]]:
    """What is right of each request, or of the document, which has number 0."""
    gold = unit.gold
    items = [(0, gold)] if isinstance(gold, GoldDocument) else enumerate(gold.requests, start=1)
    for no, item in items:
        yield (
            no,
            {
                "trap": item.trap.value,
                "sense": item.sense,
                "order": item.order if isinstance(item, GoldDocument) else None,
                "expected": item.label.value,
            },
        )


def _requests(rows: pd.DataFrame) -> dict[tuple[str, int], dict[str, Any]]:
    said = {
        role: rs.only(
            rows[f"read_{role}"].to_numpy(dtype=bool),
            rs.presence_words(rows[f"bits_{role}"].to_numpy()),
        )
        for role in _ROLES
    }
    keys = zip(rows["run_id"], rows["request_no"], strict=True)
    return _by_key(keys, said, rows)


def _documents(texts: pd.DataFrame) -> dict[tuple[str, int], dict[str, Any]]:
    rows = label_texts(texts, "block_none")
    said = {role: _read_of_text(rows, role) for role in _ROLES}
    keys = ((f"{text}|{factor}", 0) for text, factor in zip(rows["text_sha256"], rows["factor_id"],
                                                          strict=True))  # fmt: skip
    return _by_key(keys, said, rows)


def _read_of_text(rows: pd.DataFrame, role: str) -> rs.Words:
    """What one read of a text says by itself, under the rule for its label."""
    resolved, main = rows[f"n_resolved_{role}"], rows[f"n_main_{role}"]
    bits = rows[f"bits_{role}"].to_numpy()
    silent = ((resolved == 0) | ((main > resolved) & (bits == 0))).to_numpy()
    words = rs.presence_words(np.where(silent, rs.UNKNOWN, bits))
    return rs.only((rows[f"state_{role}"] == rs.OK).to_numpy(), words)


def _by_key(
    keys: Iterable[tuple[str, int]], said: dict[str, rs.Words], rows: pd.DataFrame
) -> dict[tuple[str, int], dict[str, Any]]:
    labels = rs.presence_words(rows["bits"].to_numpy())
    reasons = rs.none_if_blank(rows["reason"].to_numpy(dtype=object))
    columns = zip(keys, said["first"], said["mirror"], labels, reasons, strict=True)
    return {
        (str(run), int(no)): {"first": first, "mirror": mirror, "label": label, "reason": reason}
        for (run, no), first, mirror, label, reason in columns
    }


def _runs_table(units: Sequence[GoldUnit]) -> pd.DataFrame:
    """`frames.RUNS`: each gold packet as a done run of its own."""
    seen = dict.fromkeys(("observes_a", "observes_w", "observes_f"), Observes.FULL.value)
    off = dict.fromkeys(("development", "submits_saved", "delegation_offered"), False)
    rows = [
        {**dict.fromkeys(frames.RUNS, ""), **seen, **off, "run_id": unit.gold_id,
         "task_id": unit.gold_id, "factor_id": unit.unit.factor_id, "arm": Side.P.value,
         "replicate": 1, "state": "done", "delegations": 0, "requests": 0,
         "requests_delegated": 0, "last_request_seq": None}
        for unit in units
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(frames.RUNS), dtype=object)


_ROLES = ("first", "mirror")
