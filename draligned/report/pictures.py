"""Pictures of the runs on the page: each pair's, and those of runs that stand alone."""

from collections.abc import Callable

from markupsafe import Markup

from draligned.measure.trajectories import pair_of
from draligned.report.data import ReportData
from draligned.report.matrix import Pair
from draligned.report.rows import only, rows
from draligned.report.steps import Quote, StepView, step_views
from draligned.report.texts import Texts
from draligned.report.trajectories import Lane, pair_figure, pair_lanes
from draligned.schema.labels import Side
from draligned.schema.trajectory import Trajectory

STEPS = 150
"""Steps of a run that are drawn, and listed at the least; `draligned view` has all."""


class Pictures:
    """Pictures of one evaluator's runs."""

    def __init__(self, data: ReportData, evaluator: str, texts: Texts) -> None:
        self._data = data
        self._texts = texts
        self._cards = {card.factor_id: card for card in data.design.cards}
        found = rows(only(data.table("pairs"), evaluator=evaluator))
        self._pairs = {str(row["pair_id"]): row for row in found}

    def pair(self, pair: Pair, *, linked: bool = True) -> Markup:
        """Both runs of a pair, marks `linked` to the list of events below; blank where neither
        run is there."""
        made = pair_of(self._pairs[pair.pair_id], self._data.trajectories)
        if made.p is None and made.q is None:
            return Markup("")
        card = self._cards.get(pair.factor_id)
        ends = {} if card is None else {Side.P: card.p.value, Side.Q: card.q.value}
        lanes, name = pair_lanes(made, ends, self._texts), f"t-{pair.pair_id}"
        if not linked:
            return self._draw(lanes, name, None)
        anchors = {
            run.run_id: anchor_of(pair.pair_id, side.value)
            for side, run in ((Side.P, made.p), (Side.Q, made.q))
            if run is not None
        }
        return self._draw(lanes, name, anchors.get)

    def run(self, run_id: str, factor_id: str) -> Markup:
        """One run by itself."""
        found = self._data.trajectories.get((run_id, factor_id))
        if found is None:
            return Markup("")
        card = self._cards.get(factor_id)
        side = found.side
        lane = Lane(
            arm="" if side is None else side.value,
            endpoint="" if card is None or side is None else card.endpoint(side).value,
            trajectory=found,
        )
        return self._draw((lane,), f"t-{run_id}", lambda _: anchor_of("run", run_id))

    def quotes(self, run_id: str, factor_id: str) -> dict[tuple[str, int], tuple[Quote, ...]]:
        """Words that carried the labels of a run, by kind of step and number of the event."""
        found = self._data.trajectories.get((run_id, factor_id))
        if found is None:
            return {}
        steps = step_views(found.steps, self._texts, self._data.text_of)
        return {(step.unit, step.seq): step.quotes for step in steps}

    def _draw(
        self, lanes: tuple[Lane, ...], name: str, anchor: Callable[[str], str | None] | None
    ) -> Markup:
        def href(run: Trajectory, step: StepView) -> str:
            owner = anchor(run.run_id) if anchor else ""
            return f"#{owner}-{step.seq}{step.unit[0]}"

        text_of = self._data.text_of
        leads = None if anchor is None else href
        drawn = range(1, STEPS + 1)
        return pair_figure(lanes, self._texts, name=name, text_of=text_of, href=leads, places=drawn)


def anchor_of(owner: str, part: str) -> str:
    """How ids of a run's events begin, where it stands in `owner`."""
    return f"e-{owner}-{part}"
