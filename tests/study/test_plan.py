"""plan.json grows, and loses nothing when several processes add to it."""

import threading
from pathlib import Path

import pytest

from draligned.schema.config import ModelConfig
from draligned.schema.errors import ConfigError
from draligned.schema.harness import EpisodeBudget, HarnessSpec
from draligned.store.local import LocalStore
from draligned.study.claims import Claims
from draligned.study.plan import (
    KEY,
    Plan,
    PlanBlock,
    PlanEvaluator,
    extend_plan,
    load_plan,
    part_plan,
)


def evaluator(name: str, model: str = "m", *, mirrored: bool = True) -> PlanEvaluator:
    return PlanEvaluator(name=name, model=ModelConfig(provider="p", model=model), mirrored=mirrored)


def test_what_another_process_adds_meanwhile_is_kept(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    other = Claims(store, owner="far:1:0")
    assert other.take("plan")
    adding = threading.Thread(target=lambda: extend_plan(store, evaluators=[evaluator("mine")]))
    adding.start()
    theirs = Plan(evaluators=(evaluator("theirs", "another"),))
    store.replace(KEY, theirs.to_json().encode())
    other.release("plan")
    adding.join()
    assert [e.name for e in load_plan(store).evaluators] == ["theirs", "mine"]


def test_mirroring_once_asked_for_stays(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    extend_plan(store, evaluators=[evaluator("one")])
    extend_plan(store, evaluators=[evaluator("one", mirrored=False)])
    assert load_plan(store).evaluators == (evaluator("one"),)


def test_a_name_keeps_its_meaning(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    extend_plan(store, evaluators=[evaluator("one")])
    with pytest.raises(ConfigError, match="give the changed one a new name"):
        extend_plan(store, evaluators=[evaluator("one", "another")])


def test_the_primary_evaluator_stays_whoever_reads_first(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    extend_plan(store, primary_evaluator="first")
    extend_plan(store, evaluators=[evaluator("other", "n")], primary_evaluator="other")
    plan = extend_plan(store, evaluators=[evaluator("first")])
    assert plan.primary_evaluator == "first"
    assert [e.name for e in plan.evaluators] == ["other", "first"]
    assert [e.name for e in plan.ordered_evaluators] == ["first", "other"]


def block(harness: HarnessSpec) -> PlanBlock:
    return PlanBlock(
        model_name="m",
        model=ModelConfig(provider="p", model="m"),
        harness=harness,
        environment="e",
        replicates=1,
    )


def test_a_harness_keeps_its_meaning_too(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    mine = HarnessSpec(
        name="mine", acquisition=("search",), workspace=(), finalization=(), tool_order=("search",)
    )
    extend_plan(store, blocks=[block(mine)])
    changed = mine.model_copy(update={"budget": EpisodeBudget(tools=3)})
    with pytest.raises(
        ConfigError, match="harness `mine` was run in this study as another specification"
    ):
        extend_plan(store, blocks=[block(changed)])


def test_replicates_and_controls_are_added_and_never_taken_away(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    spec = HarnessSpec(name="a", acquisition=(), workspace=(), finalization=(), tool_order=())
    more = block(spec).model_copy(update={"replicates": 3, "aa": ("f",), "neutral": ("f",)})
    extend_plan(store, blocks=[more])
    fewer = block(spec).model_copy(update={"replicates": 2, "aa": ("g", "f"), "neutral": ()})
    (found,) = extend_plan(store, blocks=[fewer]).blocks
    assert (found.replicates, found.aa, found.neutral) == (3, ("f", "g"), ("f",))
    assert load_plan(store).blocks == (found,)
    (grown,) = extend_plan(store, blocks=[fewer.model_copy(update={"replicates": 4})]).blocks
    assert (grown.replicates, grown.aa, grown.neutral) == (4, ("f", "g"), ("f",))


def test_one_model_is_not_run_under_two_names(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    spec = HarnessSpec(name="a", acquisition=(), workspace=(), finalization=(), tool_order=())
    extend_plan(store, blocks=[block(spec)])
    with pytest.raises(ConfigError, match="keep the name `m`"):
        extend_plan(store, blocks=[block(spec).model_copy(update={"model_name": "n"})])
    other = ModelConfig(provider="p", model="another")
    with pytest.raises(ConfigError, match="was run with other settings"):
        extend_plan(store, blocks=[block(spec).model_copy(update={"model": other})])


def test_blocks_of_development_harnesses_are_left_out_unless_asked_for() -> None:
    kept = HarnessSpec(name="a", acquisition=(), workspace=(), finalization=(), tool_order=())
    apart = kept.model_copy(update={"name": "b", "development_only": True})
    plan = Plan(blocks=(block(kept), block(apart)), primary_evaluator="one")
    parts = part_plan(plan, include_development=False)
    assert [b.harness.name for b in parts.analysed.blocks] == ["a"]
    assert [b.harness.name for b in parts.left_out.blocks] == ["b"]
    assert parts.analysed.primary_evaluator == "one"
    assert part_plan(plan, include_development=True) == (plan, Plan())
