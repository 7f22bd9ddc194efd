"""Which runs are read on another task's factor, and on which."""

from typing import Any

from draligned.evaluators.placebo import as_placebo, axis_for, placebo_axes, without_drafts
from draligned.schema.design import Assigned, Condition, Design, Endpoint, FactorCard
from draligned.schema.labels import Channel, Observes, RunSet, Side
from draligned.study.inventory import RunCell

from .scripted import card, draft, run

SEED = 7
KINDS = ("residence", "pet", "risk", "lodging")


def ends(kind: str) -> dict[str, Endpoint]:
    return {
        side: Endpoint(
            value=f"{kind}{side}", sentence=f"我{kind}{side}。", words=(f"{kind}{side}",)
        )
        for side in "pq"
    }


def cards(n: int) -> tuple[FactorCard, ...]:
    return tuple(
        card(task_id=str(t), kind=KINDS[t % 4], **ends(f"{KINDS[t % 4]}{t}")) for t in range(n)
    )


def design(found: tuple[FactorCard, ...], background: str = "") -> Design:
    told = [
        Condition(
            task_id=c.task_id, user_id=c.user_id, lang=c.lang, system="",
            assigned=(Assigned(factor_id=c.factor_id, side=side),),
            turns=(f"{background}{c.endpoint(side).sentence}",),
        )
        for c in found
        for side in Side
    ]  # fmt: skip
    return Design(
        lang="zh", seed=SEED, source="test", tasks=(), cards=found, conditions=tuple(told),
        estimands=(),
    )  # fmt: skip


def cells(found: tuple[FactorCard, ...], model: str = "m", **changes: Any) -> list[RunCell]:
    return [
        RunCell.model_validate(
            {
                "run_id": f"{model}{c.task_id}{side}{replicate}", "condition_id": "c",
                "task_id": c.task_id, "user_id": c.user_id, "factor_id": c.factor_id, "arm": side,
                "model_name": model, "model_key": model, "harness_name": "coupled",
                "harness_key": "h", "environment": "e", "replicate": replicate, **changes,
            }
        )
        for c in found
        for side in Side
        for replicate in (1, 2)
    ]  # fmt: skip


def test_the_axis_is_of_another_task_and_kind() -> None:
    found = cards(8)
    for own in found:
        axis = axis_for(own.factor_id, design(found))
        other = next(c for c in found if c.factor_id == axis)
        assert other.task_id != own.task_id
        assert other.kind != own.kind


def test_nothing_of_the_axis_was_told() -> None:
    found = cards(3)
    told = "、".join(found[1].p.words)
    assert axis_for(found[0].factor_id, design(found, told)) == found[2].factor_id
    every = "、".join(w for c in found[1:] for w in c.q.words)
    assert axis_for(found[0].factor_id, design(found, every)) is None


def test_both_runs_of_a_share_of_first_pairs_are_read_on_one_axis() -> None:
    found = cards(12)
    planned = [*cells(found, "m"), *cells(found, "n")]
    axes = placebo_axes(planned, design(found), 0.25)
    chosen = [c for c in planned if c.run_id in axes]
    assert len(chosen) == 2 * 3 * 2
    assert {c.replicate for c in chosen} == {1}
    for cell in chosen:
        twin = next(c for c in chosen if c.model_key == cell.model_key
                    and c.factor_id == cell.factor_id and c.arm is not cell.arm)  # fmt: skip
        assert axes[cell.run_id] == axes[twin.run_id] != cell.factor_id


def test_the_choice_does_not_depend_on_order_and_grows_with_the_share() -> None:
    found = cards(12)
    planned = cells(found)
    some = placebo_axes(planned, design(found), 0.2)
    assert some == placebo_axes(planned[::-1], design(found), 0.2)
    assert some.items() <= placebo_axes(planned, design(found), 0.6).items()
    assert placebo_axes(planned, design(found), 0.0) == {}
    assert len(placebo_axes(planned, design(found), 0.01)) == 2


def test_runs_beside_the_panel_are_no_candidates() -> None:
    found = cards(4)
    assert placebo_axes(cells(found, run_set=RunSet.AA), design(found), 1.0) == {}


def test_a_placebo_run_stands_in_its_own_arm_without_a_workspace() -> None:
    found = cards(4)
    planned = cells(found)
    axes = placebo_axes(planned, design(found), 1.0)
    by_id = {c.run_id: c for c in planned}
    for cell in as_placebo(planned, axes):
        own = by_id[cell.run_id]
        assert cell == own.model_copy(update={"factor_id": axes[own.run_id]})
    seen = without_drafts(run(drafts=(draft("text"),)))
    assert (seen.drafts, seen.observes[Channel.WORKSPACE]) == ((), Observes.NONE)
