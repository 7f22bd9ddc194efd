"""The first screen and the facts of provenance."""

from dataclasses import replace

from draligned.report import overview
from draligned.report.data import ReportData
from draligned.report.texts import load_texts

EN = load_texts("en")


def test_the_sentence_names_estimand_population_and_scope(small: ReportData) -> None:
    said = overview.sentence(small, EN)
    assert said.startswith("Over 6 planned matched pairs (3 tasks, 2 users")
    for word in ("D_A", "D_F", "model-a, model-b", "coupled", "embedded", "reader-key by name"):
        assert word in said


def test_stamps_say_what_holds(small: ReportData) -> None:
    assert [s.kind for s in overview.stamps_of(small, EN)] == ["rehearsal"]
    other = replace(small, rehearsal=False, partial=True, pilot=True, locks=())
    assert [s.kind for s in overview.stamps_of(other, EN)] == ["partial", "pilot", "draft"]


def test_only_a_lock_registers(small: ReportData) -> None:
    assert "D_A (over readable pairs)" in overview.registered(small, EN)
    assert "not frozen" in overview.registered(replace(small, locks=()), EN)


def facts(data: ReportData) -> dict[str, str]:
    return {fact.term: fact.text for fact in overview.facts(data, EN)}


def test_resampling_can_be_redone_from_the_page(small: ReportData) -> None:
    found = facts(small)
    assert found["Resampling"].endswith("seed 5")
    assert found["Draws × tasks; order"] == "100 × 3; task_id ascending"


def test_matched_requests(small: ReportData) -> None:
    """11 runs of 4 requests, every second one a hit; P and Q never ask the same words."""
    text = facts(small)["Requests and environment"].replace("\u00a0", " ")
    assert "22/44 (50.0 %)" in text
    assert "alike in both runs of a pair 0/40 (0.0 %)" in text
