"""Reads that are controls of the study's own: on a placebo axis, and with restatements masked."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from draligned.api import beside
from draligned.evaluators.masking import chosen_texts, holding, masked_units
from draligned.evaluators.packets import (
    RequestMode,
    document_units,
    masked_unit,
    plan_units,
    request_units,
)
from draligned.evaluators.placebo import as_placebo, placebo_axes, without_drafts
from draligned.schema.config import ControlsConfig
from draligned.schema.design import Design, FactorCard
from draligned.schema.frames import InputSet
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import EvalUnit
from draligned.study.inventory import RunCell

FactorsOf = Callable[[ObservedRun], Iterable[str]]


class ReadSet(NamedTuple):
    """One set: its runs as they stand in it, what is read of them, and on which factors."""

    cells: tuple[RunCell, ...]
    runs: tuple[ObservedRun, ...]
    units: tuple[EvalUnit, ...]
    factors_of: FactorsOf


@dataclass(frozen=True, kw_only=True)
class ReadControls:
    """Which reads of the panel's runs are made as controls, by the shares of `[controls]`."""

    cells: tuple[RunCell, ...]
    observed: Mapping[str, ObservedRun]
    """The panel's runs that are done."""
    design: Design
    config: ControlsConfig
    mode: RequestMode
    text_of: Callable[[str], str]

    @cached_property
    def sets(self) -> Mapping[InputSet, ReadSet]:
        """The sets that have a run."""
        found = {InputSet.PLACEBO: self._placebo, InputSet.MASKED: self._masked}
        return {name: made for name, made in found.items() if made.cells}

    @property
    def units(self) -> tuple[EvalUnit, ...]:
        """All their packets."""
        return tuple(u for made in self.sets.values() for u in made.units)

    @cached_property
    def _cards(self) -> dict[str, FactorCard]:
        return {c.factor_id: c for c in self.design.cards}

    @cached_property
    def _placebo(self) -> ReadSet:
        axes = placebo_axes(self.cells, self.design, self.config.placebo_share)
        cells = tuple(as_placebo(self.cells, axes))
        runs = tuple(without_drafts(run) for run in beside.done(cells, self.observed))

        def axis_of(run: ObservedRun) -> tuple[str, ...]:
            return (axes[run.run_id],)

        return ReadSet(cells, runs, plan_units(runs, self.mode, axis_of), axis_of)

    @cached_property
    def _masked(self) -> ReadSet:
        factors_of = beside.factors_of(self.cells)
        seed, share = self.design.seed, self.config.masked_share
        texts = chosen_texts(self.observed.values(), factors_of, share, seed)
        held = [
            (cell, kept)
            for cell in self.cells
            if (run := self.observed.get(cell.run_id))
            and (kept := holding(run, cell.factor_id, texts))
        ]
        units = masked_units(texts, self._cards, self.text_of)
        return ReadSet(tuple(c for c, _ in held), tuple(r for _, r in held), units, factors_of)


def possible_packets(
    runs: Iterable[ObservedRun], design: Design, mode: RequestMode
) -> frozenset[str]:
    """Every packet that some share of controls, or some design with these factors, would ask for.

    What was read when more was asked for is no damage.
    """
    found: set[str] = set()
    for run in runs:
        for card in design.cards:
            texts = document_units(run, card.factor_id)
            found |= {u.packet_id for u in (*request_units(run, card.factor_id, mode), *texts)}
            masked = (masked_unit(u.text_sha256, u.factor_id) for u in texts if u.text_sha256)
            found |= {u.packet_id for u in masked}
    return frozenset(found)
