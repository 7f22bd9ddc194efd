"""Histories of the scenarios, and what the oracle says of them."""

import itertools

import pytest

from draligned.progress.oracle import advancing, gold
from draligned.progress.scenarios import Scenario, load_scenarios
from draligned.progress.script import moment
from draligned.schema.progress import Point, Stage

EXPECTED = {
    Point.WAIT: (True, Stage.NEEDS_INFO),
    Point.READY: (True, Stage.READY),
    Point.CALL: (False, Stage.READY),
    Point.STEP: (True, Stage.POST_OBS),
    Point.DONE: (True, Stage.COMPLETED),
    Point.POST_DONE: (False, Stage.COMPLETED),
    Point.SMALL_TALK: (False, Stage.NEEDS_INFO),
}


@pytest.mark.parametrize("scenario", load_scenarios("main", "zh"), ids=lambda s: s.scenario_id)
@pytest.mark.parametrize("point", Point)
def test_truth_of_every_checkpoint(scenario: Scenario, point: Point) -> None:
    """SI-6, SI-9, SI-11: duty, stage and U at every checkpoint; duty follows a tool result."""
    now = moment(scenario, point)
    truth = gold(scenario, now.state)
    assert (truth.duty, truth.stage) == EXPECTED[point]
    assert truth.duty == (now.messages[-1].role == "tool")
    steps = {Point.READY: "one", Point.CALL: "one", Point.STEP: "two"}
    wanted = (getattr(scenario, steps[point]).tool,) if point in steps else ()
    assert advancing(scenario, now.state) == wanted


@pytest.mark.parametrize("scenario", load_scenarios("main", "zh"), ids=lambda s: s.scenario_id)
def test_later_histories_begin_with_the_earlier_ones(scenario: Scenario) -> None:
    order = [Point.WAIT, Point.READY, Point.CALL, Point.STEP, Point.DONE, Point.POST_DONE]
    found = [moment(scenario, point).messages for point in order]
    for before, after in itertools.pairwise(found):
        assert after[: len(before)] == before
        assert len(after) > len(before)
