from functools import cache

import pytest

from draligned.measure.checks import checked
from draligned.measure.tables import build_tables
from draligned.schema import frames
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs
from draligned.simulate.paper import COMPLETED, STARTED, paper_sized


@cache
def study(seed: int = 0) -> MeasureInputs:
    return paper_sized(seed, requests=6)


def test_it_has_the_papers_counts() -> None:
    made = study()
    assert len(made.runs) == STARTED == 1_732
    assert (made.runs["state"] == "done").sum() == COMPLETED == 1_691
    reads = made.request_reads.groupby(["evaluator", "read"]).size()
    assert reads.xs("first", level="read").tolist() == [COMPLETED * 6] * 3
    assert reads.xs("mirror", level="read").tolist() == [COMPLETED * 6] * 3
    assert (reads.xs("retest", level="read") > 0).all()


def test_measure_takes_it_as_it_is() -> None:
    made = checked(study())
    for name in ("runs", "request_reads", "documents", "document_reads", "items"):
        assert set(made.frames()[name].columns) == set(getattr(frames, name.upper()))
    tables = build_tables(made, MeasureConfig(draws=200), ("D_A", "D_F"), only=("estimates",))
    rows = tables["estimates"]
    whole = rows[(rows["model"] == "all") & (rows["population"] == "readable")]
    assert whole.groupby("estimand").size()["D_A"] == 3 * 3
    assert whole.loc[whole["estimand"] == "D_A", "value"].between(0.02, 0.35).all()
    assert whole.loc[whole["estimand"] == "D_F", "value"].between(0.5, 1.0).all()


def test_seeds_decide_everything() -> None:
    again, other = paper_sized(0, requests=6), paper_sized(1, requests=6)
    for name, frame in study().frames().items():
        assert frame.equals(again.frames()[name])
    assert not other.runs["run_id"].isin(study().runs["run_id"]).any()


@pytest.mark.parametrize("first", ["P", "Q"])
def test_both_orientations_come_first(first: str) -> None:
    reads = study().request_reads
    share = (reads.loc[reads["read"] == "first", "alpha"] == first).mean()
    assert share == pytest.approx(0.5, abs=0.05)
