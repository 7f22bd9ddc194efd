"""From findings to an outcome (DR-11, DR-12)."""

import re
from collections.abc import Iterable, Sequence

from draligned.bench_data.kinds import kind_named
from draligned.constructors.packet import packet_of
from draligned.constructors.removal import anonymous, named_in
from draligned.constructors.review_decision import review_decision
from draligned.constructors.review_text import review_text
from draligned.constructors.values import recognise
from draligned.models.turn import is_blank
from draligned.schema.design import FactorCard, Finding, Persona, TaskRecord
from draligned.schema.labels import CardOutcome, Problem

REJECTED = {
    Problem.CONTRADICTION: CardOutcome.REJECTED_CONTRADICTION,
    Problem.IMPLAUSIBLE: CardOutcome.REJECTED_IMPLAUSIBLE,
    Problem.TASK_FORCED: CardOutcome.REJECTED_TASK_FORCED,
    Problem.ANSWER_REVEALING: CardOutcome.REJECTED_ANSWER_REVEALING,
    Problem.MULTIPLE_FACTORS: CardOutcome.REJECTED_MULTIPLE_FACTORS,
}
_SIDE = re.compile(
    r"(?<![a-z])(?:alpha|beta|slot[ _]?[12]|endpoint[ _]?[12])(?![a-z])|counterfactual"
    r"|recorded endpoint|反事实|(?:原本|原来|记录)的(?:端点|一端)",
    re.IGNORECASE,
)
"""Slots change places between the reads, and readers are not told which endpoint was recorded."""


def review_by_rules(card: FactorCard, task: TaskRecord) -> tuple[Finding, ...]:
    """The findings of both rule passes on the anonymised packet of a card."""
    packet = packet_of(card, task)
    return (*review_text(packet), *review_decision(packet))


def outcome_of(findings: Iterable[Finding]) -> CardOutcome:
    """What the findings come to; what no rule decides is `needs_review`, never accepted."""
    found = tuple(findings)
    for problem, outcome in REJECTED.items():
        if any(f.problem is problem and f.verdict == "fatal" for f in found):
            return outcome
    if any(f.verdict != "ok" for f in found):
        return CardOutcome.NEEDS_REVIEW
    return CardOutcome.ACCEPTED


def checked(card: FactorCard, task: TaskRecord, persona: Persona | None) -> FactorCard:
    """The card with its outcome and findings by rules alone.

    Grounding and order are checked first (DR-4): without a verbatim quote that
    states P, or with equal orders, a card is rejected before any review.
    """
    if persona is not None and (fault := ungrounded(card, persona)):
        return with_findings(card, [fault], CardOutcome.REJECTED_QUOTE)
    if _plain(card.order_p) == _plain(card.order_q):
        fault = Finding(
            reviewer="rules-card",
            problem=None,
            verdict="fatal",
            reason="the order of the options is the same under both endpoints",
        )
        return with_findings(card, [fault], CardOutcome.REJECTED_ORDERS_MATCH)
    findings = (*unclear_axis(card), *unclear_orders(card), *review_by_rules(card, task))
    return with_findings(card, findings, outcome_of(findings))


def unclear_axis(card: FactorCard) -> tuple[Finding, ...]:
    """What would keep blinded readers from telling the endpoints apart, or show them a side."""
    reasons = _unclear_words(card)
    axis = f"{card.axis.question}\n{card.axis.guidance}"
    p, q = (named_in(axis, e.words) for e in (card.p, card.q))
    if (p is None) != (q is None):
        reasons.append("the axis names one endpoint and not the other")
    if told := _SIDE.search(axis):
        reasons.append(f"the axis speaks of a slot or of what was recorded: “{told[0]}”")
    if is_blank(card.axis.question) or is_blank(card.axis.guidance):
        reasons.append("the axis asks no question, or gives no guidance")
    return _open_points(reasons)


def _unclear_words(card: FactorCard) -> list[str]:
    """What is wrong with the words by which readers know the endpoints."""
    ends, kind = (card.p, card.q), kind_named(card.kind, card.lang)
    listed = {w for v in kind.values for w in v.public} if kind else set()
    if any(not e.words or any(is_blank(w) for w in e.words) for e in ends):
        return ["an endpoint has no public words, or a blank one"]
    pairs = [(a, b) for a in card.p.words for b in card.q.words]
    if shared := next((a for a, b in pairs if a in b or b in a), None):
        return [f"both endpoints have the word “{shared}”"]
    for own, other in (ends, reversed(ends)):
        if not set(own.words) <= listed and named_in(own.sentence, own.words) is None:
            return [f"“{own.sentence}” holds none of its public words"]
        if told := named_in(own.sentence, other.words):
            return [f"“{own.sentence}” holds a word of the other endpoint: “{told}”"]
    return []


def unclear_orders(card: FactorCard) -> tuple[Finding, ...]:
    """What keeps the two orders from being orders of the same options of a decision (DR-4)."""
    reasons = []
    p, q = _plain(card.order_p), _plain(card.order_q)
    if not card.decision.strip():
        reasons.append("the decision is not named")
    if not all((*p, *q)) or len(set(p)) < len(p) or len(set(q)) < len(q):
        reasons.append("an option is blank, or stands twice in an order")
    if set(p) != set(q):
        reasons.append("the orders are of different options")
    return _open_points(reasons)


def _plain(order: Sequence[str]) -> tuple[str, ...]:
    """Options without differences in blanks and capitals."""
    return tuple(" ".join(option.split()).casefold() for option in order)


def _open_points(reasons: Iterable[str]) -> tuple[Finding, ...]:
    return tuple(
        Finding(reviewer="rules-card", problem=None, verdict="undecided", reason=r) for r in reasons
    )


def ungrounded(card: FactorCard, persona: Persona) -> Finding | None:
    """Why the profile does not bear the card out, or none."""
    details = (*persona.details, *anonymous(persona))
    texts = [d.text for d in details if d.path == card.field_path]
    reason = None
    if not texts:
        reason = f"the profile has no field {card.field_path}"
    elif not card.evidence_quote or not any(card.evidence_quote in t for t in texts):
        reason = f"“{card.evidence_quote}” is not in {card.field_path}"
    elif wrong := _quote_says(card):
        reason = wrong
    if reason is None:
        return None
    return Finding(reviewer="rules-card", problem=None, verdict="fatal", reason=reason)


def _quote_says(card: FactorCard) -> str | None:
    kind = kind_named(card.kind, card.lang)
    if kind is None:
        return None
    quoted = recognise(kind, card.evidence_quote).value
    claimed = recognise(kind, card.p.sentence).value
    if quoted and claimed and quoted != claimed:
        return f"the quote says {quoted}, the endpoint {claimed}"
    return None


def with_findings(
    card: FactorCard, findings: Sequence[Finding], outcome: CardOutcome
) -> FactorCard:
    """The card stamped with what the review found."""
    return card.model_copy(update={"findings": tuple(findings), "outcome": outcome})


def reason_in_words(card: FactorCard) -> str:
    """The reasons of all findings that are not `ok`, in one line; each is said once."""
    said: dict[str, dict[str, None]] = {}
    for finding in card.findings:
        if finding.verdict != "ok":
            said.setdefault(finding.reason, {})[finding.reviewer] = None
    lines = (f"{', '.join(reviewers)}: {reason}" for reason, reviewers in said.items())
    return "; ".join(lines) or "passed both reviews"
