"""Which pairs get control runs, and what they are in the inventory."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.constructors.build import construct
from draligned.constructors.source import load_source
from draligned.harnesses.specfile import load_spec
from draligned.schema.config import ConstructConfig, ControlsConfig, ModelConfig
from draligned.schema.design import Assigned, Design
from draligned.schema.ids import run_id
from draligned.schema.labels import RunSet, Side
from draligned.study.controls import how_many, with_controls
from draligned.study.inventory import AA_REPLICATE, RunCell, cells
from draligned.study.plan import Plan, PlanBlock

NONE = Plan()


def block(model: str = "m", **more: Any) -> PlanBlock:
    spec = load_spec("coupled", Path())
    found = {"replicates": 1, **more}
    return PlanBlock(
        model_name=model, model=ModelConfig(provider="p", model=model), harness=spec,
        environment="e", **found,
    )  # fmt: skip


def shares(aa: float, neutral: float) -> ControlsConfig:
    return ControlsConfig(aa_share=aa, neutral_share=neutral)


@pytest.fixture
async def design() -> Design:
    source = load_source(None, "zh")
    return (await construct(source, ConstructConfig(two_factor=2), seed=1)).design


def by_set(found: tuple[RunCell, ...]) -> dict[RunSet, list[RunCell]]:
    return {s: [c for c in found if c.run_set is s] for s in RunSet}


def test_a_plan_from_before_there_were_controls_has_none(design: Design) -> None:
    found = by_set(cells(design, Plan(blocks=(block(),))))
    assert (len(found[RunSet.PANEL]), len(found[RunSet.TWO_FACTOR])) == (16, 8)
    assert found[RunSet.AA] == found[RunSet.NEUTRAL] == []


def test_ids_of_the_panel_do_not_depend_on_what_stands_beside_it(design: Design) -> None:
    bare = cells(design, Plan(blocks=(block(),)))
    full = cells(design, Plan(blocks=with_controls([block()], design, shares(1, 1), NONE)))
    assert full[: len(bare)] == bare
    for cell in bare:
        block_ = block()
        assert cell.run_id == run_id(
            cell.condition_id, block_.model_key, block_.harness.key, "e", cell.replicate
        )
    assert len({c.run_id for c in full}) == len(full) == 16 + 8 + 8 + 8


def test_an_aa_run_is_p_once_more_in_the_pair_of_the_first_replicate(design: Design) -> None:
    made = with_controls([block(replicates=2)], design, shares(1, 0), NONE)
    found = by_set(cells(design, Plan(blocks=made)))
    first = {c.pair: c for c in found[RunSet.PANEL] if c.arm is Side.P and c.replicate == 1}
    for cell in found[RunSet.AA]:
        p = first[cell.pair]
        assert (cell.condition_id, cell.arm, cell.replicate) == (
            p.condition_id, Side.P, AA_REPLICATE,
        )  # fmt: skip
        assert cell.run_id != p.run_id


def test_a_neutral_run_is_of_its_pair_and_told_nothing(design: Design) -> None:
    made = with_controls([block()], design, shares(0, 1), NONE)
    found = by_set(cells(design, Plan(blocks=made)))
    pairs = {c.pair for c in found[RunSet.PANEL]}
    told = {n.condition.condition_id: n.factor_id for n in design.neutral}
    assert {c.pair for c in found[RunSet.NEUTRAL]} == pairs
    assert all(told[c.condition_id] == c.factor_id for c in found[RunSet.NEUTRAL])


def test_two_factor_pairs_share_the_second_facts_side(design: Design) -> None:
    found = by_set(cells(design, Plan(blocks=(block(),))))[RunSet.TWO_FACTOR]
    pairs: dict[tuple[str, ...], list[RunCell]] = {}
    for cell in found:
        pairs.setdefault(cell.pair, []).append(cell)
    assert len(pairs) == 4
    for one, other in pairs.values():
        assert (one.arm, other.arm) == (Side.P, Side.Q)
        assert one.second == other.second


def test_shares_take_at_least_one_and_never_more_than_they_say(design: Design) -> None:
    (made,) = with_controls([block()], design, shares(0.01, 0.3), NONE)
    assert (len(made.aa), len(made.neutral)) == (1, 3)
    (none,) = with_controls([block()], design, shares(0, 0), NONE)
    assert none.aa == none.neutral == ()


@given(st.floats(0, 1, allow_nan=False), st.integers(0, 200))
def test_how_many_is_the_ceiling(share: float, eligible: int) -> None:
    taken = how_many(share, eligible)
    assert 0 <= taken <= eligible
    assert taken >= share * eligible - 1e-6
    assert taken < share * eligible + 1


def test_a_tenth_of_ten_is_one() -> None:
    assert how_many(0.1, 10) == 1
    assert how_many(0.1, 30) == 3


def test_what_was_chosen_stays_chosen(design: Design) -> None:
    (before,) = with_controls([block()], design, shares(0.25, 0.25), NONE)
    (less,) = with_controls([block()], design, shares(0, 0), Plan(blocks=(before,)))
    assert (less.aa, less.neutral) == (before.aa, before.neutral)
    (more,) = with_controls([block()], design, shares(0.5, 0.5), Plan(blocks=(before,)))
    assert more.aa[:2] == before.aa
    assert len(more.aa) == len(more.neutral) == 4


def test_models_draw_their_own_pairs(design: Design) -> None:
    made = with_controls([block(f"m{i}") for i in range(6)], design, shares(0.1, 0.1), NONE)
    assert len({b.aa for b in made}) > 1


def test_a_design_without_a_neutral_arm_has_no_neutral_runs(design: Design) -> None:
    old = design.model_copy(update={"neutral": ()})
    (made,) = with_controls([block()], old, shares(1, 1), NONE)
    assert made.neutral == ()
    assert len(made.aa) == 8
    assert len(cells(old, Plan(blocks=(made,)))) == 16 + 8 + 8


@pytest.mark.parametrize("side", list(Side))
def test_a_pair_that_lacks_an_arm_gets_no_control(design: Design, side: Side) -> None:
    lone = next(c for c in design.conditions if c.run_set is RunSet.PANEL)
    factor = lone.assigned[0].factor_id
    left = tuple(
        c
        for c in design.conditions
        if c.run_set is not RunSet.PANEL or c.assigned[0] != Assigned(factor_id=factor, side=side)
    )
    cut = design.model_copy(update={"conditions": left})
    assert len(left) == len(design.conditions) - 1
    (whole,) = with_controls([block()], design, shares(1, 1), NONE)
    (made,) = with_controls([block()], cut, shares(1, 1), NONE)
    assert set(made.aa) == set(whole.aa) - {factor}
    assert set(made.neutral) == set(whole.neutral) - {factor}
    assert factor in whole.aa
