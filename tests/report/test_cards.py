"""Cards with the turns frozen from them."""

from draligned.report.cards import cards_of

from .world import World, design_of


def test_both_arms_turns_stand_with_their_card() -> None:
    (view,) = cards_of(design_of(World(tasks=1)))
    assert [(t.arm, t.no) for t in view.turns] == [("P", 1), ("Q", 1)]
    assert view.turns[0].text.text.endswith("The user lives in Leeds.")
    assert view.turns[1].text.text.endswith("The user lives in Bristol.")
