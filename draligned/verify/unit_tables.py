"""The long table of every unit, and when drafts and finals stand, made anew."""

from collections.abc import Iterator
from typing import Any

from draligned.verify.arms import Arm
from draligned.verify.clustered import share
from draligned.verify.compare import Own, Row
from draligned.verify.label_tables import NAMES
from draligned.verify.labels import presence, readout
from draligned.verify.logs import Run
from draligned.verify.packets import texts_of
from draligned.verify.study import ALL, Study

Cell = dict[str, Any]


def long(study: Study) -> Own:
    """Every request, draft and final × evaluator, and a row where a planned run has none."""
    columns = (
        "evaluator", "channel", "unit", "run_id", "factor_id", "unit_no", "pair_id", *NAMES, "arm",
        "contrast", "replicate", "kind", "return_status", "text_sha256", "status", "reason",
        "presence", "x", "weight", "development",
    )  # fmt: skip
    paired: dict[tuple[str, str], str] = {}
    for pair in study.pairs() if study.pairing == "first" else ():
        for arm in (pair.p, pair.q):
            if arm is not None:
                paired[pair.evaluator, arm.run.run_id] = pair.pair_id
    rows: list[Row] = []
    for arm in study.arms():
        head = _head(arm) | {
            "pair_id": paired.get((arm.evaluator, arm.run.run_id)),
            "development": arm.run.names[3] in study.development,
        }
        for unit in _units(study, arm):
            row = head | unit
            rows.append(tuple(row.get(c) for c in columns))
    return Own(name="long", columns=columns, rows=rows, keys=columns[:6])


def _head(arm: Arm) -> Cell:
    run = arm.run
    return {
        "evaluator": arm.evaluator, "run_id": run.run_id, "factor_id": arm.factor_id,
        **dict(zip(NAMES, run.names, strict=True)), "arm": arm.side,
        "contrast": 0.5 if arm.side == "P" else -0.5, "replicate": run.cell.replicate,
    }  # fmt: skip


def _units(study: Study, arm: Arm) -> Iterator[Cell]:
    yield from _requests(study, arm) if arm.counts.n_requests else [_none("A", arm.acq.reason)]
    drafts = [text for role, text in texts_of(arm.run) if role == "draft"]
    final = arm.run.seen.final if arm.run.seen else None
    for draft in drafts:
        yield _text(study, arm, draft.sha256) | {
            "channel": "W", "unit": "draft", "unit_no": draft.version, "weight": None
        }  # fmt: skip
    if not drafts:
        yield _none("W", arm.last_draft.reason)
    if final is None:
        yield _none("F", arm.final.reason)
        return
    row = _said(*_of_run(study, arm, final.sha256)) | {"text_sha256": final.sha256}
    weight = 1.0 if row["status"] == "identified" else None
    yield row | {"channel": "F", "unit": "final", "unit_no": 1, "weight": weight}


def _none(channel: str, reason: str) -> Cell:
    return {"channel": channel, "unit": "none", "unit_no": 0, "status": "unknown",
            "reason": reason or None, "presence": "UNKNOWN"}  # fmt: skip


def _said(bits: int, reason: str) -> Cell:
    known = not reason
    return {
        "status": "identified" if known else "unknown", "reason": reason or None,
        "presence": presence(bits if known else -1), "x": readout(bits) if known else None,
    }  # fmt: skip


def _text(study: Study, arm: Arm, sha256: str) -> Cell:
    label = study.text(sha256, arm.factor_id, arm.evaluator).label(study.policy)
    return _said(label.bits, label.reason) | {"text_sha256": sha256}


def _of_run(study: Study, arm: Arm, sha256: str) -> tuple[int, str]:
    label = study.text(sha256, arm.factor_id, arm.evaluator).label(study.policy)
    return label.bits, label.reason or arm.final.reason


def _requests(study: Study, arm: Arm) -> Iterator[Cell]:
    labels = study.requests[arm.run.run_id, arm.factor_id, arm.evaluator]
    rows = []
    for request in arm.run.seen.requests if arm.run.seen else ():
        label = labels[request.number]
        row = _said(label.bits, label.reason or arm.acq.reason)
        rows.append(row | {"channel": "A", "unit": "request", "unit_no": request.number,
                           "kind": request.tool, "return_status": request.status})  # fmt: skip
    known = sum(row["status"] == "identified" for row in rows)
    for row in rows:
        yield row | {"weight": 1 / known if row["status"] == "identified" else None}


def timing(study: Study) -> Own:
    """When drafts and finals stand relative to the last request."""
    columns = (
        "harness", "model", "subset", "milestone", "status", "reason", "n_runs", "n_unobserved",
        "n_with", "n_timed", "n_after", "after_share", "after_lo", "after_hi", "n_both", "n_same",
        "same_share", "same_lo", "same_hi", "development",
    )  # fmt: skip
    paired = {a.run.run_id for p in study.pairs() for a in (p.p, p.q) if a}
    groups: dict[tuple[str, str, str], list[Run]] = {}
    for run in study.runs:
        subset = "panel" if run.run_id in paired else "repeats"
        for model in (run.names[2], ALL) if run.state == "done" else ():
            for shown in (subset, "all"):
                groups.setdefault((run.names[3], model, shown), []).append(run)
    rows = [
        (*key, milestone, *_timed(runs, milestone), key[0] in study.development)
        for key, runs in groups.items()
        for milestone in ("first_draft", "last_draft", "final")
    ]
    return Own(name="timing", columns=columns, rows=rows, keys=columns[:4])


def _timed(runs: list[Run], milestone: str) -> Iterator[Any]:
    flags = [_flags(run, milestone) for run in runs]
    unseen, there, timed, after, both, same = (sum(f) for f in zip(*flags, strict=True))
    yield "ok" if timed else "unknown"
    yield None if timed else "none_timed"
    yield from (len(runs), unseen, there, timed, after)
    yield from share(after, timed)
    final = milestone == "final"
    yield from (None, None) if final else (both, same)
    yield from share(0, 0) if final else share(same, both)


def _flags(run: Run, milestone: str) -> tuple[bool, ...]:
    """Unobserved, there, timed, after, with a final, the same as the final."""
    seen = run.seen
    if seen is None or any(run.observes[c] != "full" for c in "awf"):
        return (True, False, False, False, False, False)
    final = seen.final
    drafts = [d for d in sorted(seen.drafts, key=lambda d: (d.seq, d.version or 0))
              if final is None or d.seq <= final.seq]  # fmt: skip
    ends = {"first_draft": drafts[:1], "last_draft": drafts[-1:], "final": [final] if final else []}
    found = ends[milestone]
    if not found:
        return (False, False, False, False, False, False)
    asked = [r.seq for r in seen.requests]
    both = final is not None and milestone != "final"
    same = both and final is not None and found[0].sha256 == final.sha256
    return (False, True, bool(asked), bool(asked) and found[0].seq > max(asked), both, same)
