"""plan.json: what has been asked for. Blocks and evaluators are added, never taken away."""

from collections.abc import Sequence
from typing import NamedTuple

from draligned.schema.base import Record, short_id
from draligned.schema.config import ModelConfig
from draligned.schema.errors import ConfigError
from draligned.schema.harness import HarnessSpec
from draligned.schema.ids import model_key
from draligned.store.protocol import Store
from draligned.study.claims import alone
from draligned.study.stored import stored

KEY = "plan.json"


class PlanBlock(Record):
    """One model in one harness and environment, so many times."""

    model_name: str
    model: ModelConfig
    harness: HarnessSpec
    environment: str
    replicates: int
    aa: tuple[str, ...] = ()
    """Factors whose P condition is run once more (A/A)."""
    neutral: tuple[str, ...] = ()
    """Factors whose neutral condition is run."""

    @property
    def model_key(self) -> str:
        """Identity of the model as asked for."""
        return model_key(self.model.model, self.model.provider, self.model.params)

    @property
    def key(self) -> str:
        """Identity of the block, whatever its replicates."""
        return short_id("block", self.model_key, self.harness.key, self.environment)


class PlanEvaluator(Record):
    """One evaluator."""

    name: str
    model: ModelConfig
    mirrored: bool
    """Whether both orientations were asked for; once asked, it stays."""

    @property
    def evaluator_id(self) -> str:
        """Identity of the evaluator and name of its folder: the key of its model."""
        return model_key(self.model.model, self.model.provider, self.model.params)


class Plan(Record):
    """All that was asked for so far."""

    blocks: tuple[PlanBlock, ...] = ()
    evaluators: tuple[PlanEvaluator, ...] = ()
    primary_evaluator: str | None = None
    """The first evaluator of study.toml when something was first asked for; it stays, whichever
    evaluator happens to read first."""

    @property
    def ordered_evaluators(self) -> tuple[PlanEvaluator, ...]:
        """The primary evaluator first, the others in the order in which they were added."""
        return tuple(sorted(self.evaluators, key=lambda e: e.name != self.primary_evaluator))


class Parts(NamedTuple):
    """A plan in two: what is analysed, and what is run and counted only."""

    analysed: Plan
    left_out: Plan


def part_plan(plan: Plan, *, include_development: bool) -> Parts:
    """Blocks of development-only harnesses are left out unless they are asked for (DR-20)."""
    apart = [b for b in plan.blocks if b.harness.development_only and not include_development]
    kept = tuple(b for b in plan.blocks if b not in apart)
    return Parts(plan.model_copy(update={"blocks": kept}), Plan(blocks=tuple(apart)))


def load_plan(store: Store) -> Plan:
    """The plan; empty if nothing was asked for."""
    data = store.get(KEY)
    return Plan() if data is None else stored(Plan, data, KEY)


def extend_plan(
    store: Store,
    blocks: Sequence[PlanBlock] = (),
    evaluators: Sequence[PlanEvaluator] = (),
    *,
    primary_evaluator: str | None = None,
) -> Plan:
    """Add blocks and evaluators. Raises `ConfigError` if a name would change its meaning.

    `primary_evaluator` is written down once and not changed by later calls.

    What other processes add at the same time is kept.
    """
    plan = load_plan(store)
    if _merged(plan, blocks, evaluators, primary_evaluator) == plan:
        return plan
    with alone(store, "plan"):
        merged = _merged(load_plan(store), blocks, evaluators, primary_evaluator)
        store.replace(KEY, merged.to_json().encode() + b"\n")
    return merged


def _merged(
    plan: Plan,
    blocks: Sequence[PlanBlock],
    evaluators: Sequence[PlanEvaluator],
    primary_evaluator: str | None,
) -> Plan:
    return Plan(
        blocks=_merge_blocks(plan.blocks, blocks),
        evaluators=_merge_evaluators(plan.evaluators, evaluators),
        primary_evaluator=plan.primary_evaluator or primary_evaluator,
    )


def _merge_blocks(old: Sequence[PlanBlock], new: Sequence[PlanBlock]) -> tuple[PlanBlock, ...]:
    by_key = {b.key: b for b in old}
    names = {b.model_name: b.model_key for b in old}
    harnesses = {b.harness.name: b.harness.key for b in old}
    for block in new:
        if harnesses.setdefault(block.harness.name, block.harness.key) != block.harness.key:
            raise ConfigError(
                f"harness `{block.harness.name}` was run in this study as another specification, "
                "and tables tell harnesses apart by name; give the changed one a new name (a "
                "built-in one changes with draligned: go on with the version of the earlier runs)"
            )
        if names.setdefault(block.model_name, block.model_key) != block.model_key:
            raise ConfigError(
                f"model `{block.model_name}` was run with other settings; "
                "give the changed one a new name"
            )
        before = by_key.get(block.key)
        _same_name("model", block.model_name, before.model_name if before else None)
        by_key[block.key] = block if before is None else _more(before, block)
    return tuple(by_key[k] for k in sorted(by_key))


def _more(before: PlanBlock, block: PlanBlock) -> PlanBlock:
    """The larger number of replicates, and the controls of both."""
    base = block if block.replicates > before.replicates else before
    added = {
        "aa": (*before.aa, *(f for f in block.aa if f not in before.aa)),
        "neutral": (*before.neutral, *(f for f in block.neutral if f not in before.neutral)),
    }
    return base.model_copy(update=added)


def _merge_evaluators(
    old: Sequence[PlanEvaluator], new: Sequence[PlanEvaluator]
) -> tuple[PlanEvaluator, ...]:
    by_name = {e.name: e for e in old}
    for evaluator in new:
        same = [e.name for e in by_name.values() if e.evaluator_id == evaluator.evaluator_id]
        _same_name("evaluator", evaluator.name, *same[:1])
        known = by_name.setdefault(evaluator.name, evaluator)
        if known.evaluator_id != evaluator.evaluator_id:
            raise ConfigError(
                f"evaluator `{evaluator.name}` was used with other settings; "
                "give the changed one a new name"
            )
        if evaluator.mirrored:
            by_name[evaluator.name] = evaluator
    return tuple(by_name.values())


def _same_name(what: str, name: str, before: str | None = None) -> None:
    if before is not None and before != name:
        raise ConfigError(
            f"{what} `{name}` is the same as `{before}`: one provider, model and parameters; "
            f"keep the name `{before}`"
        )
