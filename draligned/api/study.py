"""The `Study`: what the command line and notebooks call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from draligned.api.context import Context, Modes
from draligned.api.drafting import Drafting
from draligned.api.limited import Limited
from draligned.api.people import People
from draligned.api.progressing import Progressing
from draligned.api.qualifying import Qualifying
from draligned.api.recordings import Recordings
from draligned.api.results import Results
from draligned.api.verified import Verified
from draligned.api.waiting import wait
from draligned.models.spend import SpendGuard
from draligned.schema.chat import AttemptRecord
from draligned.schema.config import ModelsMode, RetrievalMode, StudyConfig
from draligned.schema.errors import DesignError
from draligned.schema.labels import RunSet
from draligned.study.attempts import events_key
from draligned.study.completeness import require_complete
from draligned.study.config import read_config
from draligned.study.folder import StudyFolder
from draligned.study.forecast import Asked, Forecast, forecast, used_alone, used_by
from draligned.study.inventory import CellState, RunCell, cells
from draligned.study.ledger import read_ledger
from draligned.study.log import read_events
from draligned.study.plan import Plan, PlanBlock, extend_plan, load_plan, part_plan
from draligned.study.spend import SpendRow, spend_rows
from draligned.study.status import SET_NAMES, run_states
from draligned.study.work import Progress, WorkSummary

if TYPE_CHECKING:
    from draligned.api.evaluating import Readings
    from draligned.api.reporting import StudyStatus
    from draligned.schema.events import Event
    from draligned.schema.observed import ObservedRun


NOTHING_RUN = "nothing was run yet; `draligned run` comes first"


def open(path: str | Path = ".") -> "Study":
    """Open the study at `path`, or begin one there. Raises `ConfigError` for a bad study.toml."""
    return Study(Path(path))


def _silent(label: str, done: int, total: int) -> None:
    """Progress that nobody asked for."""


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What `run` is asked for: blocks, and how many pairs of each model and harness at most."""

    blocks: tuple[PlanBlock, ...]
    pilot: int | None = None


class Study(Drafting, Recordings, Results, Qualifying, People, Verified, Progressing):
    """One study folder. Every method reads what is on disk and fills what is open."""

    def __init__(self, root: Path) -> None:
        self.folder = StudyFolder.at(root)
        self._context = Context(self.folder, read_config(self.folder.store))

    def __repr__(self) -> str:
        return f"<draligned.Study {self.folder.root}>"

    @property
    def config(self) -> StudyConfig:
        """The settings in study.toml."""
        return self._context.config

    def watch(self, told: Callable[[AttemptRecord], None]) -> None:
        """Have `told` called with every try of a model, failed ones too, while work goes on."""
        self._context.watchers.append(told)

    # runs

    def plan(self) -> Plan:
        """All that was asked for so far."""
        return load_plan(self.folder.store)

    def plan_runs(
        self,
        *,
        harnesses: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        replicates: int | None = None,
        pilot: int | None = None,
        progress_duty: bool = False,
    ) -> RunRequest:
        """What `run` would do; nothing is written. With `progress_duty` each harness is taken
        with the duty, as a harness of its own: `H-W` as `H-W+duty`."""
        from draligned.api import running

        blocks = running.plan_blocks(
            self._context, self.design(), harnesses, models, replicates,
            progress_duty=progress_duty,
        )  # fmt: skip
        return RunRequest(blocks=blocks, pilot=pilot)

    def cells(self, request: RunRequest | None = None) -> tuple[RunCell, ...]:
        """Planned runs: all of them, or those of `request`, pairs in design order; A/A and
        neutral runs go with their pair."""
        plan = self.plan() if request is None else Plan(blocks=request.blocks)
        found = cells(self.design(), plan)
        if request is None or request.pilot is None:
            return found
        place = {c.condition_id: n for n, c in enumerate(self.design().conditions)}
        pairs: dict[tuple[str, str, str], dict[tuple[str, ...], None]] = {}
        for cell in sorted(found, key=lambda c: place.get(c.condition_id, len(place))):
            block = (cell.model_key, cell.harness_key, cell.environment)
            pairs.setdefault(block, {})[cell.pair] = None
        chosen = {pair for named in pairs.values() for pair in list(named)[: request.pilot]}
        return tuple(c for c in found if c.pair in chosen)

    def run(
        self,
        request: RunRequest | None = None,
        *,
        limit: int | None = None,
        concurrency: int | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        retrieval: RetrievalMode | None = None,
        models: ModelsMode = "live",
        progress: Progress = _silent,
    ) -> WorkSummary:
        """Run what is open of `request` (default: what study.toml asks for).

        `plan_runs(harnesses=…, models=…)` makes a request.

        `retrieval` says how requests are answered (default: as the source is set), `models`
        whether models are called; a replay of either raises `ReplayError` for what is missing.
        """
        from draligned.api import running

        modes = Modes(retrieval=retrieval, models=models)
        asked = request or self.plan_runs()
        spend = SpendGuard(max_cost=max_cost, max_tokens=max_tokens)
        self._context.models({b.model_name for b in asked.blocks}, "agent", spend, models)
        states = self._states(self.cells(asked))
        todo = [c for c, s in states if s.state == "open"]
        if todo:
            names = {c.model_name for c in todo}
            running.require_answers(self._context, self.design().lang, names, modes, spend)
        open_harnesses = {c.harness_key for c in todo}
        running.require_sandbox(b.harness for b in asked.blocks if b.harness.key in open_harnesses)
        if not states:
            raise DesignError("the design has no conditions; `draligned construct` makes them")
        extend_plan(
            self.folder.store, blocks=asked.blocks, primary_evaluator=self._primary_evaluator()
        )
        self.freeze()
        work = Limited(todo, limit, len(states), progress)
        ran = running.run(
            self._context,
            self.design(),
            asked.blocks,
            work.items,
            concurrency=concurrency or self._context.config.run.concurrency,
            spend=spend,
            progress=work.progress,
            modes=modes,
            pilot=asked.pilot,
        )
        return work.summary(wait(ran))

    def forecast_runs(self, request: RunRequest) -> Forecast:
        """What `run` would do, and its projected use; nothing is called."""
        states = self._states(self.cells(request))
        ledger = read_ledger(self.folder.store)
        asked = []
        for block in request.blocks:
            done = _runs(states, block, "done")
            used = used_by(ledger, done)
            for run_set in RunSet:
                still = _runs(states, block, "open", run_set)
                if not still and run_set is not RunSet.PANEL:
                    continue
                asked.append(
                    Asked(
                        model_name=block.model_name,
                        model=block.model,
                        open=len(still),
                        done=len(done),
                        harness=block.harness.name,
                        used=used,
                        beside=None if run_set is RunSet.PANEL else SET_NAMES[run_set],
                    )
                )
        return forecast(asked, "agent")

    def _primary_evaluator(self) -> str | None:
        """The first evaluator that study.toml names."""
        return next(iter(self._context.config.evaluate.evaluators), None)

    def _states(self, planned: Sequence[RunCell]) -> list[tuple[RunCell, CellState]]:
        states = run_states(self.folder.store, planned)
        return [(c, states[c.run_id]) for c in planned]

    # reads and numbers

    def readings(self) -> "Readings":
        """Observed runs and planned reads; development-only harnesses are left out (DR-20)
        unless `measure.include_development` in study.toml takes them in."""
        from draligned.api.evaluating import Readings
        from draligned.api.leftout import LeftOut

        store, design = self.folder.store, self.design()
        parts = part_plan(self.plan(), include_development=self.config.measure.include_development)
        planned = cells(design, parts.analysed)
        left_out = LeftOut(store, design, parts.left_out)
        states = run_states(store, planned)
        panel = tuple(c for c in planned if c.run_set is RunSet.PANEL)
        beside = tuple(c for c in planned if c.run_set is not RunSet.PANEL)
        return Readings(self._context, design, parts.analysed, panel, states, left_out, beside)

    def evaluate(
        self,
        *,
        mirrored: bool = True,
        evaluators: Sequence[str] | None = None,
        limit: int | None = None,
        concurrency: int | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        models: ModelsMode = "live",
        progress: Progress = _silent,
    ) -> WorkSummary:
        """Make the planned reads that are open; without `mirrored` no unit gets a label.

        `models` as in `run`.
        """
        from draligned.api import evaluating

        asked = evaluating.plan_evaluators(self._context, evaluators, mirrored=mirrored)
        spend = SpendGuard(max_cost=max_cost, max_tokens=max_tokens)
        modes = Modes(models=models)
        self._context.models([e.name for e in asked], "evaluate", spend, modes.models)
        readings = self._ended_runs()
        if modes.models == "live" and readings.to_do(asked):
            self._context.require_keys([e.name for e in asked])
        plan = extend_plan(
            self.folder.store, evaluators=asked, primary_evaluator=self._primary_evaluator()
        )
        names = {e.name for e in asked}
        chosen = [e for e in plan.evaluators if e.name in names]
        planned = len(readings.work(chosen)) + len(readings.sentinels(chosen))
        work = Limited(readings.to_do(chosen), limit, planned, progress)
        made = evaluating.evaluate(
            readings,
            chosen,
            work.items,
            concurrency=concurrency or self._context.config.evaluate.concurrency,
            spend=spend,
            progress=work.progress,
            models=modes.models,
        )
        return work.summary(wait(made))

    def _ended_runs(self) -> "Readings":
        """What can be read. Raises `DesignError` if nothing was run, or no run has ended."""
        readings = self.readings()
        _require_runs(readings)
        if not any(s.state == "done" for s in readings.states.values()):
            raise DesignError("no run has come to an end that can be read; see `draligned status`")
        return readings

    def forecast_reads(
        self, *, mirrored: bool = True, evaluators: Sequence[str] | None = None
    ) -> Forecast:
        """What `evaluate` would do, and its projected use; nothing is called."""
        from draligned.api import evaluating

        readings = self._ended_runs()
        asked = []
        for planned in evaluating.plan_evaluators(self._context, evaluators, mirrored=mirrored):
            todo = len(readings.to_do([planned]))
            work = len(readings.work([planned])) + len(readings.sentinels([planned]))
            asked.append(
                Asked(model_name=planned.name, model=planned.model, open=todo, done=work - todo)
            )
        found = forecast(used_alone(asked, self.spend(), "evaluate"), "evaluate")
        still = sum(s.state == "open" for s in readings.states.values())
        if not still:
            return found
        note = f"{still} runs are still open; their reads are not counted here."
        return replace(found, notes=(*found.notes, note))

    def measure(self, *, partial: bool = False) -> dict[str, int]:
        """Make all tables; returns rows by name. Raises `InventoryError` if cells are open.

        With `partial` it goes on, and the table `inventory` says what was open.
        """
        return self._measure(self.readings(), partial=partial)

    def _measure(self, readings: "Readings", *, partial: bool) -> dict[str, int]:
        from draligned.api import duty, inventory, reporting, tabular
        from draligned.study.tables import write_tables

        self._require_complete(readings, partial=partial)
        tables = readings.tables() | duty.duty_tables(readings)
        tables[inventory.NAME] = inventory.inventory_table(reporting.status_of(readings))
        write_tables(self.folder.store, tables, tabular.described(readings))
        return {name: len(table) for name, table in tables.items()}

    def _require_complete(self, readings: "Readings", *, partial: bool) -> None:
        _require_runs(readings)
        open_runs = sum(s.state == "open" for s in readings.states.values())
        open_reads = len(readings.open_work(readings.plan.evaluators))
        if not readings.plan.evaluators:
            open_reads = len(readings.units)
        require_complete(open_runs, open_reads, partial=partial)

    # looking

    def left_out(self) -> str | None:
        """How many runs of development-only harnesses are not analysed, in a line, if any."""
        return self.readings().left_out.note()

    def observed(self) -> "tuple[ObservedRun, ...]":
        """Ended runs, as evaluators and measures see them: none of a harness that is left out."""
        return tuple(self.readings().observed.values())

    def events(self, run_id: str) -> "list[Event]":
        """Events of a run's analysed attempt, in order. Raises `DamageError`."""
        attempt = run_states(self.folder.store, [c for c in self.cells() if c.run_id == run_id])
        number = attempt[run_id].attempt if run_id in attempt else None
        if number is None:
            raise DesignError(f"run {run_id} is not planned here, or was not started")
        return read_events(self.folder.store, events_key(run_id, number))

    def spend(self) -> tuple[SpendRow, ...]:
        """Tries, tokens, cost and waiting by model and purpose."""
        return spend_rows(read_ledger(self.folder.store))

    def status(self) -> "StudyStatus":
        """Planned, done, failed, censored and open, of runs and reads."""
        from draligned.api import reporting

        return reporting.status(self)

    def show(self, what: str) -> list[str]:
        """A run, a pair or a packet as lines of text, by its id."""
        from draligned.api import showing

        return showing.show(self, what)

    def report(self, *, partial: bool = False, lang: str | None = None) -> Path:
        """Make the tables and the page, in `lang` (default: the design's); the page's path.

        Raises `ConfigError` for a language other than zh and en.
        """
        from draligned.api import reporting

        language = reporting.page_language(lang, self.design())
        readings = self.readings()
        self._measure(readings, partial=partial)
        return reporting.write_report(self, readings, partial=partial, lang=language)


def _require_runs(readings: "Readings") -> None:
    """Raise `DesignError` where nothing that is analysed was run."""
    if not readings.cells:
        raise DesignError(readings.left_out.only() if readings.left_out.cells else NOTHING_RUN)


def _runs(
    states: Sequence[tuple[RunCell, CellState]],
    block: PlanBlock,
    state: str,
    run_set: RunSet | None = None,
) -> frozenset[str]:
    """Run ids of a block's cells in one state, of one set or of all."""
    mine = (block.model_key, block.harness.key, block.environment)
    return frozenset(
        c.run_id
        for c, s in states
        if s.state == state
        and (c.model_key, c.harness_key, c.environment) == mine
        and run_set in (None, c.run_set)
    )
