"""Tables of gates applied after the fact: a row a record and gate, and counts of them."""

from collections.abc import Iterable, Sequence

import pandas as pd

from draligned.gates.rule import Gate
from draligned.progress.regate import BOUNDARY, Recorded, Replayed, Verdict, replay

EVIDENCE = "Audit/engineering"
_KEYS = ["source", "under", "deployment", "gate"]


def regate(records: Iterable[Recorded], gates: Sequence[Gate]) -> pd.DataFrame:
    """One row a record and gate, sorted."""
    rows = [_row(replay(r, gate)) for r in records for gate in gates]
    columns = [*_KEYS, "record_id", "ended_as", "verdict", "replies", "stopped_at", "done_at",
               "saved", "late", "reason", "rehearsal"]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns)
    numbers = dict.fromkeys(("replies", "stopped_at", "done_at", "saved", "late"), "Int64")
    ordered = frame.astype(numbers).sort_values([*_KEYS, "record_id"], ignore_index=True)
    return ordered.assign(evidence=EVIDENCE, boundary=BOUNDARY)


def _row(found: Replayed) -> dict[str, object]:
    record = found.record
    return {
        "source": record.source, "under": record.under, "deployment": record.deployment,
        "gate": found.gate, "record_id": record.record_id, "ended_as": record.ended_as,
        "verdict": found.verdict.value, "replies": len(record.decisions),
        "stopped_at": found.stopped_at, "done_at": found.done_at, "saved": found.saved,
        "late": found.late, "reason": found.reason, "rehearsal": record.rehearsal,
    }  # fmt: skip


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Records by verdict for each source, arm or harness, deployment and gate.

    `saved` are replies after a right stop alone: what a false one cuts off is no saving, and
    stands in `cut_off`.
    """
    rows = []
    for key, own in frame.groupby(_KEYS, sort=True):
        codes = {code for cell in own["reason"] for code in cell.split()}
        by = own.groupby("verdict")
        counted = by.size()
        saved = by["saved"].sum()
        rows.append(
            {
                **dict(zip(_KEYS, key, strict=True)), "records": len(own),
                **{v.value: int(counted.get(v.value, 0)) for v in Verdict},
                "replies": int(own["replies"].sum()),
                "saved": int(saved.get(Verdict.RIGHT_STOP.value, 0)),
                "cut_off": int(saved.get(Verdict.FALSE_COMPLETION.value, 0)),
                "reason": " ".join(sorted(codes)), "rehearsal": bool(own["rehearsal"].any()),
            }
        )  # fmt: skip
    columns = [*_KEYS, "records", *(v.value for v in Verdict), "replies", "saved", "cut_off",
               "reason", "rehearsal"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).assign(evidence=EVIDENCE, boundary=BOUNDARY)
