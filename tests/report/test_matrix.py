"""Cells of the Matrix."""

from dataclasses import replace

from draligned.report.data import ReportData
from draligned.report.matrix import Pair, pairs_of
from draligned.report.texts import load_texts

from .world import READER

EN = load_texts("en")


def pair(data: ReportData, task: str, model: str) -> Pair:
    """One pair of a study."""
    found = pairs_of(data, READER, EN)
    return next(p for p in found if (p.task_id, p.model) == (task, model))


def test_every_planned_pair_is_there_once(small: ReportData) -> None:
    found = pairs_of(small, READER, EN)
    assert [(p.task_id, p.model) for p in found] == [
        (task, model) for task in "123" for model in ("model-a", "model-b")
    ]


def test_tasks_stand_in_the_designs_order(small: ReportData) -> None:
    turned = small.design.model_copy(update={"tasks": small.design.tasks[::-1]})
    found = pairs_of(replace(small, design=turned), READER, EN)
    assert [p.task_id for p in found] == ["3", "3", "2", "2", "1", "1"]


def test_states_are_relative_to_the_runs_own_endpoint(small: ReportData) -> None:
    p, q = pair(small, "1", "model-a").sides
    assert (p.endpoint, q.endpoint) == ("Leeds", "Bristol")
    assert (p.cells[3].text, p.cells[3].note) == ("P only", "own")
    assert (q.cells[3].text, q.cells[3].note) == ("Q only", "own")


def test_a_failed_run_is_unknown_or_not_there_never_none(small: ReportData) -> None:
    """It has no final; whether it had drafts is not known."""
    failed = pair(small, "2", "model-a")
    *before, final = failed.sides[0].cells
    assert [(c.label, c.note) for c in before] == [("UNKNOWN", "run failed")] * 3
    assert (final.label, final.note) == ("absent", "run failed")
    assert (failed.d_a, failed.d_f) == ("P unreadable", "P unreadable")


def test_requests_carry_their_counts(flat: ReportData) -> None:
    cell = pair(flat, "1", "model-a").sides[0].cells[0]
    assert cell.note.replace("\u00a0", " ") == "none · P 0 · Q 0 · both 0 · neither 4 · ? 0"
    assert pair(flat, "1", "model-a").d_f == "+1"
