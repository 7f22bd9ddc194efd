"""A run under one evaluator: its state at each locus (DR-76)."""

from collections.abc import Iterable
from dataclasses import dataclass

from draligned.verify.labels import TextLabel, readout, relative
from draligned.verify.logs import Run
from draligned.verify.runs import Text

UNSEEN = ("run_failed", "run_censored", "run_open", "run_excluded", "not_planned", "not_observed")
"""Reasons under which a count is unknown, not 0."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests of a run by label."""

    n_requests: int = 0
    n_identified: int = 0
    n_p_only: int = 0
    n_q_only: int = 0
    n_both: int = 0
    n_neither: int = 0
    n_unknown: int = 0

    @property
    def net(self) -> int:
        """P_ONLY − Q_ONLY."""
        return self.n_p_only - self.n_q_only

    @property
    def mean(self) -> float:
        """Mean readout over identified requests; 0 without any."""
        return self.net / max(self.n_identified, 1)


COUNTS = tuple(Counts.__slots__)


def counted(bits: Iterable[int]) -> Counts:
    """Counts of labels."""
    listed = list(bits)
    by = {value: listed.count(value) for value in (0, 1, 2, 3)}
    known = sum(by.values())
    return Counts(len(listed), known, by[2], by[1], by[3], by[0], len(listed) - known)


@dataclass(frozen=True, slots=True)
class Locus:
    """State at one place: bits −1 and a reason where it is unknown."""

    bits: int
    state: str
    reason: str
    x_items: float = 0.0
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Arm:
    """One run × its primary factor × one evaluator."""

    run: Run
    evaluator: str
    factor_id: str
    side: str
    counts: Counts
    acq: Locus
    n_drafts: int
    first_draft: Locus
    last_draft: Locus
    final: Locus

    @property
    def unlimited(self) -> bool:
        """Whether requests may have been made that were not seen."""
        return self.run.observes["a"] != "full" or self.run.state != "done"


def arm_of(run: Run, evaluator: str, bits: list[int], labels: dict[str, TextLabel]) -> Arm:
    """`bits`: of the run's requests; `labels`: of its texts by hash, on its primary factor."""
    factor, side = run.factors[0]
    counts = counted(bits)
    seen = run.seen
    saved = sorted(seen.drafts, key=lambda d: (d.seq, d.version or 0)) if seen else []
    drafts = [d for d in saved if not (seen and seen.final) or d.seq <= seen.final.seq]
    ends = (drafts[0], drafts[-1]) if drafts else (None, None)
    return Arm(
        run=run,
        evaluator=evaluator,
        factor_id=factor,
        side=side,
        counts=counts,
        acq=_acquisition(run, counts, side),
        n_drafts=len(saved),
        first_draft=_draft(run, ends[0], labels, side),
        last_draft=_draft(run, ends[1], labels, side),
        final=_final(run, seen.final if seen else None, labels, side),
    )


def _run_reason(run: Run) -> str:
    return "" if run.state == "done" else f"run_{run.state}"


def _acquisition(run: Run, counts: Counts, side: str) -> Locus:
    said, total = run.observes["a"], counts.n_requests
    reason = _run_reason(run)
    if not reason and (said == "none" or (said != "full" and total == 0)):
        reason = "not_observed"
    elif not reason and total == 0:
        reason = "no_requests"
    elif not reason and counts.n_identified == 0:
        reason = "no_identified_request"
    p = 2 if counts.n_p_only or counts.n_both else 0
    q = 1 if counts.n_q_only or counts.n_both else 0
    bits = -1 if reason else p + q
    return Locus(bits, relative(bits, side), reason)


def _draft(run: Run, text: Text | None, labels: dict[str, TextLabel], side: str) -> Locus:
    return _locus(run, text, labels, side, ("w", "no_draft", ("no_draft",)))


def _final(run: Run, text: Text | None, labels: dict[str, TextLabel], side: str) -> Locus:
    return _locus(run, text, labels, side, ("f", "no_document", ("no_document", "run_failed")))


def _locus(
    run: Run, text: Text | None, labels: dict[str, TextLabel], side: str,
    names: tuple[str, str, tuple[str, ...]],
) -> Locus:  # fmt: skip
    """`names`: the channel, the word where there is no text, the words that mean no document."""
    channel, absent, gone = names
    label = labels[text.sha256] if text else TextLabel(-1, absent, 0.0)
    said = run.observes[channel]
    reason = _run_reason(run)
    if not reason and (said == "none" or (said != "full" and text is None)):
        reason = "not_observed"
    reason = reason or label.reason
    bits = -1 if reason else label.bits
    state = "NO_DOCUMENT" if reason in gone else relative(bits, side)
    return Locus(bits, state, reason, label.x_items, text.sha256 if text else None)


def x_of(arm: Arm) -> int:
    """x of the final; 0 where it is not read."""
    return readout(arm.final.bits)
