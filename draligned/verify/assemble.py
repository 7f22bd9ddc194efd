"""From runs and reads on disk to the study that tables are made from, and its sets."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from draligned.verify import controls
from draligned.verify.asides import check_asides
from draligned.verify.corrections import read_corrections
from draligned.verify.design import DesignFacts
from draligned.verify.files import Files
from draligned.verify.inventory import add_missing, all_keys, gather, strange_readers
from draligned.verify.labelled import read_labelled
from draligned.verify.labels import Slots
from draligned.verify.logs import Run
from draligned.verify.looks import Look
from draligned.verify.packets import Unit, masked_unit, units_of
from draligned.verify.plan import PANEL, PlanFacts, Settings
from draligned.verify.reads import Reader, read_protocols
from draligned.verify.restated import restates
from draligned.verify.study import Study

T = TypeVar("T")
Counted = Callable[[str, Sequence[T]], Iterator[T]]


@dataclass(frozen=True, kw_only=True)
class Assembly:
    """What a study is put together from."""

    files: Files
    design: DesignFacts
    plan: PlanFacts
    settings: Settings
    runs: Sequence[Run]
    """All that were planned."""
    looks: dict[str, Look] = field(default_factory=dict)
    on_trust: list[str] = field(default_factory=list)

    @property
    def mode(self) -> str:
        """How requests are packed."""
        return self.settings.evaluate.request_mode

    @cached_property
    def analysed(self) -> tuple[Run, ...]:
        """Without those of development-only harnesses, unless they are asked for."""
        take_all = self.settings.measure.include_development
        return tuple(r for r in self.runs if take_all or not r.cell.block.development)

    @cached_property
    def panel(self) -> tuple[Run, ...]:
        """Runs of the panel and its repeats."""
        return tuple(r for r in self.analysed if r.cell.run_set == PANEL)

    @cached_property
    def masked_texts(self) -> list[controls.Text]:
        """Texts drawn to be read with restatements masked."""
        share = self.settings.controls.masked_share
        return controls.masked_texts(self.panel, self.design.seed, share)

    @cached_property
    def masked_units(self) -> dict[str, Unit]:
        """Of these, those that restate an endpoint."""
        found = (
            masked_unit(sha256, factor)
            for sha256, factor in self.masked_texts
            if self._restates(sha256, factor)
        )
        return {unit.packet_id: unit for unit in found}

    def _restates(self, sha256: str, factor: str) -> bool:
        """A rule over clauses, none of which goes on past the end of a line."""
        data = self.files.blob(sha256)
        text = data.decode("utf-8", "replace") if data else ""
        return restates([text], self.design.cards[factor])

    @cached_property
    def sets(self) -> dict[str, tuple[list[Run], dict[str, Unit]]]:
        """Runs and packets of every set beside the panel."""
        share = self.settings.controls.placebo_share
        runs = controls.run_sets(self.panel, [r for r in self.analysed if r.cell.run_set != PANEL])
        if found := controls.placebo(self.panel, self.design, share):
            runs["placebo"] = found
        sets = {name: (members, units_of(members, self.mode)) for name, members in runs.items()}
        if held := controls.masked(self.panel, self.masked_texts):
            sets["masked"] = (held, self.masked_units)
        return sets

    @cached_property
    def units(self) -> dict[str, Unit]:
        """Every packet of what is analysed."""
        found = units_of(self.analysed, self.mode)
        for _, units in self.sets.values():
            found |= units
        return found

    @cached_property
    def possible(self) -> dict[str, Unit]:
        """Packets that were asked for under other settings, or of runs that are left out."""
        found = units_of(self.runs, self.mode)
        return found | {
            u.packet_id: u for u in controls.possible(self.runs, self.design, self.mode)
        }

    def unit(self, packet_id: str) -> Unit | None:
        """What a packet on disk stands for; none if nothing could have asked for it."""
        return self.units.get(packet_id) or self.possible.get(packet_id)

    def study(self, counted: Counted[tuple[str, str, str]]) -> Study:
        """Read all reads; `counted` tells progress."""
        evaluators = self.plan.evaluators
        ids = [e.evaluator_id for e in evaluators]
        reader = Reader(
            files=self.files, design=self.design, protocols=read_protocols(self.files, ids),
            on_trust=self.on_trust, looks=self.looks,
        )  # fmt: skip
        slots = Slots()
        for evaluator in evaluators:
            keys = counted(f"reads of {evaluator.name}", all_keys(reader, evaluator))
            slots |= gather(reader, evaluator, keys, self.unit)
        strange_readers(self.files, self.plan)
        asides = check_asides(self.files, reader.protocols)
        share = self.settings.evaluate.retest_share
        add_missing(slots, self.units, evaluators, self.design.seed, share)
        left_out = read_corrections(self.files)
        panel_units, shown = units_of(self.panel, self.mode), left_out.reads(slots)
        sets = {
            name: self._set(map(left_out.run, runs), units, shown)
            for name, (runs, units) in self.sets.items()
        }
        panel = self._set(map(left_out.run, self.panel), panel_units, shown, sets)
        return replace(
            panel, read_slots=slots, asides=asides, text_of=self._text_of,
            samples=read_labelled(self.files),
        )  # fmt: skip

    def _text_of(self, sha256: str) -> str | None:
        data = self.files.blob(sha256)
        return None if data is None else data.decode("utf-8", "replace")

    def _set(
        self, runs: Iterable[Run], units: dict[str, Unit], slots: Slots,
        sets: dict[str, Study] | None = None,
    ) -> Study:  # fmt: skip
        shown = tuple(runs)
        seen = {run.run_id for run in shown if run.seen}
        kept = {k: u for k, u in units.items() if u.run is None or u.run.run_id in seen}
        return Study(
            design=self.design, plan=self.plan, settings=self.settings, runs=shown,
            units=kept, slots=slots, evaluators=self.plan.names, every_run=self.analysed,
            every_unit=self.units, sets=sets or {},
        )  # fmt: skip
