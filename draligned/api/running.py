"""run: from frozen conditions to sealed logs."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from draligned.api.context import Context, Modes, asked_for
from draligned.api.environments import (
    Environments,
    environment_names,
    mode_of,
    open_environments,
    require_source,
    searched,
)
from draligned.constructors.conditions import clarified
from draligned.harnesses.attempts import next_attempt
from draligned.harnesses.duty import with_duty
from draligned.harnesses.episode import run_episode
from draligned.harnesses.pairs import CellResult, Launch, run_cells
from draligned.harnesses.specfile import load_spec
from draligned.harnesses.toolbox import needs_sandbox
from draligned.models.factory import close_models, is_rehearsal, resolve_model, resolve_provider
from draligned.models.protocol import ChatModel
from draligned.models.spend import SpendGuard
from draligned.schema.chat import CallKey
from draligned.schema.design import Condition, Design, Lang
from draligned.schema.endings import EpisodeEnd
from draligned.schema.errors import UserError
from draligned.schema.events import RunHeader
from draligned.schema.harness import HarnessSpec
from draligned.schema.ids import seed_of
from draligned.schema.labels import Channel, Observes
from draligned.study.attempts import run_state
from draligned.study.controls import with_controls
from draligned.study.freeze import locks
from draligned.study.inventory import RunCell
from draligned.study.launches import record_launch
from draligned.study.ledger import Ledger, lost_call, read_ledger
from draligned.study.log import now
from draligned.study.plan import PlanBlock, load_plan
from draligned.study.work import (
    HELD,
    MIN_STREAK,
    POLL_SECONDS,
    Progress,
    Streak,
    WorkSummary,
    reason_of,
)

_LIBRARIES = ("draligned", "langgraph", "openai", "trafilatura", "bm25s")
WAITING = "a rate limit or a spending limit"


@cache
def _versions() -> dict[str, str]:
    return {name: version(name) for name in _LIBRARIES}


def require_answers(
    context: Context, lang: Lang, models: Iterable[str], modes: Modes, spend: SpendGuard
) -> None:
    """Raise `ConfigError` where models or source cannot be asked: no key, wrong settings, or a
    limit of cost that lacks a price."""
    mode = mode_of(context.config, modes.retrieval)
    names = list(models) if modes.models == "live" else []
    context.require_keys(names)
    require_source(context, lang, mode)
    priced = {name: resolve_model(context.config, name) for name in names}
    spend.require_prices(priced, searched(context, mode, spend))


def require_sandbox(specs: Iterable[HarnessSpec]) -> None:
    """Raise `ConfigError` where a harness has files and no sandbox can hold them (DR-37)."""
    if any(needs_sandbox(spec) for spec in specs):
        from draligned.harnesses.sandbox.find import require

        require()


def plan_blocks(
    context: Context,
    design: Design,
    harnesses: Sequence[str] | None,
    models: Sequence[str] | None,
    replicates: int | None,
    *,
    progress_duty: bool = False,
) -> tuple[PlanBlock, ...]:
    """The blocks asked for: every model in every harness, in each snapshot of the environment,
    with the controls of study.toml; with `progress_duty` each harness as it is with the duty.

    Files named in study.toml are looked for from the study's folder, others from here.
    """
    config = context.config.run
    folder = Path() if harnesses else context.folder.root
    environments = environment_names(context.config, design.lang)
    named = asked_for("run.harnesses", harnesses, config.harnesses)
    plain = [load_spec(harness, folder) for harness in named]
    specs = {s.name: s for s in map(with_duty, plain)}.values() if progress_duty else plain
    asked = asked_for("run.models", models, config.models)
    known = {name: resolve_model(context.config, name) for name in asked}
    for model in known.values():
        resolve_provider(context.config, model.provider)
    blocks = tuple(
        PlanBlock(
            model_name=name,
            model=model,
            harness=spec,
            environment=environment,
            replicates=replicates or config.replicates,
        )
        for spec in specs
        for name, model in known.items()
        for environment in environments
    )
    return with_controls(blocks, design, context.config.controls, load_plan(context.folder.store))


@dataclass(frozen=True, kw_only=True)
class Runner:
    """All that one episode needs; cells are run by `one`."""

    context: Context
    design: Design
    design_sha256: str
    frozen_sha256: str
    """Hash of the design as first frozen, before any amendment."""
    conditions: dict[str, Condition]
    specs: dict[str, HarnessSpec]
    models: dict[str, ChatModel]
    environments: Environments
    modes: Modes
    pilot: int | None
    """Pairs of each model and harness that were asked for at most."""
    launches: dict[str, Launch] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    """Runs that ended in a failure here, and which."""

    async def one(self, cell: RunCell) -> str | None:
        """Run or continue a cell; the reason if it stays open."""
        store = self.context.folder.store
        async with self.context.claims.held(f"run-{cell.run_id}") as mine:
            if not mine:
                return HELD
            end = None
            while (attempt := next_attempt(store, cell.run_id)) is not None:
                self._log_launch(cell)
                end = await self._episode(
                    self.specs[cell.harness_key],
                    self._condition(cell),
                    self._header(cell, attempt),
                    model=self.models[cell.model_name],
                    retrieval=self.environments.bound(cell),
                    store=store,
                    blobs=self.context.folder.blobs,
                    seed=seed_of(cell.run_id),
                    frozen_sha256=self.frozen_sha256,
                    reissued=partial(self._reissued, cell),
                )
                if end is None:
                    return WAITING
        self.context.claims.forget(f"run-{cell.run_id}")
        if end is not None and run_state(end) != "done":
            self.failures[cell.run_id] = f"{end.outcome}: {end.detail}".removesuffix(": ")
        return None

    @property
    def _episode(self) -> Callable[..., Coroutine[Any, Any, EpisodeEnd | None]]:
        """`run_episode`; a replay repeats what the last try of a request brought, at once."""
        mode = mode_of(self.context.config, self.modes.retrieval)
        return partial(run_episode, retry_waits=()) if mode == "replay" else run_episode

    def _condition(self, cell: RunCell) -> Condition:
        """The condition as its harness takes it: in one turn, or with a scripted second (Q6)."""
        condition = self.conditions[cell.condition_id]
        scripted = self.specs[cell.harness_key].scripted_turns
        return clarified(condition) if scripted else condition

    @cached_property
    def _known_calls(self) -> frozenset[CallKey]:
        """Calls that the ledger knew of when first asked."""
        return frozenset(a.key for a in read_ledger(self.context.folder.store))

    def _reissued(self, cell: RunCell, key: CallKey) -> None:
        """Enter a call whose end no process has seen; one that failed is in the ledger, and one
        that was replayed went nowhere."""
        if self.modes.models == "live" and key not in self._known_calls:
            provider = resolve_model(self.context.config, cell.model_name).provider
            asked = self.models[cell.model_name].requested_model
            Ledger(self.context.folder.store).record(lost_call(key, provider, asked))

    def _header(self, cell: RunCell, attempt: int) -> RunHeader:
        model = resolve_model(self.context.config, cell.model_name)
        provider = resolve_provider(self.context.config, model.provider)
        return RunHeader(
            run_id=cell.run_id,
            attempt=attempt,
            condition_id=cell.condition_id,
            design_sha256=self.design_sha256,
            model_name=cell.model_name,
            model_key=cell.model_key,
            requested_model=self.models[cell.model_name].requested_model,
            harness_name=cell.harness_name,
            harness_key=cell.harness_key,
            environment=cell.environment,
            replicate=cell.replicate,
            observes={
                channel: Observes.FULL for channel in Channel if channel is not Channel.CONTROL
            },
            rehearsal=is_rehearsal(self.context.config, model),
            delegation_offered=bool(self.specs[cell.harness_key].delegated),
            progress_duty=self.specs[cell.harness_key].progress_duty,
            api=provider.api,
            streamed=provider.stream,
            reasoning_content=provider.reasoning_content,
            retrieval=mode_of(self.context.config, self.modes.retrieval),
            models=self.modes.models,
            started_utc=now()[0],
            versions=_versions(),
        )

    async def when_free(self, cell: RunCell, stopped: Callable[[], bool]) -> str | None:
        """Wait until another process has done the cell or let go of it; then as `one`."""
        reason = await self.one(cell)
        while reason == HELD and not stopped():
            await asyncio.sleep(POLL_SECONDS)
            reason = await self.one(cell)
        return reason

    def launched(self, launch: Launch) -> None:
        """Remember a launch; it is logged once the cell is this process's."""
        self.launches[launch.run_id] = launch

    def _log_launch(self, cell: RunCell) -> None:
        launch = self.launches.pop(cell.run_id, None)
        if launch is not None:
            record_launch(self.context.folder.store, **launch._asdict(), pilot=self.pilot)


async def run(
    context: Context,
    design: Design,
    blocks: Sequence[PlanBlock],
    todo: Sequence[RunCell],
    *,
    concurrency: int,
    spend: SpendGuard,
    progress: Progress,
    modes: Modes,
    pilot: int | None = None,
) -> WorkSummary:
    """Run the cells of `todo`; `pilot` is kept with each start."""
    mode = mode_of(context.config, modes.retrieval)
    environments = open_environments(context, design, mode, spend)
    models = context.models(sorted({c.model_name for c in todo}), "agent", spend, modes.models)
    runner = Runner(
        context=context,
        design=design,
        design_sha256=design.sha256(),
        frozen_sha256=locks(context.folder.store)[0].design_sha256,
        conditions={c.condition_id: c for c in design.every_condition},
        specs={b.harness.key: b.harness for b in blocks},
        models=models,
        environments=environments,
        modes=modes,
        pilot=pilot,
    )
    tally = _Tally(len(todo), progress, spend, Streak(max(concurrency, MIN_STREAK)))
    try:
        first = await run_cells(
            todo, runner.one, concurrency=concurrency,
            progress=tally.add_unless_held, on_launch=runner.launched, should_stop=tally.stopped,
        )  # fmt: skip
        await run_cells(
            [r.cell for r in first if r.value == HELD],
            lambda cell: runner.when_free(cell, tally.stopped), concurrency=concurrency,
            progress=tally.add, on_launch=runner.launched, should_stop=tally.stopped,
        )  # fmt: skip
    finally:
        await close_models(models.values())
        await environments.aclose()
    return tally.summary(Counter(runner.failures.values()))


class _Tally:
    """Counts results, and says when to stop starting more."""

    def __init__(self, total: int, progress: Progress, spend: SpendGuard, streak: Streak) -> None:
        self._total = total
        self._progress = progress
        self._spend = spend
        self._streak = streak
        self._done = 0
        self._reasons: Counter[str] = Counter()
        self._fatal: Exception | None = None
        progress("episodes", 0, total)

    def add_unless_held(self, result: CellResult[RunCell, str | None]) -> None:
        """Count one result; cells of another process are looked at again at the end."""
        if result.value != HELD:
            self.add(result)

    def add(self, result: CellResult[RunCell, str | None]) -> None:
        """Count one result."""
        self._streak.add(result.error)
        if isinstance(result.error, UserError | OSError):
            self._fatal = self._fatal or result.error
        reason = result.value if result.error is None else reason_of(result.error)
        if reason is None:
            self._done += 1
        else:
            self._reasons[reason] += 1
        self._progress("episodes", self._done, self._total)

    def stopped(self) -> bool:
        """Whether no further episode may start."""
        return self._fatal is not None or self._why() is not None

    def summary(self, failed: Mapping[str, int]) -> WorkSummary:
        """What became of the cells. Raises the user's or the disk's error that stopped the work."""
        if self._fatal is not None:
            raise self._fatal
        return WorkSummary(
            done=self._done,
            left_open=self._total - self._done,
            stopped=self._why(),
            reasons=dict(sorted(self._reasons.items())),
            failed=dict(sorted(failed.items())),
        )

    def _why(self) -> str | None:
        return self._spend.reached or self._streak.broken
