"""Two-factor tasks of the bundled set: a second fact of the same user, four conditions (DR-13)."""

from typing import Any

import pytest

from draligned.api.matching import check_pairs
from draligned.constructors.build import amend, construct
from draligned.constructors.construction import Construction
from draligned.constructors.source import load_source
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Design, Lang
from draligned.schema.errors import DesignError
from draligned.schema.labels import CardOutcome, RunSet, Side

SEED = 20260929


async def built(lang: Lang = "zh", **more: Any) -> Construction:
    source = load_source(None, lang)
    return await construct(source, ConstructConfig(lang=lang, **more), seed=SEED)


def profiles(design: Design) -> list[tuple[str, str]]:
    """Sides of both factors, of the first two-factor task."""
    told = [c for c in design.conditions if c.run_set is RunSet.TWO_FACTOR]
    return [(c.assigned[0].side.value, c.assigned[1].side.value) for c in told[:4]]


async def test_by_default_no_task_has_two_factors() -> None:
    design = (await built()).design
    assert {c.run_set for c in design.conditions} == {RunSet.PANEL}
    assert design.second_cards == ()
    assert "two_factor_tasks" not in design.notes


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_pairs_stay_what_they_are_beside_two_factor_tasks(lang: Lang) -> None:
    plain, double = await built(lang), await built(lang, two_factor=2)
    design = double.design
    n = len(plain.design.conditions)
    assert design.conditions[:n] == plain.design.conditions
    assert design.neutral == plain.design.neutral
    assert len(design.conditions) == n + 8
    assert profiles(design) == [("P", "P"), ("Q", "P"), ("P", "Q"), ("Q", "Q")]
    assert design.notes["two_factor_tasks"] == 2
    check_pairs(design)


async def test_the_second_fact_is_of_the_same_user_and_another_kind() -> None:
    design = (await built(two_factor=8)).design
    seconds = {c.factor_id: c for c in design.second_cards}
    assert len(seconds) == 6
    for told in (c for c in design.conditions if c.run_set is RunSet.TWO_FACTOR):
        first, second = (design.card(a.factor_id) for a in told.assigned)
        assert second.factor_id in seconds
        assert (first.task_id, first.user_id) == (second.task_id, second.user_id)
        assert first.kind != second.kind
        assert first.field_path != second.field_path
        assert not any(d.path in (first.field_path, second.field_path) and d.text in told.turns[0]
                       for d in (*first.background, *second.background))  # fmt: skip
        ends = [first.endpoint(told.assigned[0].side), second.endpoint(told.assigned[1].side)]
        assert told.turns[0].endswith(ends[0].sentence + ends[1].sentence)


async def test_nothing_is_padded_and_every_field_has_its_reason() -> None:
    made = await built(two_factor=8)
    told = [d for d in made.decisions if d.reason.startswith("as a second fact")]
    assert sum(d.outcome is CardOutcome.ACCEPTED for d in told) == 6
    refused = {d.task_id for d in told} - {c.task_id for c in made.design.second_cards}
    assert refused == {"1", "3"}
    assert made.tried == 8


async def test_an_amendment_counts_the_two_factor_tasks_there_are() -> None:
    source = load_source(None, "zh")
    settings = ConstructConfig(tasks=4, two_factor=2, selection="file_order")
    first = (await construct(source, settings, seed=SEED)).design
    added = await amend(first, source, settings.model_copy(update={"two_factor": 3}), seed=SEED)
    told = [c for c in added.design.conditions if c.run_set is RunSet.TWO_FACTOR]
    assert len({c.task_id for c in told}) == 3
    assert added.design.conditions[: len(first.conditions)] == first.conditions
    assert added.design.neutral[: len(first.neutral)] == first.neutral
    assert len(added.design.neutral) == 8
    check_pairs(added.design)


async def test_a_lost_profile_is_found_before_freezing() -> None:
    design = (await built(two_factor=1)).design
    lost = design.model_copy(update={"conditions": design.conditions[:-1]})
    with pytest.raises(DesignError, match="four two-factor conditions"):
        check_pairs(lost)


async def test_a_profile_with_another_background_is_found_before_freezing() -> None:
    design = (await built(two_factor=1)).design
    last = design.conditions[-1]
    other = last.model_copy(update={"turns": (last.turns[0].replace("：", ":", 1),)})
    changed = design.model_copy(update={"conditions": (*design.conditions[:-1], other)})
    with pytest.raises(DesignError, match="differ outside the endpoint slot"):
        check_pairs(changed)


async def test_a_changed_neutral_arm_is_found_before_freezing() -> None:
    design = (await built()).design
    one = design.neutral[0]
    p = next(c for c in design.conditions if c.assigned[0].factor_id == one.factor_id
             and c.assigned[0].side is Side.P)  # fmt: skip
    told = one.model_copy(update={"condition": one.condition.model_copy(update={"turns": p.turns})})
    with pytest.raises(DesignError):
        check_pairs(design.model_copy(update={"neutral": (told, *design.neutral[1:])}))
