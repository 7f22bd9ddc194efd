"""The last check before a design is frozen: P and Q differ in the endpoint alone (DR-7)."""

from draligned.constructors.conditions import pair_check
from draligned.schema.design import Assigned, Design
from draligned.schema.errors import DesignError
from draligned.schema.labels import Side


def check_pairs(design: Design) -> None:
    """Prove for every card that its P and Q differ in the endpoint slot alone.

    Raises `DesignError`, naming what differs or which arm is missing.
    """
    arms = {tuple(c.assigned): c for c in design.conditions}
    for card in design.cards:
        pair = [arms.get((Assigned(factor_id=card.factor_id, side=side),)) for side in Side]
        if pair[0] is None or pair[1] is None:
            raise DesignError(f"the card of task {card.task_id} lacks the condition of an arm")
        pair_check(pair[0], pair[1], card)
