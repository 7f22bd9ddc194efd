"""Factor cards with the turns that were frozen from them."""

from dataclasses import dataclass

from draligned.report.order import place, places
from draligned.report.shown import Shown, shown
from draligned.schema.design import Design, FactorCard
from draligned.schema.labels import RunSet

TURN_CHARS = 3_000


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One frozen turn of a condition."""

    arm: str
    no: int
    condition_id: str
    text: Shown


@dataclass(frozen=True, kw_only=True)
class CardView:
    """A card and its conditions' turns."""

    card: FactorCard
    turns: tuple[Turn, ...]


def cards_of(design: Design) -> tuple[CardView, ...]:
    """All cards in the design's order of tasks."""
    order = places(design)
    cards = sorted(design.cards, key=lambda card: place(order, card.task_id))
    return tuple(CardView(card=c, turns=tuple(_turns(design, c.factor_id))) for c in cards)


def _turns(design: Design, factor_id: str) -> list[Turn]:
    """The messages of its own pair; of a fact that is only told beside another, those of both."""
    told = [c for c in design.conditions if factor_id in {a.factor_id for a in c.assigned}]
    own = [c for c in told if c.run_set is RunSet.PANEL]
    out = []
    for condition in own or told:
        sides = {a.factor_id: a.side.value for a in condition.assigned}
        for no, text in enumerate(condition.turns, start=1):
            turn = Turn(
                arm=sides[factor_id],
                no=no,
                condition_id=condition.condition_id,
                text=shown(text, TURN_CHARS),
            )
            out.append(turn)
    return out
