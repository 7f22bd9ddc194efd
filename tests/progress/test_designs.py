"""Sizes of the named designs, and what their cells share."""

import pytest

from draligned.progress.contract import contract, noted
from draligned.progress.contrasts import planned
from draligned.progress.designs import DESIGNS, design
from draligned.progress.metrics import METRICS
from draligned.schema.errors import DamageError, InputError
from draligned.schema.progress import Arm, Point, Stage

DEPLOYMENTS = {"stage": 7, "five-arm": 7, "protocol-demand": 9, "bundle": 9, "breadth-english": 9}


@pytest.mark.parametrize(
    ("name", "printed"),
    [("stage", 50_400), ("five-arm", 42_000), ("protocol-demand", 10_800), ("bundle", 4_320),
     ("breadth-english", 5 * 2_160)],
)  # fmt: skip
def test_positions_are_those_of_the_paper(name: str, printed: int) -> None:
    """SI-15, SI-18, SI-55, SI-63 (two arms of 2,160), SI-51 (2,160 a checkpoint)."""
    known = design(name)
    assert len(known.stimuli) * known.repetitions * DEPLOYMENTS[name] == printed


@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_every_design_is_made_the_same_twice_and_repeats_no_stimulus(name: str) -> None:
    known = design(name)
    ids = [s.stimulus_id for s in known.stimuli]
    assert len(set(ids)) == len(ids)
    assert known.sha256() == design(name).sha256()
    assert known.boundary


@pytest.mark.parametrize("name", ["bundle", "factorial"])
def test_interventions_leave_the_truth_as_it_is(name: str) -> None:
    """SI-62, SI-64: only what is said of owner and outcome, and what can be called, differs."""
    stimuli = design(name).stimuli
    assert {(s.point, s.gold.duty, s.gold.stage) for s in stimuli} == {
        (Point.STEP, True, Stage.POST_OBS)
    }
    for s in stimuli:
        gone = s.factors.get("executability", s.factors.get("bundle")) == "withdrawn"
        assert (len(s.tools), bool(s.advancing)) == ((3, False) if gone else (4, True))


def test_factors_are_fully_crossed() -> None:
    """SI-64: 2 × 2 × 2 in three wordings, every scenario in each."""
    cells = [tuple(sorted(s.factors.items())) for s in design("factorial").stimuli]
    assert len(set(cells)) == 24
    assert {cells.count(cell) for cell in cells} == {12}


def test_an_unknown_name_gets_the_nearest_or_all_there_are() -> None:
    with pytest.raises(InputError, match=r"did you mean 'stage'\?"):
        design("stages")
    with pytest.raises(InputError, match=r"there are breadth-english, .*thinking"):
        design("x")


@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_the_analysis_is_frozen_with_the_stimuli(name: str) -> None:
    """SI-67: another contrast, primary metric or bar for a lane is another design."""
    known = design(name)
    found = contract(known)
    assert found is not None
    assert found.contrasts == tuple(c[:3] for c in planned(known))
    assert {metric for _, metric, _ in found.contrasts} <= {m.name for m in METRICS}
    assert set(found.primary) <= {m.name for m in METRICS}
    assert (found.needed, found.probes, found.complete) == (18, 20, 0.95)
    less = found.model_copy(update={"contrasts": found.contrasts[1:], "complete": 0.9})
    assert known.model_copy(update={"notes": noted(less)}).sha256() != known.sha256()


def test_a_contract_that_cannot_be_read_is_damage() -> None:
    torn = design("bundle").model_copy(update={"notes": {"analysis": {"primary": 3}}})
    with pytest.raises(DamageError, match="bundle"):
        contract(torn)
    assert contract(torn.model_copy(update={"notes": {}})) is None


def test_reminders_are_part_of_the_obligations() -> None:
    """SI-53: with and without, for each of three duties; each pair differs by its last message."""
    by_cell = {
        (s.scenario_id, s.point, s.duty, s.arm): s.messages for s in design("obligations").stimuli
    }
    for (scenario, point, duty, arm), messages in by_cell.items():
        if arm is Arm.REMINDER:
            *before, last = messages
            assert tuple(before) == by_cell[scenario, point, duty, Arm.BASELINE]
            assert last.role == "system"
    assert len({m[-1].text for (_, _, _, arm), m in by_cell.items() if arm is Arm.REMINDER}) == 3
