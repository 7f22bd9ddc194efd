"""The inventory is computed: cells from design and plan, states from what is on disk."""

from collections.abc import Iterator
from typing import NamedTuple

from draligned.schema.base import Record
from draligned.schema.design import Assigned, Condition, Design
from draligned.schema.endings import EpisodeEnd
from draligned.schema.ids import run_id
from draligned.schema.labels import RunSet, Side
from draligned.store.protocol import Store
from draligned.study.attempts import (
    MAX_ATTEMPTS,
    RunState,
    attempt_exists,
    attempts_of,
    read_seal,
    run_state,
)
from draligned.study.plan import Plan, PlanBlock

AA_REPLICATE = 0
"""An A/A run is a replicate of P that no pair has."""


class RunCell(Record):
    """One planned run."""

    run_id: str
    condition_id: str
    task_id: str
    user_id: str
    factor_id: str
    """The primary factor."""
    arm: Side
    model_name: str
    model_key: str
    harness_name: str
    harness_key: str
    environment: str
    replicate: int
    development: bool = False
    """Whether its harness is for development only, so that it is not analysed (DR-20)."""
    submits_saved: bool = False
    """Whether its harness submits the saved draft itself (DR-23)."""
    delegation_offered: bool = False
    """Whether its harness offers delegation (DR-25)."""
    run_set: RunSet = RunSet.PANEL
    """What the run is for. `arm` of the runs beside the panel: the side of the first factor; P for
    an A/A run, whose condition is P, and for a neutral one, which stands in its place."""
    second: Assigned | None = None
    """The second factor of a two-factor run, and its side."""

    @property
    def pair(self) -> tuple[str, ...]:
        """What P and Q of a pair share; A/A and neutral runs belong to the pair of the first
        replicate, two-factor runs to the pair that shares the second factor's side."""
        replicate = AA_REPLICATE + 1 if self.run_set is RunSet.AA else self.replicate
        second = () if self.second is None else (self.second.factor_id, self.second.side.value)
        return (
            self.task_id,
            self.factor_id,
            self.model_key,
            self.harness_key,
            self.environment,
            str(replicate),
            *second,
        )


class CellState(NamedTuple):
    """State of a cell, and its analysed attempt."""

    state: RunState
    attempt: int | None
    end: EpisodeEnd | None


def cells(design: Design, plan: Plan) -> tuple[RunCell, ...]:
    """Every planned run, in a fixed order: the two runs of a pair next to each other, then the
    A/A and neutral runs of the block."""
    return tuple(_cells(design, plan))


def _cells(design: Design, plan: Plan) -> Iterator[RunCell]:
    p_of = {
        c.assigned[0].factor_id: c
        for c in design.conditions
        if c.run_set is RunSet.PANEL and c.assigned[0].side is Side.P
    }
    neutral_of = {n.factor_id: n.condition for n in design.neutral}
    for block in plan.blocks:
        for replicate in range(1, block.replicates + 1):
            for condition in design.conditions:
                yield _cell(condition, block, replicate, condition.assigned[0])
        for factor in block.aa:
            told = p_of[factor].assigned[0]
            yield _cell(p_of[factor], block, AA_REPLICATE, told, RunSet.AA)
        for factor in block.neutral:
            untold = Assigned(factor_id=factor, side=Side.P)
            yield _cell(neutral_of[factor], block, 1, untold)


def _cell(
    condition: Condition,
    block: PlanBlock,
    replicate: int,
    first: Assigned,
    run_set: RunSet | None = None,
) -> RunCell:
    condition_id = condition.condition_id
    identity = run_id(
        condition_id, block.model_key, block.harness.key, block.environment, replicate
    )
    return RunCell(
        run_id=identity,
        condition_id=condition_id,
        task_id=condition.task_id,
        user_id=condition.user_id,
        factor_id=first.factor_id,
        arm=first.side,
        model_name=block.model_name,
        model_key=block.model_key,
        harness_name=block.harness.name,
        harness_key=block.harness.key,
        environment=block.environment,
        replicate=replicate,
        development=block.harness.development_only,
        submits_saved=block.harness.submits_saved_file,
        delegation_offered=bool(block.harness.delegated),
        run_set=run_set or condition.run_set,
        second=next(iter(condition.assigned[1:]), None),
    )


def cell_state(store: Store, identity: str) -> CellState:
    """State of a run by its attempts: the first that exists is the analysed one (Q7)."""
    attempts = attempts_of(store, identity)
    for attempt in attempts:
        seal = read_seal(store, identity, attempt)
        if seal is None:
            return CellState("open", attempt, None)
        state = run_state(seal.end)
        if state == "done" or attempt_exists(store, identity, attempt):
            return CellState(state, attempt, seal.end)
        if attempt >= MAX_ATTEMPTS:
            return CellState("failed", attempt, seal.end)
    return CellState("open", None, None)
