from functools import cache

import pytest

from draligned.measure.checks import checked
from draligned.measure.tables import build_tables
from draligned.schema import frames
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import InputSet, MeasureInputs
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
    for which, made in study().sets.items():
        for name, frame in made.frames().items():
            assert frame.equals(again.sets[which].frames()[name])
    assert not other.runs["run_id"].isin(study().runs["run_id"]).any()


@pytest.mark.parametrize("first", ["P", "Q"])
def test_both_orientations_come_first(first: str) -> None:
    reads = study().request_reads
    share = (reads.loc[reads["read"] == "first", "alpha"] == first).mean()
    assert share == pytest.approx(0.5, abs=0.05)


def test_what_stands_beside_the_panel_is_there_and_apart() -> None:
    made = study()
    assert set(made.sets) == {InputSet.AA, InputSet.NEUTRAL, InputSet.PLACEBO, InputSet.MASKED}
    for frame in (made.edits, made.visits, made.sentinels, made.factors):
        assert len(frame) > 0
    known = set(made.runs["run_id"])
    aa, neutral = made.sets[InputSet.AA].runs, made.sets[InputSet.NEUTRAL].runs
    assert set(aa.loc[aa["arm"] == "P", "run_id"]) < known
    assert not set(aa.loc[aa["arm"] == "Q", "run_id"]) & known
    assert set(neutral["arm"]) == {"P"}
    assert not set(neutral["run_id"]) & known
    placebo = made.sets[InputSet.PLACEBO].runs
    both = placebo.merge(made.runs, on="run_id", suffixes=("", "_own"))
    assert len(both) == len(placebo) == 3 * 12 * 2
    assert (both["factor_id"] != both["factor_id_own"]).all()
    assert (both["arm"] == both["arm_own"]).all()
    masked = made.sets[InputSet.MASKED]
    assert len(masked.request_reads) == 0
    assert set(masked.documents["text_sha256"]) < set(made.documents["text_sha256"])


def test_tables_of_what_stands_beside_are_made_of_it() -> None:
    wanted = (
        "aa_estimates", "neutral_estimates", "placebo_estimates", "masked_labels",
        "edit_distance", "agenda", "allocation", "sentinel_drift", "role_balance",
    )  # fmt: skip
    made = paper_sized(0, requests=3, evaluators=1)
    tables = build_tables(made, MeasureConfig(draws=100), ("D_A", "D_F"), only=wanted)
    assert {name for name, table in tables.items() if len(table)} == set(wanted)
    visits = made.visits.groupby(["run_id", "request_no"])["weight"].sum(min_count=1)
    assert visits.dropna().eq(1.0).all()


def test_runs_of_one_condition_differ_by_nothing() -> None:
    made = paper_sized(3, requests=20, evaluators=1, share=1.0)
    rows = build_tables(made, MeasureConfig(draws=500), (), only=("aa_estimates", "estimates"))
    own, told = (rows[name] for name in ("aa_estimates", "estimates"))
    keep = {"model": "all", "population": "readable"}
    for estimand in ("D_A", "D_F"):
        same, apart = (
            r[(r["model"] == keep["model"]) & (r["population"] == keep["population"])
              & (r["estimand"] == estimand)]
            for r in (own, told)
        )  # fmt: skip
        assert len(same) == len(apart) == 3
        assert ((same["ci_union_lo"] < 0) & (same["ci_union_hi"] > 0)).all()
        assert (apart["ci_union_lo"] > 0).all()
        assert (same["value"].abs() < apart["value"] / 2).all()
