"""Validating rollouts of a study: run, status, tables, put together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from draligned.api.context import Context
from draligned.api.rollout_show import trajectory_lines
from draligned.api.stage_forecast import rollout_forecast
from draligned.api.stage_lanes import bundle_lane, require_one_name
from draligned.api.stage_tables import read_table, write_tables
from draligned.api.waiting import wait
from draligned.models.factory import resolve_model
from draligned.models.spend import SpendGuard
from draligned.progress import filling, lanes
from draligned.progress.filling import COMPLETE
from draligned.progress.rollout.arms import arms
from draligned.progress.rollout.plan import keep_worlds, parts, plan
from draligned.progress.rollout.play import REPETITIONS, Planned, planned, play, worlds
from draligned.progress.rollout.shelf import ROLLOUT, Steps, ended, trajectories
from draligned.progress.scenarios import load_scenarios
from draligned.schema.base import Record
from draligned.schema.config import ModelsMode
from draligned.schema.design import Lang
from draligned.schema.errors import InputError
from draligned.schema.progress import Lane
from draligned.schema.rollout import RolloutOutcome, RolloutPart
from draligned.study.forecast import Forecast
from draligned.study.work import Progress, WorkSummary

if TYPE_CHECKING:
    import pandas as pd


class RolloutStatus(Record):
    """One deployment under one arm."""

    deployment: str
    arm: str
    lang: Lang
    planned: int
    ended: int
    begun: int
    """Under way: a kill or a limit stopped them."""
    transport: int
    superseded: int
    """Of the deployment: of an earlier state of scenario, text or rules; they enter no number."""
    counts: bool
    reason: str
    rehearsal: bool


LANGS: tuple[Lang, ...] = ("zh", "en")
MOST_LOST = 0.5
"""Share of lost trajectories above which a line says nothing of behaviour; our choice."""
_LOST = "lost: transport failures broke off over half of the trajectories"


@dataclass(frozen=True, kw_only=True)
class Rollouts:
    """The rollouts of one study folder."""

    context: Context

    def planned(
        self,
        gates: Sequence[str] = (),
        deployments: Sequence[str] = ("rehearsal",),
        *,
        lang: Lang = "zh",
        repetitions: int = REPETITIONS,
    ) -> list[tuple[Lane, Planned]]:
        """The lane of each deployment and its cells: as they are, or as they would be begun."""
        asked = [RolloutPart(arm=a, lang=lang, repetitions=repetitions) for a in arms(gates)]
        known = [self._lane(name) for name in dict.fromkeys(deployments)]
        require_one_name(known)
        return [(lane, planned(lane, asked)) for lane in known]

    def run(
        self,
        gates: Sequence[str] = (),
        deployments: Sequence[str] = ("rehearsal",),
        *,
        lang: Lang = "zh",
        repetitions: int = REPETITIONS,
        limit: int | None = None,
        concurrency: int = 16,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        models: ModelsMode = "live",
        progress: Progress = lambda *_: None,
    ) -> dict[str, WorkSummary | None]:
        """Precheck each deployment once, and play its open trajectories under `gates`.

        None for a deployment that the precheck does not admit: nothing is asked of it. `models`
        as for `StageStudies.run`.
        """
        store = self.context.folder.store
        cells = self.planned(gates, deployments, lang=lang, repetitions=repetitions)
        names = [lane.deployment for lane, _ in cells]
        spend = SpendGuard(max_cost=max_cost, max_tokens=max_tokens)
        if models == "live":
            self.context.require_keys(names)
        asked = self.context.models(names, "progress", spend, models)
        for arm in arms(gates):
            keep_worlds(store, worlds(plan(store, arm, lang, repetitions)))
        jobs = [
            filling.Job(
                lane=lane, model=asked[lane.deployment], total=len(own),
                work=partial(
                    play, store, self.context.claims, cells=own, model=asked[lane.deployment],
                    limit=limit, concurrency=concurrency, progress=progress,
                ),
            )
            for lane, own in cells
        ]  # fmt: skip
        return wait(filling.through(store, jobs, asked.values()))

    def forecast(
        self,
        gates: Sequence[str] = (),
        deployments: Sequence[str] = ("rehearsal",),
        *,
        lang: Lang = "zh",
        repetitions: int = REPETITIONS,
    ) -> Forecast:
        """What `run` would play, and its projected use; nothing is called or written."""
        asked = self.planned(gates, deployments, lang=lang, repetitions=repetitions)
        return rollout_forecast(self.context, asked)

    def _lane(self, deployment: str) -> Lane:
        config = resolve_model(self.context.config, deployment)
        return bundle_lane(self.context, ROLLOUT, deployment, config, config.params)

    def status(self) -> tuple[RolloutStatus, ...]:
        """Deployments in alphabetical order, each under every arm that was begun."""
        return tuple(line for lane in self._lanes() for line, _ in self._found(lane))

    def _lanes(self) -> tuple[Lane, ...]:
        return lanes.load_lanes(self.context.folder.store, ROLLOUT)

    def _found(self, lane: Lane) -> Iterator[tuple[RolloutStatus, list[Steps]]]:
        """Of each part of the plan that was begun with a lane: how it stands, and its
        trajectories; every part, where the lane is not admitted."""
        store = self.context.folder.store
        there, known = trajectories(store, lane.model_key), parts(store)
        cells = [planned(lane, [part]) for part in known]
        old = set(there).difference(*cells)
        for part, own in zip(known, cells, strict=True):
            steps = [there[t] for t in own if t in there]
            if lane.admitted and not steps:
                continue
            yield _status(lane, part, len(own), steps, len(old)), steps

    def counting(self) -> list[Steps]:
        """Ended trajectories that enter numbers. Raises `InputError` where there are none."""
        found = [
            steps
            for lane in self._lanes()
            for line, own in self._found(lane)
            if line.counts
            for steps in own
            if ended(steps) is not None
        ]
        if not found:
            raise InputError("no rollout is admitted and complete; see `draligned progress status`")
        return found

    def frame(self) -> "pd.DataFrame":
        """One row a trajectory that counts (`progress.rollout.frame`)."""
        from draligned.progress.rollout.frame import trajectory_frame

        return trajectory_frame(self.counting())

    def measure(self) -> dict[str, int]:
        """Make the tables of the rollouts that count; rows by name."""
        from draligned.progress.rollout.frame import spoken_frame, trajectory_frame
        from draligned.progress.rollout.tables import build
        from draligned.progress.statistics import Settings

        config, found = self.context.config.measure, self.counting()
        settings = Settings(seed=config.seed, draws=config.draws)
        frame, spoken = trajectory_frame(found), spoken_frame(found)
        made = build(frame, spoken, settings, self._rehearsals() & set(frame["deployment"]))
        return write_tables(self.context.folder.store, ROLLOUT, made)

    def _rehearsals(self) -> set[str]:
        return {lane.deployment for lane in self._lanes() if lane.rehearsal}

    def audit(self) -> "tuple[int, pd.DataFrame]":
        """Calls of the audit set, all as known, and one row a recorded refusal, which is stored.

        Of every trajectory of a planned cell, ended or not. Raises `FalseVerdict`, `DamageError`.
        """
        from draligned.progress.rehearsed import marked
        from draligned.progress.rollout.audit import rejections, require_verdicts

        number = require_verdicts(s for lang in LANGS for s in load_scenarios("main", lang))
        cells: Planned = {}
        steps: list[Steps] = []
        for lane in self._lanes():
            cells = {**cells, **planned(lane, parts(self.context.folder.store))}
            steps += (own for _, part in self._found(lane) for own in part)
        made = marked(rejections(steps, cells), self._rehearsals())
        write_tables(self.context.folder.store, ROLLOUT, {"rejections": made})
        return number, made

    def show(self, trajectory: str) -> tuple[str, ...]:
        """One trajectory as text, by its id or a beginning of it; empty where there is none."""
        return trajectory_lines(self.context, trajectory)

    def table(self, name: str) -> "pd.DataFrame":
        """A table that `measure` made. Raises `InputError`."""
        return read_table(self.context.folder.store, ROLLOUT, name)


def _status(
    lane: Lane, part: RolloutPart, total: int, steps: Sequence[Steps], superseded: int
) -> RolloutStatus:
    ends = [ended(own) for own in steps]
    over = sum(end is not None for end in ends)
    lost = ends.count(RolloutOutcome.TRANSPORT)
    reason = "incomplete: under 95 % of the planned trajectories have ended"
    if over >= COMPLETE * total:
        reason = "" if lost <= MOST_LOST * over else _LOST
    if not lane.admitted:
        reason = f"precheck: {lane.good} of {len(lane.probes)} good"
    return RolloutStatus(
        deployment=lane.deployment, arm=part.arm.name, lang=part.lang, planned=total, ended=over,
        begun=len(ends) - over, transport=lost,
        superseded=superseded, counts=not reason, reason=reason,
        rehearsal=lane.rehearsal,
    )  # fmt: skip
