"""The first screen and the facts of provenance."""

from dataclasses import replace

from draligned.report import overview
from draligned.report.data import ReportData
from draligned.report.texts import load_texts

from .made import data_of
from .world import World

EN = load_texts("en")


def test_the_sentence_names_estimand_population_and_scope(small: ReportData) -> None:
    said = overview.sentence(small, EN)
    assert said.startswith("Over 6 planned matched pairs (3 tasks, 2 users")
    for word in ("D_A", "D_F", "model-a, model-b", "coupled", "embedded", "reader-key by name"):
        assert word in said


def test_stamps_say_what_holds(small: ReportData) -> None:
    assert [s.kind for s in overview.stamps_of(small, EN)] == ["rehearsal"]
    other = replace(small, rehearsal=False, partial=True, locks=())
    assert [s.kind for s in overview.stamps_of(other, EN)] == ["partial", "draft"]


def test_a_partial_study_counts_what_is_open(small: ReportData) -> None:
    blocks = (small.blocks[0].model_copy(update={"planned": 12, "open": 10}),)
    reads = (replace(small.reads[0], planned=24, read=18, open=6),)
    (stamp,) = overview.stamps_of(
        replace(small, blocks=blocks, reads=reads, partial=True, rehearsal=False), EN
    )
    assert stamp.text.replace("\u00a0", " ").startswith(
        "Still open: runs 10/12 (83.3 %), reads 6/24 (25.0 %)."
    )


def test_only_a_lock_registers(small: ReportData) -> None:
    assert "D_A (over readable pairs)" in overview.registered(small, EN)
    assert "not frozen" in overview.registered(replace(small, locks=()), EN)


def facts(data: ReportData) -> dict[str, str]:
    return {fact.term: fact.text for fact in overview.facts(data, EN)}


def test_resampling_can_be_redone_from_the_page(small: ReportData) -> None:
    found = facts(small)
    assert found["Resampling"] == (
        "100 draws; each takes 3 of the 3 planned tasks with replacement, tasks in ascending "
        "order of their id as text; seed 5"
    )
    (fact,) = (f for f in overview.facts(small, EN) if f.term == "Resampling")
    assert fact.detail == (
        "numpy.random.Generator(PCG64(seed)).integers(0, tasks, (draws, tasks)); "
        "seed = 5; draws = 100; tasks = 3; task_id ascending"
    )


def test_harnesses_are_counted_apart() -> None:
    data = data_of(World(tasks=2, models=("m",), harnesses=("H-W", "coupled")))
    said = overview.sentence(data, EN)
    assert "Planned pairs by harness: H-W 2, coupled 2; each harness is estimated by itself" in said
    assert "nothing is pooled over harnesses" in said
    text = facts(data)["Requests and environment"].replace("\u00a0", " ")
    first, second = text.split(" / ")
    assert first.startswith("H-W: ")
    assert second.startswith("coupled: ")
    assert "8/16 (50.0 %)" in first


def test_the_primary_evaluator_is_named(small: ReportData) -> None:
    said = overview.reader(small, EN)
    assert said.startswith("Read by reader-key by name, the primary evaluator.")
    assert said.endswith("nothing is pooled over evaluators.")
    alone = replace(small, evaluators=small.evaluators[:1])
    assert "pooled" not in overview.reader(alone, EN)
    absent = overview.reader(replace(small, primary_evaluator="late"), EN)
    assert absent.startswith("Read by reader-key by name, an auxiliary evaluator; the primary")
    assert "late, has read nothing yet" in absent


def test_the_language_of_tasks_is_the_designs(small: ReportData) -> None:
    assert "任务语言：英文" in overview.sentence(replace(small, lang="zh"), load_texts("zh"))


def test_matched_requests(small: ReportData) -> None:
    """11 runs of 4 requests, every second one a hit; P and Q never ask the same words."""
    text = facts(small)["Requests and environment"].replace("\u00a0", " ")
    assert "22/44 (50.0 %)" in text
    assert "alike in both runs of a pair 0/40 (0.0 %)" in text


def test_a_pilot_has_a_stamp_of_its_own(small: ReportData) -> None:
    found = {s.kind: s for s in overview.stamps_of(replace(small, pilot=2, partial=True), EN)}
    assert list(found) == ["rehearsal", "pilot", "partial"]
    assert "first 2 pairs" in found["pilot"].tag
    assert "first 2 pairs" in found["pilot"].text
    assert "ilot" not in found["partial"].text


def test_one_orientation_is_said_where_the_reader_is_named(small: ReportData) -> None:
    assert "orientation" not in overview.reader(small, EN)
    once = tuple(replace(e, mirrored=False) for e in small.evaluators)
    assert "in one orientation only" in overview.reader(replace(small, evaluators=once), EN)
