"""Progress reports: designs, lanes and tables of the second instrument, put together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from draligned.api.context import Context
from draligned.api.stage_followups import begun, follow_up_of, joined, parts_of
from draligned.api.stage_forecast import forecast_of
from draligned.api.stage_lanes import configs_of, lane_of, names_of, require_one_name
from draligned.api.stage_show import show_position
from draligned.api.stage_tables import read_table, write_admission, write_tables
from draligned.api.waiting import wait
from draligned.models.protocol import ChatModel
from draligned.models.spend import SpendGuard
from draligned.progress import filling, lanes
from draligned.progress.designs import DESIGNS, design
from draligned.progress.followups import KINDS, SOURCE
from draligned.progress.manipulation import Manipulation, manipulation
from draligned.schema.base import Record
from draligned.schema.config import ModelConfig, ModelsMode, StudyConfig
from draligned.schema.errors import InputError
from draligned.schema.progress import Lane, StageDesign, StageReply
from draligned.store.protocol import Store
from draligned.study.forecast import Forecast
from draligned.study.work import Progress, WorkSummary

if TYPE_CHECKING:
    import pandas as pd


class LaneStatus(Record):
    """One line of the admission table (SI-46)."""

    design: str
    deployment: str
    planned: int
    replied: int
    transport: int
    identity: int
    probes: int
    good: int
    admitted: bool
    complete: bool
    """Whether 95 % of the planned positions have a reply (SI-45)."""
    reason: str
    rehearsal: bool
    switch: Manipulation | None = None
    """Of the manipulation check, in a design that switches reasoning (SI-52)."""

    @property
    def counts(self) -> bool:
        """Whether its replies enter any number."""
        return self.admitted and self.complete and (self.switch is None or self.switch.switched)


Part = tuple[StageDesign, Lane]
"""A design and one of its lanes."""


class Read(NamedTuple):
    """A design as it stands on disk, read once."""

    design: StageDesign
    lanes: tuple[LaneStatus, ...]
    """The admission table, deployments in alphabetical order."""
    counted: tuple[StageReply, ...]
    """Replies of the lanes that count, as they came."""


@dataclass(frozen=True, kw_only=True)
class StageStudies:
    """The designs of one study folder."""

    context: Context

    def design(self, name: str) -> StageDesign:
        """A design: as frozen here, else as this version of the package has it.

        A follow-up stands for all its deployments. Raises `InputError`.
        """
        return joined(name, parts_of(self.context, name))

    def names(self) -> tuple[str, ...]:
        """Designs that were begun here."""
        return begun(self.context)

    def planned(self, name: str, deployments: Sequence[str]) -> list[Part]:
        """The design and the lane of each deployment: as they are, or as they would be begun."""
        named = tuple(dict.fromkeys(deployments))
        if name in KINDS:
            counting = {s.deployment for s in self.status(SOURCE) if s.counts}
            known = [follow_up_of(self.context, name, d, counts=d in counting) for d in named]
        else:
            known = [self.design(name)] * len(named)
        parts = [(k, lane_of(self.context, k, d)) for k, d in zip(known, named, strict=True)]
        require_one_name(lane for _, lane in parts)
        return parts

    def run(
        self,
        name: str,
        deployments: Sequence[str],
        *,
        limit: int | None = None,
        concurrency: int = 16,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        models: ModelsMode = "live",
        progress: Progress = lambda *_: None,
    ) -> dict[str, WorkSummary | None]:
        """Freeze the design, precheck each deployment once, and ask what is open.

        None for a deployment that the precheck does not admit: nothing is asked of it. A replay
        (`models`) reaches no provider and raises `ReplayError` for what was not recorded, or was
        recorded for another request.
        """
        spend = SpendGuard(max_cost=max_cost, max_tokens=max_tokens)
        store = self.context.folder.store
        planned = self.planned(name, deployments)
        configs = {
            n: c
            for known, lane in planned
            for n, c in configs_of(self.context, known, lane).items()
        }
        asking = replace(self.context, config=self._with(configs))
        if models == "live":
            asking.require_keys(configs)
        asked = asking.models(configs, "progress", spend, models)
        frozen = [(lanes.freeze_design(store, known), lane) for known, lane in planned]
        jobs = [self._job(part, asked, limit, concurrency, progress) for part in frozen]
        done = wait(filling.through(store, jobs, asked.values()))
        _admitted(store, name, self.read(name))
        return done

    def forecast(self, name: str, deployments: Sequence[str]) -> Forecast:
        """What `run` would ask, and its projected use; nothing is called."""
        return forecast_of(self.context, self.planned(name, deployments))

    def _job(
        self,
        part: Part,
        models: Mapping[str, ChatModel],
        limit: int | None,
        concurrency: int,
        progress: Progress,
    ) -> filling.Job:
        known, lane = part
        by_level = {level: models[n] for level, n in names_of(known, lane).items()}
        work = partial(
            filling.fill, self.context.folder.store, self.context.claims, known, models=by_level,
            limit=limit, concurrency=concurrency, progress=progress,
        )  # fmt: skip
        total = len(known.stimuli) * known.repetitions
        return filling.Job(lane=lane, model=next(iter(by_level.values())), total=total, work=work)

    def _with(self, configs: Mapping[str, ModelConfig]) -> StudyConfig:
        known = self.context.config
        return known.model_copy(update={"models": {**known.models, **configs}})

    def read(self, name: str) -> Read:
        """A design with its lanes and the replies that count. Raises `InputError`."""
        parts, store = parts_of(self.context, name), self.context.folder.store
        found = [
            (_status(part, lane, own), own)
            for part in parts
            for lane in lanes.load_lanes(store, part.name)
            for own in [list(lanes.iter_replies(store, part.name, lane.model_key))]
        ]
        return Read(
            design=joined(name, parts),
            lanes=tuple(sorted((s for s, _ in found), key=lambda s: s.deployment)),
            counted=tuple(r for s, own in found if s.counts for r in own),
        )

    def status(self, name: str) -> tuple[LaneStatus, ...]:
        """The admission table of a design, deployments in alphabetical order."""
        return self.read(name).lanes

    def show(self, position: str) -> tuple[str, ...]:
        """One stored reply as text, by its position's id or a beginning of it."""
        return show_position(self.context, position)

    def replies(self, name: str) -> "pd.DataFrame":
        """One row a reply of the lanes that count (`progress.frame.scored`).

        Raises `LeakyMetric` where the corruption gate finds a leak: then there is no number.
        """
        return _scored(self.read(name), name)

    def measure(self, name: str) -> dict[str, int]:
        """Make the tables of a design from the lanes that count; rows by name.

        The admission table is made first, also where no lane counts. Raises `LeakyMetric` as
        `replies` does: then none of the others is written.
        """
        return self.measured(name, self.read(name))

    def measured(self, name: str, found: Read) -> dict[str, int]:
        """The same from what was read already."""
        from draligned.progress.statistics import Settings
        from draligned.progress.tables import build

        store, config = self.context.folder.store, self.context.config.measure
        admission = _admitted(store, name, found)
        settings = Settings(seed=config.seed, draws=config.draws)
        played = {s.deployment for s in found.lanes if s.counts and s.rehearsal}
        made = build(found.design, _scored(found, name), settings, played)
        return {**admission, **write_tables(store, name, made)}

    def table(self, name: str, table: str) -> "pd.DataFrame":
        """A table that `measure` made. Raises `InputError`."""
        return read_table(self.context.folder.store, name, table)


def _admitted(store: Store, name: str, found: Read) -> dict[str, int]:
    return write_admission(store, name, found.lanes) if found.lanes else {}


def _scored(found: Read, name: str) -> "pd.DataFrame":
    from draligned.progress.corruption import require_tight
    from draligned.progress.frame import scored

    if not found.counted:
        raise InputError(
            f"no lane of {name} is admitted and complete: `draligned progress run {name}` fills "
            "them, `draligned progress status` says why one does not count"
        )
    require_tight(found.design, found.counted)
    return scored(found.design, found.counted).assign(design=name)


def _status(known: StageDesign, lane: Lane, replies: Sequence[StageReply]) -> LaneStatus:
    kinds = [r.status.value for r in replies]
    planned = len(known.stimuli) * known.repetitions
    complete = kinds.count("ok") >= filling.COMPLETE * planned
    switch = manipulation(known, replies)
    return LaneStatus(
        design=known.name, deployment=lane.deployment, planned=planned, replied=len(replies),
        transport=kinds.count("transport"), identity=kinds.count("identity"),
        probes=len(lane.probes), good=lane.good, admitted=lane.admitted, complete=complete,
        reason=_reason(lane, complete, switch), rehearsal=lane.rehearsal, switch=switch,
    )  # fmt: skip


def _reason(lane: Lane, complete: bool, switch: Manipulation | None) -> str:
    if not lane.admitted:
        bad = next((p.reason for p in lane.probes if not p.good), "not prechecked")
        return f"precheck: {lane.good} of {len(lane.probes)} good; {bad}"
    if not complete:
        return "incomplete: under 95 % of the planned positions have a reply"
    return "" if switch is None else switch.reason


def catalogue() -> Iterator[StageDesign]:
    """Every named design, in the order of the evidence map."""
    return (design(name) for name in DESIGNS)
