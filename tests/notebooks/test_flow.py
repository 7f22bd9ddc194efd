"""The notebook on flow runs from an empty folder, offline, and shows what it says it shows."""

from typing import Any

import nbformat
import pytest

from .running import NOTEBOOKS, code_cells, is_picture, outputs, run, table

NOTEBOOK = NOTEBOOKS / "02_flow.ipynb"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after it was run on a new study."""
    return run(NOTEBOOK, tmp_path_factory.mktemp("flow"))


@pytest.mark.parametrize(
    ("cell_id", "words"),
    [
        ("paths", ("task_id", "arm", "requests", "documents", "|")),
        ("transitions", ("request_request", "draft_final", "adoption", "95 % interval", "/")),
        ("states", ("from_state", "NONE")),
        ("reentry", ("n_strict", "expected_strict", "n_uncertain", "p_more")),
        ("cases", ("Selected, not sampled", "certainty", "requests_path")),
        ("one-case", ("selected, not sampled", "label", "request")),
        ("shares", ("within_run", "across_runs", "OWN_ONLY", "95 % interval")),
        ("distances", ("median", "sentences kept", "text_different")),
        ("one-draft", ("distance 0.", "sentences kept", "sentence")),
    ],
)
def test_tables_are_shown(done: Any, cell_id: str, words: tuple[str, ...]) -> None:
    text = outputs(done, cell_id)["text/plain"]
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("cell_id", ["map", "spread"])
def test_pictures_are_drawn(done: Any, cell_id: str) -> None:
    assert is_picture(done, cell_id)


def test_a_pair_is_a_picture_and_the_same_steps_as_a_table(done: Any) -> None:
    shown = outputs(done, "pair")["text/html"]
    assert shown.count('<svg class="trajectory"') == 1
    steps = table(done, "pair")
    assert set(steps["unit"]) <= {"request", "draft", "final"}
    unknown = steps[steps["presence"] == "UNKNOWN"]
    assert unknown["reason"].notna().all()


def test_runs_are_bands_from_locus_to_locus(done: Any) -> None:
    shown = outputs(done, "bands")["text/html"]
    assert shown.count('<svg class="alluvial"') == 1
    assert "<script" not in shown
    assert table(done, "bands")["n"].is_monotonic_decreasing


def test_no_cell_warns_or_fails(done: Any) -> None:
    for cell_id in code_cells(done):
        outputs(done, cell_id)


def test_it_calls_nothing_growth_or_forgetting() -> None:
    """Only to say what may not be read from it."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    said = [c for c in notebook.cells if c["id"] != "limits"]
    words = ("growth", "forget", "better", "遗忘", "增长", "更好")
    assert [w for c in said for w in words if w in c["source"]] == []
