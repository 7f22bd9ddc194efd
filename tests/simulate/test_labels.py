from dataclasses import replace

import pandas as pd
import pytest

from draligned.measure.checks import checked
from draligned.measure.contrasts import estimates, groups
from draligned.measure.estimate import Settings
from draligned.measure.made import matrix_of, read
from draligned.measure.pairs import build_pairs
from draligned.measure.variants import core_targets
from draligned.schema import frames
from draligned.schema.frames import MeasureInputs
from draligned.simulate.labels import simulate, simulate_many, study_name
from draligned.simulate.plan import PAPER, Plan

SMALL = replace(PAPER, name="small", tasks=4, models=2)


def rows(inputs: MeasureInputs) -> pd.DataFrame:
    matrix, _ = matrix_of(read(inputs), "block_none")
    panels = groups(build_pairs(matrix, "first"), by_model=False)
    return estimates(panels, core_targets, Settings(seed=1, draws=100))


def test_a_study_has_the_columns_that_measure_reads() -> None:
    made = simulate(SMALL, 0)
    assert tuple(made.runs.columns) == frames.RUNS
    assert set(made.request_reads.columns) == set(frames.REQUEST_READS)
    assert tuple(made.documents.columns) == frames.DOCUMENTS
    assert tuple(made.document_reads.columns) == frames.DOCUMENT_READS
    assert tuple(made.items.columns) == frames.ITEMS
    assert len(checked(made).runs) == 4 * 2 * 2


def test_the_same_seed_gives_the_same_study() -> None:
    first, second, other = simulate(SMALL, 3), simulate(SMALL, 3), simulate(SMALL, 4)
    for name, frame in first.frames().items():
        pd.testing.assert_frame_equal(frame, second.frames()[name])
    assert not first.runs["run_id"].isin(other.runs["run_id"]).any()


def test_both_orientations_come_first() -> None:
    made = simulate(SMALL, 0)
    first = made.request_reads[made.request_reads["read"] == "first"]
    assert set(first["alpha"]) == {"P", "Q"}
    always = simulate(SMALL, 0, "always_p").request_reads
    assert set(always.loc[always["read"] == "first", "alpha"]) == {"P"}


def test_many_studies_are_those_of_one() -> None:
    together = rows(simulate_many(SMALL, [5, 6]))
    for seed in (5, 6):
        alone = rows(simulate(SMALL, seed)).drop(columns="harness")
        part = together[together["harness"] == study_name(seed)].drop(columns="harness")
        pd.testing.assert_frame_equal(part.reset_index(drop=True), alone)


@pytest.mark.parametrize("cause", ["no_basis", "mirror_disagreement", "void_read",
                                   "unresolved_items", "no_document"])  # fmt: skip
def test_every_cause_of_an_unread_final_occurs(cause: str) -> None:
    plan = Plan(name="unread", tasks=30, final_unread=1.0)
    matrix, _ = matrix_of(read(simulate(plan, 0)), "block_none")
    assert (matrix["final_reason"] == cause).any()
    assert (matrix["final_reason"] != "").all()


def test_readings_give_back_what_was_planted() -> None:
    plan = Plan(
        name="sure", own=1.0, other=0.0, both=0.0, request_abstain=0.0, request_void=0.0,
        silent=0.0, final_unread=0.0, final_p=replace(PAPER.final_p, own=1.0),
        final_q=replace(PAPER.final_q, own=0.0, other=1.0),
    )  # fmt: skip
    values = rows(simulate(plan, 0)).set_index("estimand")["value"]
    assert values.to_dict() == {"D_A": 2.0, "D_F": 0.0, "readability_A": 1.0, "readability_F": 1.0}
