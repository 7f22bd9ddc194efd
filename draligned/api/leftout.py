"""Runs of development-only harnesses: run and counted, neither read nor measured (DR-20)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from draligned.schema.design import Design
from draligned.schema.observed import ObservedRun
from draligned.store.protocol import Store
from draligned.study.inventory import CellState, RunCell, cells
from draligned.study.plan import Plan
from draligned.study.reading import observed_runs
from draligned.study.status import BlockStatus, block_status, run_states

SWITCH = "`include_development = true` under [measure] in study.toml"
TAKEN_IN = (
    "Development-only harnesses were taken in ({names}), as study.toml asks; their rows are "
    "stamped `development`."
)


@dataclass(frozen=True)
class LeftOut:
    """The part of the plan that is kept out of analysis, by default."""

    store: Store
    design: Design
    plan: Plan

    @cached_property
    def cells(self) -> tuple[RunCell, ...]:
        """Its planned runs."""
        return cells(self.design, self.plan)

    @cached_property
    def states(self) -> Mapping[str, CellState]:
        """Their states, by run id."""
        return run_states(self.store, self.cells)

    @cached_property
    def observed(self) -> tuple[ObservedRun, ...]:
        """Those that are done."""
        return observed_runs(self.store, self.design, self.cells, self.states)

    @property
    def harnesses(self) -> tuple[str, ...]:
        """Names, in alphabetical order."""
        return tuple(sorted({cell.harness_name for cell in self.cells}))

    @property
    def blocks(self) -> tuple[BlockStatus, ...]:
        """Counts, for `status`."""
        return block_status(self.store, self.cells, dict(self.states))

    def note(self) -> str | None:
        """How many planned runs were left out, in one line; none if there are none."""
        if not self.cells:
            return None
        n = len(self.cells)
        return (
            f"{n} planned {'run' if n == 1 else 'runs'} of development-only harnesses "
            f"({', '.join(self.harnesses)}) {'is' if n == 1 else 'are'} left out of reads, tables "
            f"and report; {SWITCH} takes them in."
        )

    def only(self) -> str:
        """What to say where nothing else was run."""
        return (
            f"only development-only harnesses were run ({', '.join(self.harnesses)}), which are "
            f"kept out of analysis; run another harness, or set {SWITCH}"
        )


def taken_in(plan: Plan) -> str | None:
    """The remark that development-only harnesses stand among what is analysed; none if not."""
    names = sorted({b.harness.name for b in plan.blocks if b.harness.development_only})
    return TAKEN_IN.format(names=", ".join(names)) if names else None
