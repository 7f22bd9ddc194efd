"""What a person decides about a card: accepted where rules leave it open, or turned down."""

from collections.abc import Sequence

from draligned.constructors.review import reason_in_words
from draligned.schema.design import Decision, FactorCard, Finding
from draligned.schema.errors import DesignError
from draligned.schema.labels import CardOutcome

HUMAN = "human"
"""The reviewer's name in the findings of a person."""


def accepted_by_human(card: FactorCard, why: str) -> FactorCard:
    """The card accepted by human review, `why` kept as a finding.

    Only what rules and models leave open, or what a person turned down before,
    can be accepted. Raises `DesignError` for a card with a fatal problem, and
    where no reason is given.
    """
    if not why.strip():
        raise DesignError("say why the card is sound: --why; the reason is kept")
    if card.outcome is CardOutcome.ACCEPTED:
        raise DesignError(f"card {card.factor_id} is accepted already")
    if not left_open(card):
        raise DesignError(
            f"card {card.factor_id} is {card.outcome.value} ({_without_human(card)}); a person can "
            "only accept what is left open (needs_review): mend the card and construct again"
        )
    return _judged(card, "ok", why.strip(), CardOutcome.ACCEPTED)


def rejected_by_human(card: FactorCard, why: str) -> FactorCard:
    """The card turned down by a person, `why` kept as a finding."""
    reason = why.strip() or "no reason given"
    return _judged(card, "fatal", reason, CardOutcome.REJECTED_BY_USER)


def left_open(card: FactorCard) -> bool:
    """Whether a person may accept the card: no rule and no model finds it fatally wrong."""
    open_to_people = (CardOutcome.NEEDS_REVIEW, CardOutcome.REJECTED_BY_USER)
    return card.outcome in open_to_people and not any(
        f.verdict == "fatal" for f in card.findings if f.reviewer != HUMAN
    )


def human_finding(card: FactorCard) -> Finding | None:
    """What a person said of the card, or none."""
    return next((f for f in card.findings if f.reviewer == HUMAN), None)


def human_accepted(cards: Sequence[FactorCard]) -> tuple[FactorCard, ...]:
    """Those of `cards` that stand on a person's word."""
    return tuple(
        c for c in cards if c.outcome is CardOutcome.ACCEPTED and human_finding(c) is not None
    )


def said_of(card: FactorCard) -> str:
    """Why the card has its outcome, in one line."""
    found = human_finding(card)
    if found is None:
        return reason_in_words(card)
    if card.outcome is CardOutcome.REJECTED_BY_USER:
        return found.reason
    return f"accepted by human review: {found.reason}"


def decision_of(card: FactorCard) -> Decision:
    """The line of a card in the decision record."""
    prefix = "hand-written; " if card.source == "hand" else ""
    return Decision(
        task_id=card.task_id,
        user_id=card.user_id,
        domain=card.domain,
        field_path=card.field_path,
        kind=card.kind,
        outcome=card.outcome,
        reason=prefix + said_of(card),
    )


def next_step(card: FactorCard, *, frozen: bool = False, kept: bool = True) -> str:
    """What its author can do about a card that is not in the draft, or frozen, design.

    Not `kept`: no draft was written, beside which the card could be kept.
    """
    if frozen and left_open(card):
        return (
            '--accept-why "…" accepts it by human review; or name two reviewer models in '
            "study.toml (construction.reviewers) and amend again"
        )
    if frozen:
        return "mend the card in its file and amend again with that card alone"
    if card.outcome is CardOutcome.REJECTED_BY_USER and left_open(card) and kept:
        return f'`draligned card accept {card.factor_id} --why "…"` takes it back'
    if left_open(card) and not kept:
        return (
            "name two reviewer models in study.toml (construction.reviewers) and construct again, "
            "or construct a draft of other cards, beside which this one can be accepted"
        )
    if left_open(card):
        return (
            f'`draligned card accept {card.factor_id} --why "…"` accepts it by human review; or '
            "name two reviewer models in study.toml (construction.reviewers) and construct again"
        )
    return "mend the card in its file and construct again"


def told(card: FactorCard) -> str:
    """A card that is not in the design: which, its outcome and the whole reason, in one line."""
    place = f"task {card.task_id}, {card.user_id}, {card.kind}"
    return f"card {card.factor_id} ({place}): {card.outcome.value}: {said_of(card)}"


def _judged(card: FactorCard, verdict: str, reason: str, outcome: CardOutcome) -> FactorCard:
    found = Finding.model_validate(
        {"reviewer": HUMAN, "problem": None, "verdict": verdict, "reason": reason}
    )
    others = tuple(f for f in card.findings if f.reviewer != HUMAN)
    return card.model_copy(update={"findings": (*others, found), "outcome": outcome})


def _without_human(card: FactorCard) -> str:
    others = tuple(f for f in card.findings if f.reviewer != HUMAN)
    return reason_in_words(card.model_copy(update={"findings": others}))
