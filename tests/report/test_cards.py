"""Cards with the turns frozen from them."""

from draligned.report.cards import cards_of
from draligned.report.data import ReportData

from .world import World, design_of


def test_both_arms_turns_stand_with_their_card() -> None:
    (view,) = cards_of(design_of(World(tasks=1)))
    assert [(t.arm, t.no) for t in view.turns] == [("P", 1), ("Q", 1)]
    assert view.turns[0].text.text.endswith("The user lives in Leeds.")
    assert view.turns[1].text.text.endswith("The user lives in Bristol.")


def test_cards_stand_in_the_designs_order_of_tasks(small: ReportData) -> None:
    turned = small.design.model_copy(update={"tasks": small.design.tasks[::-1]})
    assert [c.card.task_id for c in cards_of(turned)] == ["3", "2", "1"]
