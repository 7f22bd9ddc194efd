"""The last check before a design is frozen: conditions differ in the endpoint alone (DR-7)."""

from draligned.constructors.conditions import neutral_check, pair_check, two_factor_check
from draligned.constructors.review_units import card_units
from draligned.constructors.screening import BY_PEOPLE, unscreened
from draligned.schema.design import Assigned, Condition, Design, FactorCard
from draligned.schema.errors import DesignError
from draligned.schema.labels import Side
from draligned.schema.review import ReviewKind
from draligned.store.protocol import Store
from draligned.study.reviews import reviewed

_FOUR = ((Side.P, Side.P), (Side.Q, Side.P), (Side.P, Side.Q), (Side.Q, Side.Q))

Arms = dict[tuple[Assigned, ...], Condition]


def check_pairs(design: Design) -> None:
    """Prove for every card that its P and Q differ in the endpoint slot alone, and so do the
    neutral arm and the profiles of two-factor tasks.

    Raises `DesignError`, naming what differs or which arm is missing.
    """
    arms: Arms = {tuple(c.assigned): c for c in design.conditions}
    seconds = {c.factor_id for c in design.second_cards}
    for card in design.cards:
        if card.factor_id not in seconds:
            pair_check(*_pair(arms, card), card)
    for neutral in design.neutral:
        card = design.card(neutral.factor_id)
        neutral_check(_pair(arms, card)[0], neutral, card)
    for first, second in dict.fromkeys(
        (c.assigned[0].factor_id, c.assigned[1].factor_id)
        for c in design.conditions
        if len(c.assigned) > 1
    ):
        _check_four(arms, design.card(first), design.card(second))


def _pair(arms: Arms, card: FactorCard) -> tuple[Condition, Condition]:
    p, q = (arms.get((Assigned(factor_id=card.factor_id, side=side),)) for side in Side)
    if p is None or q is None:
        raise DesignError(f"the card of task {card.task_id} lacks the condition of an arm")
    return p, q


def _check_four(arms: Arms, first: FactorCard, second: FactorCard) -> None:
    told = [
        arms.get((Assigned(factor_id=first.factor_id, side=one),
                  Assigned(factor_id=second.factor_id, side=two)))
        for one, two in _FOUR
    ]  # fmt: skip
    four = [c for c in told if c is not None]
    if len(four) < len(_FOUR):
        raise DesignError(f"task {first.task_id} lacks one of the four two-factor conditions")
    two_factor_check(four, first, second)


def check_screened(store: Store, design: Design) -> None:
    """Where people screen the cards: that they passed all those of the draft (DR-10).

    Raises `DesignError` with the first card that they did not pass, and what to do.
    """
    if not str(design.notes.get("screening", "")).endswith(BY_PEOPLE):
        return
    people = [person.last for person in reviewed(store, ReviewKind.CARDS)]
    lines = unscreened(card_units(design, ()), people)
    if lines:
        raise DesignError(
            f"{len(lines)} of {len(design.cards)} cards have not passed people: {lines[0]}. Each "
            "of two people or more answers all cards in `draligned review --reviewer NAME`; "
            '`draligned card reject ID --why "…"` takes a card out'
        )
