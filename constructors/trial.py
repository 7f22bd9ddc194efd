"""Trying the rule passes on packets whose problem is known: hits and misses per problem.

Run as `python -m draligned.constructors.trial FILE`; a line of FILE is
{"expect": a problem or "sound", "packet": {...}}. There is no bar to pass.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from draligned.constructors.packet import ReviewPacket
from draligned.constructors.review import REJECTED, outcome_of
from draligned.constructors.review_decision import review_decision
from draligned.constructors.review_text import review_text
from draligned.schema.base import Record
from draligned.schema.labels import CardOutcome, Problem

SOUND = "sound"


class TrialRow(Record):
    """How the packets of one expected problem fared."""

    expect: str
    n: int
    hit: int
    """Rejected, the expected problem among those named; for `sound`: accepted."""
    other: int
    """Rejected for other problems only."""
    open: int
    """Left to people (`needs_review`)."""
    missed: int
    """Accepted though defective; for `sound`: never."""


class Trial(Record):
    """One packet and what is wrong with it."""

    expect: str
    packet: ReviewPacket


def read_trials(text: str) -> tuple[Trial, ...]:
    """Trials, one JSON object a line. Raises `ValueError`."""
    return tuple(Trial.from_json(line) for line in text.split("\n") if line.strip())


Verdict = Literal["hit", "other", "open", "missed"]


def verdict(trial: Trial) -> Verdict:
    """How the rules fare on one packet."""
    findings = (*review_text(trial.packet), *review_decision(trial.packet))
    outcome = outcome_of(findings)
    fatal = {f.problem.value for f in findings if f.verdict == "fatal" and f.problem}
    if outcome is CardOutcome.NEEDS_REVIEW:
        return "open"
    if outcome is CardOutcome.ACCEPTED:
        return "hit" if trial.expect == SOUND else "missed"
    return "hit" if trial.expect in fatal else "other"


def trial_table(trials: Iterable[Trial]) -> tuple[TrialRow, ...]:
    """One row an expected problem, then the sound ones."""
    seen = [(t.expect, verdict(t)) for t in trials]
    rows = []
    for expect in (*(p.value for p in Problem if p in REJECTED), SOUND):
        got = [v for e, v in seen if e == expect]
        counts = {v: got.count(v) for v in ("hit", "other", "open", "missed")}
        rows.append(TrialRow(expect=expect, n=len(got), **counts))
    return tuple(rows)


def as_text(rows: Iterable[TrialRow]) -> str:
    """The table in plain text."""
    lines = [f"{'expected':22}{'n':>4}{'hit':>6}{'other':>7}{'open':>6}{'missed':>8}"]
    lines += [f"{r.expect:22}{r.n:>4}{r.hit:>6}{r.other:>7}{r.open:>6}{r.missed:>8}" for r in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(as_text(trial_table(read_trials(Path(sys.argv[1]).read_text("utf-8")))) + "\n")
