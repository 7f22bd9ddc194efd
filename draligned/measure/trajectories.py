"""Runs as rows of steps, with the words that carried each label: the one builder.

Report, viewer and notebooks draw what it gives. Labels are made by the same functions as the
tables; the words are those of the validated reads.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from draligned.measure import restore as rs
from draligned.measure.documents import Policy, label_texts, read_texts
from draligned.measure.items import is_main
from draligned.measure.requests import label_requests
from draligned.schema.frames import MeasureInputs
from draligned.schema.labels import Presence, ReadRole, Side, UnknownReason
from draligned.schema.observed import ObservedDraft, ObservedFinal, ObservedRequest, ObservedRun
from draligned.schema.packets import EvalUnit, ItemRead, ReadRecord
from draligned.schema.trajectory import Evidence, PairTrajectory, ReadSaid, Step, Trajectory

Asked = tuple[ObservedRun, str]
"""A run, and the factor for which it is looked at."""
Row = Mapping[str, Any]

_LABELLING = (ReadRole.FIRST, ReadRole.MIRROR)
_STATES: Mapping[int, Literal["not_planned", "missing", "void", "oversize", "ok"]] = {
    rs.ABSENT: "not_planned", rs.MISSING: "missing", rs.VOID: "void",
    rs.OVERSIZE: "oversize", rs.OK: "ok",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Said:
    """What was read: labels by unit, and the evidence of the reads by unit."""

    requests: Mapping[tuple[str, str, int], Row] = field(default_factory=dict)
    """By run, factor and number of the request."""
    texts: Mapping[tuple[str, str], Row] = field(default_factory=dict)
    """By hash of the text and factor."""
    evidence: Mapping[tuple[str, str, int | None], tuple[Evidence, ...]] = field(
        default_factory=dict
    )
    """By run (or text), factor and request (or none)."""


def trajectories(
    asked: Iterable[Asked],
    inputs: MeasureInputs,
    evaluator: str,
    *,
    units: Iterable[EvalUnit] = (),
    reads: Iterable[ReadRecord] = (),
    policy: Policy = "block_none",
) -> tuple[Trajectory, ...]:
    """Trajectories in the order asked for, as `evaluator` (a name in `inputs`) read.

    `reads` are this evaluator's; `units` say what their packets stand for. Reads of other packets
    are passed over: without reads there are labels and no words. What `inputs` does not hold was
    not read, and stays UNKNOWN.
    """
    said = said_of(inputs, evaluator, units=units, reads=reads, policy=policy)
    return tuple(_trajectory(run, factor_id, evaluator, said) for run, factor_id in asked)


def pair_of(row: Row, found: Mapping[tuple[str, str], Trajectory]) -> PairTrajectory:
    """The pair of a row of the table `pairs`; `found` by run and factor."""
    factor_id = str(row["factor_id"])
    sides: dict[str, Any] = {}
    for side in ("p", "q"):
        run = found.get((str(row[f"run_id_{side}"]), factor_id))
        state = row[f"run_state_{side}"]
        why: str = "not_planned" if pd.isna(state) else f"run_{state}"
        sides |= {side: run, f"absent_{side}": why if run is None else None}
    return PairTrajectory(
        pair_id=str(row["pair_id"]), factor_id=factor_id, evaluator=str(row["evaluator"]), **sides
    )


def said_of(
    inputs: MeasureInputs,
    evaluator: str,
    *,
    units: Iterable[EvalUnit],
    reads: Iterable[ReadRecord],
    policy: Policy,
) -> Said:
    """Labels and evidence of one evaluator."""
    requests = label_requests(_of(inputs.request_reads, evaluator), [evaluator])
    texts = read_texts(
        inputs.documents,
        _of(inputs.document_reads, evaluator),
        _of(inputs.items, evaluator),
        [evaluator],
    )
    return Said(
        requests=_index(requests, "run_id", "factor_id", "request_no"),
        texts=_index(label_texts(texts, policy), "text_sha256", "factor_id"),
        evidence=_evidence({u.packet_id: u for u in units}, reads),
    )


def _of(frame: pd.DataFrame, evaluator: str) -> pd.DataFrame:
    return frame[frame["evaluator"] == evaluator].reset_index(drop=True)


def _index(frame: pd.DataFrame, *names: str) -> dict[Any, Row]:
    columns = [str(name) for name in frame.columns]
    found = (dict(zip(columns, r, strict=True)) for r in frame.itertuples(index=False, name=None))
    return {tuple(row[n] for n in names): row for row in found}


# evidence


def _evidence(
    units: Mapping[str, EvalUnit], reads: Iterable[ReadRecord]
) -> dict[tuple[str, str, int | None], tuple[Evidence, ...]]:
    out: dict[tuple[str, str, int | None], list[Evidence]] = {}
    chosen = [r for r in reads if r.packet_id in units and r.role in _LABELLING]
    for read in sorted(chosen, key=lambda r: (r.packet_id, _LABELLING.index(r.role))):
        unit = units[read.packet_id]
        if unit.mode == "masked":
            continue
        owner = unit.run_id or unit.text_sha256 or ""
        for number, one in (*_quotes(read), *_items(read)):
            out.setdefault((owner, unit.factor_id, number), []).append(one)
    return {key: tuple(found) for key, found in out.items()}


def _quotes(read: ReadRecord) -> Iterator[tuple[int, Evidence]]:
    cells = [cell for cell in read.cells if cell.label is not None and cell.quote]
    said = restored([c.label for c in cells if c.label], rs.SLOT_BITS, read.alpha)
    for cell, presence in zip(cells, said, strict=True):
        yield (
            cell.request_no,
            Evidence(read=read.role, presence=presence, quote=cell.quote),
        )


def _items(read: ReadRecord) -> Iterator[tuple[None, Evidence]]:
    said = restored([item.direction for item in read.items], rs.ITEM_BITS, read.alpha)
    for item, presence, main in zip(read.items, said, _main(read.items), strict=True):
        yield (
            None,
            Evidence(
                read=read.role,
                presence=presence,
                entity=item.entity_key,
                paragraphs=item.paragraph_ids,
                main=main,
            ),
        )


def _main(items: Sequence[ItemRead]) -> list[bool]:
    if not items:
        return []
    names = ("actor", "role", "action")
    frame = pd.DataFrame([{n: getattr(item, n).value for n in names} for item in items])
    return [bool(main) for main in is_main(frame)]


def restored(labels: Sequence[str], codes: Mapping[str, int], alpha: Side) -> list[Presence]:
    """Labels in slot terms (`codes`: `restore.SLOT_BITS` or `ITEM_BITS`) restored to P and Q."""
    slots = rs.encode(pd.Series([str(label) for label in labels], dtype=object), codes, "reads")
    bits = rs.restore(slots, pd.Series([alpha.value] * len(labels), dtype=object))
    return [Presence(word) for word in rs.presence_words(bits)]


# steps


def _trajectory(run: ObservedRun, factor_id: str, evaluator: str, said: Said) -> Trajectory:
    side = next((a.side for a in run.assigned if a.factor_id == factor_id), None)
    finals = () if run.final is None else (run.final,)
    steps = [
        *(_request(run.run_id, factor_id, request, said) for request in run.requests),
        *(_document(factor_id, document, said) for document in (*run.drafts, *finals)),
    ]
    return Trajectory(
        run_id=run.run_id,
        attempt=run.attempt,
        task_id=run.task_id,
        user_id=run.user_id,
        factor_id=factor_id,
        side=side,
        model=run.model_name,
        harness=run.harness_name,
        environment=run.environment,
        replicate=run.replicate,
        evaluator=evaluator,
        outcome=run.end.outcome,
        observes=run.observes,
        steps=tuple(sorted(steps, key=lambda s: (s.seq, s.unit == "final"))),
    )


def _request(run_id: str, factor_id: str, request: ObservedRequest, said: Said) -> Step:
    row = said.requests.get((run_id, factor_id, request.request_no))
    return Step(
        seq=request.seq,
        unit="request",
        no=request.request_no,
        first=_request_read(row, "first"),
        mirror=_request_read(row, "mirror"),
        **_label(row),
        evidence=said.evidence.get((run_id, factor_id, request.request_no), ()),
        tool=request.tool,
        request=request.request,
        return_status=request.return_status,
        delegation=request.parent,
    )


def _document(factor_id: str, document: ObservedDraft | ObservedFinal, said: Said) -> Step:
    row = said.texts.get((document.text_sha256, factor_id))
    draft = isinstance(document, ObservedDraft)
    return Step(
        seq=document.seq,
        unit="draft" if draft else "final",
        no=document.version_no if isinstance(document, ObservedDraft) else None,
        first=_text_read(row, "first"),
        mirror=_text_read(row, "mirror"),
        **_label(row),
        evidence=said.evidence.get((document.text_sha256, factor_id, None), ()),
        text_sha256=document.text_sha256,
        chars=document.chars,
    )


def _label(row: Row | None) -> dict[str, Any]:
    if row is None:
        return {"presence": Presence.UNKNOWN, "reason": UnknownReason.READ_MISSING}
    reason = row["reason"]
    return {
        "presence": _word(row["bits"]),
        "reason": UnknownReason(reason) if reason else None,
    }


def _request_read(row: Row | None, role: str) -> ReadSaid:
    if row is None:
        return ReadSaid(status="missing", presence=None)
    state = int(row[f"state_{role}"])
    said = _word(row[f"bits_{role}"]) if state == rs.OK else None
    return ReadSaid(status=_STATES[state], presence=said)


def _text_read(row: Row | None, role: str) -> ReadSaid:
    if row is None:
        return ReadSaid(status="missing", presence=None)
    state = int(row[f"state_{role}"])
    if state == rs.OK and not row[f"n_resolved_{role}"]:
        return ReadSaid(status="no_basis", presence=None)
    said = _word(row[f"bits_{role}"]) if state == rs.OK else None
    return ReadSaid(status=_STATES[state], presence=said)


def _word(bits: int) -> Presence:
    return Presence(rs.presence_words(np.array([bits]))[0])
