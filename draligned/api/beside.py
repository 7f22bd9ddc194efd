"""Runs beside the panel, and the sets that they are measured in: never pooled with it."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import pandas as pd

from draligned.evaluators.packets import assigned_factors
from draligned.schema.design import Design
from draligned.schema.frames import FACTORS, SECOND, InputSet
from draligned.schema.labels import RunSet, Side
from draligned.schema.observed import ObservedRun
from draligned.study.inventory import RunCell

TWO_FACTOR = {
    Side.P: InputSet.TWO_FACTOR_PRIMARY,
    Side.Q: InputSet.TWO_FACTOR_COMPLEMENTARY,
}
"""By the side of the second factor (DR-13)."""


def sets_of(panel: Sequence[RunCell], beside: Sequence[RunCell]) -> dict[InputSet, list[RunCell]]:
    """The runs of every set, each in the arm that it stands for in the set.

    An A/A run stands as Q beside the first P run of its pair, which is one of the panel's.
    """
    first = {c.pair: c for c in panel if c.arm is Side.P}
    sets: dict[InputSet, list[RunCell]] = {}
    for cell in beside:
        if cell.run_set is RunSet.AA and cell.pair in first:
            again = cell.model_copy(update={"arm": Side.Q})
            sets.setdefault(InputSet.AA, []).extend([first[cell.pair], again])
        elif cell.run_set is RunSet.NEUTRAL:
            sets.setdefault(InputSet.NEUTRAL, []).append(cell)
        elif cell.second is not None:
            sets.setdefault(TWO_FACTOR[cell.second.side], []).append(cell)
    return sets


def factors_of(cells: Iterable[RunCell]) -> Callable[[ObservedRun], tuple[str, ...]]:
    """The factors that a run is read on: those it was told, or the one a neutral run was not."""
    untold = {c.run_id: (c.factor_id,) for c in cells if c.run_set is RunSet.NEUTRAL}

    def of(run: ObservedRun) -> tuple[str, ...]:
        return untold.get(run.run_id) or assigned_factors(run)

    return of


def second_table(cells: Iterable[RunCell]) -> pd.DataFrame:
    """`frames.SECOND` of two-factor runs."""
    rows = [(c.run_id, c.second.factor_id, c.second.side.value) for c in cells if c.second]
    return pd.DataFrame(sorted(rows), columns=list(SECOND), dtype=object)


def factors_table(design: Design) -> pd.DataFrame:
    """`frames.FACTORS` of a design."""
    rows = [(c.factor_id, c.kind, c.p.value, c.q.value) for c in design.cards]
    return pd.DataFrame(sorted(rows), columns=list(FACTORS), dtype=object)


def done(cells: Iterable[RunCell], observed: Mapping[str, ObservedRun]) -> list[ObservedRun]:
    """The runs of `cells` that can be read, each once."""
    ids = dict.fromkeys(c.run_id for c in cells)
    return [observed[run_id] for run_id in ids if run_id in observed]
