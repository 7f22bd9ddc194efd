"""The paragraph on methods says what the study recorded, and no more."""

from dataclasses import replace

from draligned.report.data import ReportData
from draligned.report.methods import methods_of
from draligned.report.texts import load_texts

from .world import READER

EN = load_texts("en")


def test_it_counts_what_was_run_and_read(small: ReportData) -> None:
    said = methods_of(small, READER, EN)
    assert "We used 3 tasks" in said
    assert "of 12 planned runs of pairs, 11 were done, 1 failed" in said
    assert "Of 24 planned reads 24 could be read and 0 were void." in said
    assert "(100 draws, seed 5)" in said
    assert "No controls were run beside the panel." in said
    assert said.endswith("Made with DRaligned 0.1.0.")


def test_a_rehearsal_is_called_one(small: ReportData) -> None:
    words = "no evidence about any language model"
    assert words in methods_of(small, READER, EN)
    assert words not in methods_of(replace(small, rehearsal=False), READER, EN)


def test_what_was_not_done_is_not_claimed(small: ReportData) -> None:
    bare = replace(small, locks=(), evaluators=(), tables={}, blocks=())
    said = methods_of(bare, "", EN)
    assert "The design was not frozen" in said
    assert "Nothing has been read yet." in said
    assert "draws" not in said
    assert "planned runs" not in said


def test_reading_follows_the_plan_of_each_evaluator(small: ReportData) -> None:
    twice, once = small.evaluators
    said = methods_of(small, READER, EN)
    assert f"read blind by {twice.name}, {once.name}, twice" in said
    assert "one orientation" not in said
    mixed = replace(small, evaluators=(twice, replace(once, mirrored=False)))
    said = methods_of(mixed, READER, EN)
    assert f"read blind by {twice.name}, twice with" in said
    assert f"read blind by {once.name} in one orientation only" in said
    single = replace(small, evaluators=(replace(twice, mirrored=False),))
    assert "twice" not in methods_of(single, READER, EN)
