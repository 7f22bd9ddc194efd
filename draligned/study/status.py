"""Counts of a study's cells: starts, completions, failures, censored, open (DR-36).

Counts are of this study alone, by model × harness × environment; no rate pools studies.
"""

from collections import Counter
from collections.abc import Iterable

from draligned.schema.base import Record
from draligned.schema.labels import RunSet
from draligned.store.protocol import Store
from draligned.study.attempts import attempts_of
from draligned.study.inventory import CellState, RunCell, cell_state

SET_NAMES = {
    RunSet.PANEL: "pairs",
    RunSet.AA: "A/A",
    RunSet.NEUTRAL: "neutral arm",
    RunSet.TWO_FACTOR: "two-factor",
}
"""How sets of runs are called where they are counted."""


class BlockStatus(Record):
    """Counts of one model × harness × environment × set of runs.

    `started` runs have an attempt on disk, whatever became of it: done, failed, censored or open.
    """

    model: str
    harness: str
    environment: str
    planned: int
    started: int
    done: int
    failed: int
    censored: int
    open: int
    outcomes: dict[str, int]
    """Outcomes of ended runs."""
    stored: int = 0
    """Attempts that are kept and not analysed: a run's analysed attempt is the first one with
    model output, whatever became of it (Q7)."""
    development: bool = False
    """Whether the harness is for development only (DR-20)."""
    run_set: RunSet = RunSet.PANEL
    """What the runs are for; sets are counted apart."""


def run_states(store: Store, cells: Iterable[RunCell]) -> dict[str, CellState]:
    """State of every cell, by run id."""
    return {cell.run_id: cell_state(store, cell.run_id) for cell in cells}


def block_status(
    store: Store, cells: Iterable[RunCell], states: dict[str, CellState]
) -> tuple[BlockStatus, ...]:
    """One record a block and set: the panel in alphabetical order, then the sets beside it."""
    groups: dict[tuple[str, str, str, RunSet], list[RunCell]] = {}
    for cell in cells:
        key = (cell.model_name, cell.harness_name, cell.environment, cell.run_set)
        groups.setdefault(key, []).append(cell)
    place = list(RunSet)
    ordered = sorted(groups, key=lambda key: (place.index(key[3]), *key[:3]))
    return tuple(_count(store, key, groups[key], states) for key in ordered)


def _count(
    store: Store,
    key: tuple[str, str, str, RunSet],
    cells: list[RunCell],
    states: dict[str, CellState],
) -> BlockStatus:
    found = [states[c.run_id] for c in cells]
    by_state = Counter(s.state for s in found)
    attempts = [attempts_of(store, c.run_id) for c in cells]
    return BlockStatus(
        model=key[0],
        harness=key[1],
        environment=key[2],
        planned=len(cells),
        started=sum(bool(numbers) for numbers in attempts),
        done=by_state["done"],
        failed=by_state["failed"],
        censored=by_state["censored"],
        open=by_state["open"],
        outcomes=dict(sorted(Counter(s.end.outcome.value for s in found if s.end).items())),
        stored=sum(
            number != state.attempt
            for numbers, state in zip(attempts, found, strict=True)
            for number in numbers
        ),
        development=any(c.development for c in cells),
        run_set=key[3],
    )
