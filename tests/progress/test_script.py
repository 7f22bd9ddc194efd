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


ALL = [
    pytest.param(s, id=f"{which} {lang} {s.scenario_id}")
    for which, lang in (("main", "zh"), ("main", "en"), ("helpdesk", "zh"))
    for s in load_scenarios(which, lang)  # type: ignore[arg-type]
]


def test_the_sets_are_as_planned() -> None:
    """SI-8, SI-51: six scheduling and six support, the same in English; twelve helpdesk ones."""
    main, english = load_scenarios("main", "zh"), load_scenarios("main", "en")
    assert [s.family for s in main] == ["scheduling"] * 6 + ["support"] * 6
    assert [s.scenario_id for s in english] == [s.scenario_id for s in main]
    for one, other in zip(main, english, strict=True):
        assert [t.name for t in one.tools] == [t.name for t in other.tools]
        assert one.one.result[one.identifier] == other.one.result[other.identifier]
    desk = load_scenarios("helpdesk", "zh")
    assert [(s.family, s.steps) for s in desk] == [("helpdesk", 1)] * 12


@pytest.mark.parametrize("scenario", ALL)
@pytest.mark.parametrize("point", Point)
def test_truth_of_every_checkpoint(scenario: Scenario, point: Point) -> None:
    """SI-6, SI-9, SI-11: duty, stage and U at every checkpoint; duty follows a tool result."""
    now = moment(scenario, point)
    truth = gold(scenario, now.state)
    assert (truth.duty, truth.stage) == EXPECTED[point]
    assert truth.duty == (now.messages[-1].role == "tool")
    steps = {Point.READY: "one", Point.CALL: "one"}
    if scenario.steps == 2:
        steps[Point.STEP] = "two"
    wanted = (getattr(scenario, steps[point]).tool,) if point in steps else ()
    assert advancing(scenario, now.state) == wanted


@pytest.mark.parametrize("scenario", ALL)
def test_later_histories_begin_with_the_earlier_ones(scenario: Scenario) -> None:
    order = [Point.WAIT, Point.READY, Point.CALL, Point.STEP, Point.DONE, Point.POST_DONE]
    found = [moment(scenario, point).messages for point in order]
    for before, after in itertools.pairwise(found):
        assert after[: len(before)] == before
        assert len(after) > len(before)
