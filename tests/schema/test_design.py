"""A design holds nothing twice."""

import pytest
from pydantic import ValidationError

from draligned.constructors.build import construct
from draligned.constructors.source import load_source
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Design


async def made(two_factor: int = 0) -> Design:
    """A design of two tasks."""
    config = ConstructConfig(lang="en", tasks=2, two_factor=two_factor)
    return (await construct(load_source(None, "en"), config, seed=1)).design


async def test_a_factor_twice_is_refused_when_read() -> None:
    design = await made()
    twice = design.model_copy(update={"cards": (*design.cards, design.cards[0])})
    assert twice.repeated() is not None
    with pytest.raises(ValidationError, match="stands on two cards"):
        Design.from_json(twice.to_json())


async def test_a_condition_twice_is_refused_when_read() -> None:
    design = await made()
    twice = design.model_copy(update={"conditions": (*design.conditions, design.conditions[0])})
    with pytest.raises(ValidationError, match="two conditions are the same"):
        Design.from_json(twice.to_json())


async def test_a_sound_design_is_read_as_written() -> None:
    design = await made()
    assert design.repeated() is None
    assert Design.from_json(design.to_json()) == design


async def test_cards_that_are_only_told_beside_another_are_known() -> None:
    assert (await made()).second_cards == ()
    design = await made(two_factor=1)
    (second,) = design.second_cards
    first = {c.assigned[0].factor_id for c in design.conditions}
    assert second.factor_id not in first
    assert {second.factor_id} == {a.factor_id for c in design.conditions for a in c.assigned[1:]}
