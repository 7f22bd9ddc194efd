"""The inventory is computed: cells from design and plan, states from what is on disk."""

from collections.abc import Iterator
from typing import NamedTuple

from draligned.schema.base import Record
from draligned.schema.design import Condition, Design
from draligned.schema.endings import EpisodeEnd
from draligned.schema.ids import run_id
from draligned.schema.labels import Side
from draligned.store.protocol import Store
from draligned.study.attempts import (
    MAX_ATTEMPTS,
    attempt_exists,
    attempts_of,
    read_seal,
    run_state,
)
from draligned.study.plan import Plan, PlanBlock


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

    @property
    def pair(self) -> tuple[str, ...]:
        """What P and Q of a pair share."""
        return (
            self.task_id,
            self.factor_id,
            self.model_key,
            self.harness_key,
            self.environment,
            str(self.replicate),
        )


class CellState(NamedTuple):
    """State of a cell: `open`, `done`, `failed` or `censored`, and its analysed attempt."""

    state: str
    attempt: int | None
    end: EpisodeEnd | None


def cells(design: Design, plan: Plan) -> tuple[RunCell, ...]:
    """Every planned run, in a fixed order: the two runs of a pair next to each other."""
    return tuple(_cells(design, plan))


def _cells(design: Design, plan: Plan) -> Iterator[RunCell]:
    for block in plan.blocks:
        for replicate in range(1, block.replicates + 1):
            for condition in design.conditions:
                yield _cell(condition, block, replicate)


def _cell(condition: Condition, block: PlanBlock, replicate: int) -> RunCell:
    condition_id = condition.condition_id
    identity = run_id(
        condition_id, block.model_key, block.harness.key, block.environment, replicate
    )
    primary = condition.assigned[0]
    return RunCell(
        run_id=identity,
        condition_id=condition_id,
        task_id=condition.task_id,
        user_id=condition.user_id,
        factor_id=primary.factor_id,
        arm=primary.side,
        model_name=block.model_name,
        model_key=block.model_key,
        harness_name=block.harness.name,
        harness_key=block.harness.key,
        environment=block.environment,
        replicate=replicate,
        development=block.harness.development_only,
        submits_saved=block.harness.submits_saved_file,
        delegation_offered=bool(block.harness.delegated),
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
