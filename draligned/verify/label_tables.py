"""Tables of labels and pairs, made anew: requests, documents, matrix, pairs."""

from collections.abc import Iterator
from typing import Any

from draligned.verify.arms import COUNTS, UNSEEN, Arm, Counts, Locus
from draligned.verify.compare import Own, Row
from draligned.verify.labels import ABSENT, MISSING, presence, readout, relative
from draligned.verify.logs import Run
from draligned.verify.packets import texts_of
from draligned.verify.pairs import Pair
from draligned.verify.reads import VOID
from draligned.verify.runs import Text
from draligned.verify.study import Study

NAMES = ("task_id", "user_id", "model", "harness", "environment")


def requests(study: Study) -> Own:
    """One row per request × factor × evaluator."""
    columns = (
        "evaluator", "run_id", "factor_id", "request_no", *NAMES, "arm", "tool", "return_status",
        "first", "mirror", "label", "status", "reason", "x", "delegation", "development",
    )  # fmt: skip
    rows = [row for run in study.runs for row in _request_rows(study, run)]
    return Own(name="requests", columns=columns, rows=rows,
               keys=("evaluator", "run_id", "factor_id", "request_no"))  # fmt: skip


def _arm(run: Run, factor: str) -> str | None:
    """The side of a run's primary factor; another factor has none."""
    primary, side = run.factors[0]
    return side if factor == primary else None


def _said(code: int) -> str | None:
    return None if code in (ABSENT, MISSING, VOID) else presence(code)


def _request_rows(study: Study, run: Run) -> Iterator[Row]:
    apart = run.cell.block.harness in study.development
    for factor, _ in run.factors if run.seen else ():
        for name in study.evaluators:
            labels = study.requests.get((run.run_id, factor, name), {})
            for r in run.seen.requests if run.seen else ():
                found = labels[r.number]
                known = found.bits >= 0
                yield (
                    name, run.run_id, factor, r.number, *run.names, _arm(run, factor), r.tool,
                    r.status, _said(found.first), _said(found.mirror), presence(found.bits),
                    "identified" if known else "unknown", found.reason or None,
                    readout(found.bits) if known else None, r.parent, apart,
                )  # fmt: skip


def documents(study: Study) -> Own:
    """One row per draft or final × factor × evaluator."""
    columns = (
        "evaluator", "run_id", "factor_id", "role", "version_no", "seq", *NAMES, "arm",
        "text_sha256", "first", "mirror", "presence", "state", "status", "reason", "x",
        "main_first", "main_mirror", "resolved_first", "resolved_mirror", "x_items", "cap_hit",
        "development",
    )  # fmt: skip
    rows = [
        _document_row(study, run, factor, role, text, name)
        for run in study.runs
        for factor, _ in run.factors
        for role, text in texts_of(run)
        for name in study.evaluators
    ]
    return Own(name="documents", columns=columns, rows=rows,
               keys=("evaluator", "run_id", "factor_id", "role", "seq", "version_no"))  # fmt: skip


def _document_row(study: Study, run: Run, factor: str, role: str, text: Text, name: str) -> Row:
    reads = study.text(text.sha256, factor, name)
    label = reads.label(study.policy)
    known, arm = label.bits >= 0, _arm(run, factor)
    both = [reads.advice(r) for r in ("first", "mirror")]
    return (
        name, run.run_id, factor, role, text.version, text.seq, *run.names, arm, text.sha256,
        reads.word("first"), reads.word("mirror"), presence(label.bits),
        relative(label.bits, arm) if arm else None, "accepted" if known else "unknown",
        label.reason or None, readout(label.bits) if known else None,
        *(a.n_main if a else 0 for a in both), *(a.n_resolved if a else 0 for a in both),
        label.x_items if known else None, reads.cap_hit(),
        run.cell.block.harness in study.development,
    )  # fmt: skip


def matrix(study: Study) -> Own:
    """One row per run × primary factor × evaluator."""
    columns = (
        "evaluator", "run_id", "factor_id", *NAMES, "arm", "replicate", "in_pair", "run_state",
        "outcome", *COUNTS, "m", "acq_presence", "acq_state", "acq_status", "acq_reason",
        "n_drafts", "first_draft_presence", "first_draft_state", "first_draft_reason",
        "last_draft_presence", "last_draft_state", "last_draft_reason", "final_presence",
        "final_state", "final_status", "final_reason", "x", "x_items", "final_sha256",
        "development",
    )  # fmt: skip
    paired = {a.run.run_id for pair in study.pairs() for a in (pair.p, pair.q) if a}
    rows = [_matrix_row(arm, study, arm.run.run_id in paired) for arm in study.arms()]
    return Own(name="matrix", columns=columns, rows=rows,
               keys=("evaluator", "run_id", "factor_id"))  # fmt: skip


def _counts(counts: Counts, reason: str) -> list[int | None]:
    """Counts; unknown where nothing was observed."""
    return [None if reason in UNSEEN else getattr(counts, name) for name in COUNTS]


def _words(locus: Locus) -> tuple[str, str, str | None]:
    return presence(locus.bits), locus.state, locus.reason or None


def _status(locus: Locus) -> str:
    return "unreadable" if locus.reason else "readable"


def _matrix_row(arm: Arm, study: Study, paired: bool) -> Row:
    run, acq, final = arm.run, arm.acq, arm.final
    acq_words, final_words = _words(acq), _words(final)
    read = final.bits >= 0
    return (
        arm.evaluator, run.run_id, arm.factor_id, *run.names, arm.side, run.cell.replicate,
        paired, run.state, run.outcome, *_counts(arm.counts, acq.reason),
        None if acq.reason else arm.counts.mean, *acq_words[:2], _status(acq), acq_words[2],
        None if arm.first_draft.reason in UNSEEN else arm.n_drafts,
        *_words(arm.first_draft), *_words(arm.last_draft),
        *final_words[:2], _status(final), final_words[2],
        readout(final.bits) if read else None, final.x_items if read else None, final.sha256,
        run.cell.block.harness in study.development,
    )  # fmt: skip


def pairs(study: Study) -> Own:
    """One row per planned pair × evaluator."""
    one = ("run_id", "replicate", "run_state", "a_reason", *COUNTS, "m", "acq_presence",
           "final_presence", "final_state", "f_reason", "x", "x_items")  # fmt: skip
    columns = (
        "evaluator", "pair_id", "factor_id", *NAMES, "a_status", "f_status", "d_a", "d_a_half",
        "d_a_zero", "d_f", "d_f_raw", "d_f_half", "d_finals_mean", "d_requests_sign",
        *(f"{n}_p" for n in one), *(f"{n}_q" for n in one), "development",
    )  # fmt: skip
    rows = [_pair_row(pair, study) for pair in study.pairs()]
    return Own(name="pairs", columns=columns, rows=rows,
               keys=("evaluator", "harness", "model", "task_id", "pair_id"))  # fmt: skip


def _pair_row(pair: Pair, study: Study) -> Row:
    task, user, factor, model, harness, environment = pair.cell
    a, f = (pair.status(channel) for channel in "af")
    of_a: list[Any] = [pair.d_a, pair.d_a / 2, pair.d_a_zero]
    of_f: list[Any] = [pair.d_f, pair.d_f_raw, pair.d_f_raw / 2, pair.d_finals_mean]
    return (
        pair.evaluator, pair.pair_id, factor, task, user, model, harness, environment, a, f,
        *(of_a if a == "readable" else [None] * 3), *(of_f if f == "readable" else [None] * 4),
        pair.d_requests_sign if a == "readable" else None,
        *_arm_row(pair, "p"), *_arm_row(pair, "q"), harness in study.development,
    )  # fmt: skip


def _arm_row(pair: Pair, side: str) -> list[Any]:
    arm = pair.arm(side)
    a, f = pair.reason("a", side), pair.reason("f", side)
    run = arm.run if arm else None
    return [
        run.run_id if run else None, run.cell.replicate if run else None,
        run.state if run else None, a or None, *_counts(pair.counts(side), a),
        None if a else pair.counts(side).mean, presence(arm.acq.bits if arm else -1),
        presence(arm.final.bits if arm else -1), arm.final.state if arm else None, f or None,
        None if f else pair.x(side), None if f else pair.x_items(side),
    ]  # fmt: skip
