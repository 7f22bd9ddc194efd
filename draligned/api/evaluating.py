"""evaluate and measure: from sealed logs to reads and tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from draligned.api import beside
from draligned.api.asides import Asides
from draligned.api.context import Context, asked_for
from draligned.api.labelled import labelled_table
from draligned.api.leftout import LeftOut
from draligned.api.read_controls import ReadControls, ReadSet, possible_packets
from draligned.api.registers import excluded_of
from draligned.evaluators.campaign import Campaign
from draligned.evaluators.collect import collect
from draligned.evaluators.orientation import ReadPlan, Work, work_list
from draligned.evaluators.packets import document_packet, plan_units, request_packet
from draligned.evaluators.protocol import Protocol, load_protocol
from draligned.evaluators.read_columns import ReadColumns, as_columns
from draligned.evaluators.render import Packet
from draligned.evaluators.sentinels import interleaved
from draligned.evaluators.subproblems import visits
from draligned.measure.edits import edits
from draligned.measure.exclusions import exclude
from draligned.measure.tables import build_tables
from draligned.models.factory import close_models, resolve_model
from draligned.models.protocol import ChatModel
from draligned.models.spend import SpendGuard
from draligned.schema.config import ModelsMode
from draligned.schema.design import Design, FactorCard
from draligned.schema.errors import ConfigError, DesignError
from draligned.schema.frames import MeasureInputs
from draligned.schema.observed import ObservedRun
from draligned.schema.packets import EvalUnit, ReadRecord
from draligned.study.inventory import CellState, RunCell
from draligned.study.plan import Plan, PlanEvaluator, load_plan
from draligned.study.reading import observed_runs, runs_table
from draligned.study.reads import ReadsOf, iter_reads, lock_protocol, locked_protocol, reads_of
from draligned.study.stored import stored
from draligned.study.work import Progress, WorkSummary


@dataclass(frozen=True)
class Readings:
    """What has been observed, and the reads that are planned for it.

    `plan`, `cells` and `states` are of what is analysed; development-only harnesses are
    `left_out` unless study.toml takes them in. `cells` and `observed` are the panel; the runs
    `beside` it (A/A, neutral, two-factor) are read alike and measured in sets of their own.
    """

    context: Context
    design: Design
    plan: Plan
    cells: tuple[RunCell, ...]
    states: Mapping[str, CellState]
    left_out: LeftOut
    beside: tuple[RunCell, ...] = ()

    @property
    def every_cell(self) -> tuple[RunCell, ...]:
        """The panel's runs, then those beside it."""
        return (*self.cells, *self.beside)

    @cached_property
    def every_run(self) -> dict[str, ObservedRun]:
        """Ended runs that are done, of the panel and beside it, by run id."""
        store = self.context.folder.store
        runs = observed_runs(store, self.design, self.every_cell, self.states)
        return {run.run_id: run for run in runs}

    @cached_property
    def observed(self) -> dict[str, ObservedRun]:
        """Those of the panel."""
        return {run.run_id: run for run in beside.done(self.cells, self.every_run)}

    @cached_property
    def units(self) -> tuple[EvalUnit, ...]:
        """Every packet of the study."""
        own = self._units_of(self.every_run.values(), self.every_cell)
        found = {u.packet_id: u for u in (*own, *self.controls.units)}
        return tuple(found[packet_id] for packet_id in sorted(found))

    @cached_property
    def controls(self) -> ReadControls:
        """Reads of the panel's runs that are controls: placebo axis and masked restatements."""
        return ReadControls(
            cells=self.cells,
            observed=self.observed,
            design=self.design,
            config=self.context.config.controls,
            mode=self.context.config.evaluate.request_mode,
            text_of=self.context.folder.blobs.get,
        )

    def _units_of(
        self, runs: Iterable[ObservedRun], cells: Iterable[RunCell]
    ) -> tuple[EvalUnit, ...]:
        mode = self.context.config.evaluate.request_mode
        return plan_units(runs, mode, beside.factors_of(cells))

    @cached_property
    def cards(self) -> dict[str, FactorCard]:
        """Cards by factor."""
        return {c.factor_id: c for c in self.design.cards}

    def read_plan(self, mirrored: bool) -> ReadPlan:
        """How packets are read: by the seed of the design, whatever study.toml has come to say."""
        share = self.context.config.evaluate.retest_share
        return ReadPlan(seed=self.design.seed, mirrored=mirrored, retest_share=share)

    def work(self, evaluators: Sequence[PlanEvaluator]) -> tuple[Work, ...]:
        """Every planned read of `evaluators`, in the shuffled order."""
        named = tuple((e.evaluator_id, e.mirrored) for e in evaluators)
        if named not in self._work:
            parts = (
                work_list(self.units, [i for i, m in named if m is mirrored],
                          self.read_plan(mirrored))
                for mirrored in (True, False)
            )  # fmt: skip
            self._work[named] = tuple(w for part in parts for w in part)
        return self._work[named]

    @cached_property
    def _work(self) -> dict[tuple[tuple[str, bool], ...], tuple[Work, ...]]:
        return {}

    def open_work(self, evaluators: Sequence[PlanEvaluator]) -> list[Work]:
        """The planned reads that were not made yet."""
        return self.not_made(self.work(evaluators))

    def not_made(self, work: Sequence[Work]) -> list[Work]:
        """Those of `work` that are not stored yet."""
        return self.campaign({}, {}).open_work(work)

    @cached_property
    def _asides(self) -> Asides:
        """Sentinels among the reads."""
        return Asides(self.context, self.context.config.evaluate.lang or self.design.lang)

    def sentinels(self, evaluators: Sequence[PlanEvaluator]) -> tuple[Work, ...]:
        """Packets with known answers that go with the planned reads of `evaluators`; no data."""
        counts = [(e, len(self.work([e]))) for e in evaluators]
        return tuple(w for e, n in counts for w in self._asides.work(e, n))

    def void_sentinels(self, evaluator: PlanEvaluator) -> int:
        """How many sentinels could not be read at all."""
        found = self._asides.records(evaluator.evaluator_id)
        return sum(read.void is not None for read in found)

    def to_do(self, evaluators: Sequence[PlanEvaluator]) -> list[Work]:
        """What is open, sentinels spread among the reads, in the order in which it is asked."""
        return interleaved(self.open_work(evaluators), self.not_made(self.sentinels(evaluators)))

    def campaign(
        self, models: Mapping[str, ChatModel], protocols: Mapping[str, Protocol]
    ) -> Campaign:
        """The making of reads."""
        return Campaign(
            folder=self.context.folder,
            claims=self.context.claims,
            models=models,
            protocols=protocols,
            packet_of=self.packet_of,
        )

    def packet_of(self, work: Work) -> Packet:
        """The blinded packet of one read."""
        if work.of is ReadsOf.SENTINELS:
            return self._asides.packet(work)
        unit, card, alpha = work.unit, self.cards[work.unit.factor_id], work.read.alpha
        if unit.kind == "requests" and unit.run_id is not None:
            return request_packet(unit, card, alpha, self.every_run[unit.run_id])
        if unit.text_sha256 is None:
            raise DesignError(f"packet {unit.packet_id} names no text")
        return document_packet(unit, card, alpha, self.context.folder.blobs.get(unit.text_sha256))

    def records(
        self, evaluator: PlanEvaluator, packets: Iterable[str] | None = None
    ) -> Iterator[ReadRecord]:
        """Reads of one evaluator that are stored, of some packets or of all, each read from disk
        as it is asked for."""
        store, key = self.context.folder.store, evaluator.evaluator_id
        return iter_reads(store, key) if packets is None else reads_of(store, key, packets)

    @cached_property
    def _reads(self) -> dict[str, list[ReadColumns]]:
        return {}

    def reads(self, evaluator: PlanEvaluator) -> list[ReadColumns]:
        """All reads of one evaluator as columns, as they were when first asked for."""
        key = evaluator.evaluator_id
        if key not in self._reads:
            self._reads[key] = [as_columns(record) for record in self.records(evaluator)]
        return self._reads[key]

    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables of the study, from what is there."""
        names = [e.name for e in self.plan.ordered_evaluators]
        config = self.context.config.measure
        inputs = exclude(self.inputs(), excluded_of(self))
        return build_tables(inputs, config, self._primary(), evaluators=names)

    def inputs(self) -> MeasureInputs:
        """All that the measures read: the panel, and the sets beside it."""
        sets = beside.sets_of(self.cells, self.beside)
        collected = {
            name: replace(self._collected(self._set_of(cells)), second=beside.second_table(cells))
            for name, cells in sets.items()
        }
        collected |= {name: self._collected(made) for name, made in self.controls.sets.items()}
        asked = [(e, len(self.work([e]))) for e in self.plan.ordered_evaluators]
        sentinels = self._asides.table(asked)
        made = replace(
            self._collected(self._set_of(self.cells)),
            sets=collected,
            sentinels=sentinels,
            labelled=labelled_table(self.context.folder.store),
            factors=beside.factors_table(self.design),
        )
        cut = self.context.config.measure.tokens
        return replace(made, edits=edits(made, self.context.folder.blobs.get, cut))

    def _set_of(self, cells: Sequence[RunCell]) -> ReadSet:
        """Runs in the arms that `cells` say, and what is read of them."""
        runs = tuple(beside.done(cells, self.every_run))
        units = self._units_of(runs, cells)
        return ReadSet(tuple(cells), runs, units, beside.factors_of(cells))

    def _collected(self, found: ReadSet) -> MeasureInputs:
        """Runs and reads of one set."""
        evaluators = self.plan.ordered_evaluators
        elsewhere = {u.packet_id for u in self.units} - {u.packet_id for u in found.units}
        reads = [r for e in evaluators for r in self._analysed(self.reads(e))]
        observed = {run.run_id: run for run in found.runs}
        made = collect(
            runs_table=runs_table(found.cells, self.states, observed),
            runs=found.runs,
            units=found.units,
            reads=[r for r in reads if r.packet_id not in elsewhere],
            evaluators={e.evaluator_id: e.name for e in evaluators},
            plan=self.read_plan(any(e.mirrored for e in evaluators)),
            single={e.evaluator_id for e in evaluators if not e.mirrored},
            factors_of=found.factors_of,
        )
        return replace(made, visits=visits(found.runs, self.design))

    def _analysed(self, reads: Sequence[ReadColumns]) -> list[ReadColumns]:
        """Reads of packets that are analysed: runs that were taken in before may be left out, and
        controls that were asked for before may no longer be."""
        planned = {u.packet_id for u in self.units}
        if all(r.packet_id in planned for r in reads):
            return list(reads)
        return [r for r in reads if r.packet_id not in self._once_asked - planned]

    @cached_property
    def _once_asked(self) -> frozenset[str]:
        left_out, mode = self.left_out, self.context.config.evaluate.request_mode
        apart = {u.packet_id for u in self._units_of(left_out.observed, left_out.cells)}
        runs = (*self.observed.values(), *left_out.observed)
        return possible_packets(runs, self.design, mode) | apart

    def _primary(self) -> list[str]:
        """Registered estimands; none while the primary evaluator has read nothing."""
        if self.plan.primary_evaluator not in {e.name for e in self.plan.evaluators}:
            return []
        return [
            e.name if e.population == "readable" else f"{e.name}/{e.population}"
            for e in self.design.estimands
        ]


def plan_evaluators(
    context: Context, names: Sequence[str] | None, *, mirrored: bool
) -> tuple[PlanEvaluator, ...]:
    """The evaluators asked for."""
    return tuple(
        PlanEvaluator(name=name, model=resolve_model(context.config, name), mirrored=mirrored)
        for name in asked_for("evaluate.evaluators", names, context.config.evaluate.evaluators)
    )


def protocol_of(context: Context, design: Design, evaluator: PlanEvaluator) -> Protocol:
    """The protocol that the study's reads are locked to; the package's own at first use.

    An evaluator that is added later reads by the protocol of those before it (DR-75), however
    the package's prompts have changed since. Raises `ConfigError` where study.toml asks for
    another packet mode or language than what was locked.
    """
    store, config = context.folder.store, context.config.evaluate
    others = load_plan(store).ordered_evaluators
    ids = [evaluator.evaluator_id, *(e.evaluator_id for e in others)]
    found = ((i, text) for i in ids if (text := locked_protocol(store, i)) is not None)
    owner, locked = next(found, (None, None))
    if owner is None or locked is None:
        protocol = load_protocol(config.lang or design.lang, config.request_mode)
    else:
        protocol = stored(Protocol, locked.encode(), f"reads/{owner}/protocol.lock")
    asked = {"request_mode": config.request_mode, "lang": config.lang or protocol.lang}
    for key, value in asked.items():
        if getattr(protocol, key) != value:
            raise ConfigError(
                f"this study was read with {key} {getattr(protocol, key)!r}; keep it in "
                "study.toml: reads under two protocols cannot share a table"
            )
    if owner != evaluator.evaluator_id:
        lock_protocol(store, evaluator.evaluator_id, protocol.to_json())
    return protocol


async def evaluate(
    readings: Readings,
    evaluators: Sequence[PlanEvaluator],
    todo: Sequence[Work],
    *,
    concurrency: int,
    spend: SpendGuard,
    progress: Progress,
    models: ModelsMode = "live",
) -> WorkSummary:
    """Make the reads of `todo`, all by `evaluators`."""
    context = readings.context
    protocols = {e.evaluator_id: protocol_of(context, readings.design, e) for e in evaluators}
    named = context.models([e.name for e in evaluators], "evaluate", spend, models)
    campaign = readings.campaign({m.key: m for m in named.values()}, protocols)
    try:
        return await campaign.make(todo, concurrency=concurrency, progress=progress)
    finally:
        await close_models(named.values())
