"""Trajectories of a study's runs and pairs, and how a notebook shows one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from draligned.evaluators.trajectories import read_trajectories
from draligned.measure.trajectories import pair_of
from draligned.report.rows import only, rows
from draligned.report.texts import load_texts
from draligned.report.trajectories import pair_lanes, standalone
from draligned.schema.design import Lang
from draligned.schema.errors import DesignError, InputError
from draligned.schema.labels import Side
from draligned.schema.trajectory import PairTrajectory, Trajectory

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.evaluating import Readings
    from draligned.api.results import Results
    from draligned.report.steps import TextOf


@dataclass(frozen=True, kw_only=True)
class PairShown:
    """A pair's trajectory. In a notebook it is a picture; `frame` has its steps as a table."""

    pair: PairTrajectory
    ends: Mapping[Side, str]
    lang: Lang
    text_of: "TextOf"

    def _repr_html_(self) -> str:
        texts = load_texts(self.lang)
        lanes = pair_lanes(self.pair, self.ends, texts)
        return standalone(lanes, texts, name=f"pair-{self.pair.pair_id}", text_of=self.text_of)

    def frame(self) -> "pd.DataFrame":
        """One row a step: arm, place, unit, no, first, mirror, presence, reason, request."""
        import pandas as pd

        found = [
            {
                "arm": arm,
                "place": place,
                "unit": step.unit,
                "no": step.no,
                "first": step.first.presence,
                "mirror": step.mirror.presence,
                "presence": step.presence.value,
                "reason": step.reason,
                "request": step.request,
            }
            for arm, run in (("P", self.pair.p), ("Q", self.pair.q))
            if run is not None
            for place, step in enumerate(run.steps, start=1)
        ]
        return pd.DataFrame(found)


def all_trajectories(
    readings: "Readings", evaluator: str | None = None, runs: Collection[str] | None = None
) -> dict[tuple[str, str], Trajectory]:
    """Of ended runs of the panel, every one or those of `runs`, by run and factor, as one
    evaluator read them (default: the first). None while there is no evaluator."""
    asked = [
        (run, a.factor_id)
        for run in readings.observed.values()
        if runs is None or run.run_id in runs
        for a in run.assigned
    ]
    planned = readings.plan.ordered_evaluators
    chosen = next((e for e in planned if evaluator in (None, e.name)), None)
    if chosen is None:
        return {}
    found = read_trajectories(
        asked,
        readings.records(chosen),
        evaluator_id=chosen.evaluator_id,
        evaluator=chosen.name,
        plan=readings.read_plan(chosen.mirrored),
        mode=readings.context.config.evaluate.request_mode,
        policy=readings.context.config.measure.unresolved_items,
    )
    return {(one.run_id, one.factor_id): one for one in found}


def trajectory(study: "Results", pair_id: str, lang: Lang | None = None) -> PairShown:
    """The pair of that id, as the first evaluator reads it. Raises `InputError`."""
    readings = study.readings()
    planned = readings.plan.ordered_evaluators
    if not planned:
        raise DesignError("nothing was read yet; `draligned evaluate` comes first")
    found = rows(only(study.table("pairs"), evaluator=planned[0].name, pair_id=pair_id))
    if not found:
        raise InputError(f"{pair_id!r} is no measured pair; ids stand in the table `pairs`")
    runs = {str(found[0][f"run_id_{side}"]) for side in ("p", "q")}
    card = readings.cards.get(str(found[0]["factor_id"]))
    return PairShown(
        pair=pair_of(found[0], all_trajectories(readings, planned[0].name, runs)),
        ends={} if card is None else {Side.P: card.p.value, Side.Q: card.q.value},
        lang=lang or readings.design.lang,
        text_of=readings.context.folder.blobs.get,
    )
