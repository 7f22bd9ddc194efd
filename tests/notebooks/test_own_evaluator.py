"""The notebook on an evaluator of one's own: served, judged, locked, compared; offline."""

from pathlib import Path
from typing import Any

import pytest

from .running import NOTEBOOKS, code_cells, outputs, run, table

NOTEBOOK = NOTEBOOKS / "05_own_evaluator.ipynb"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("own")


@pytest.fixture(scope="module")
def done(folder: Path) -> Any:
    """The notebook after it was run on a new study."""
    return run(NOTEBOOK, folder)


def test_no_cell_warns_or_fails(done: Any) -> None:
    for cell_id in code_cells(done):
        outputs(done, cell_id)


def test_the_toy_does_not_pass_and_fails_where_sense_is_needed(done: Any) -> None:
    assert "**not qualified**" in outputs(done, "qualify")["text/plain"]
    criteria = table(done, "qualify").set_index("criterion")["met"].astype(str)
    assert criteria["order flips"] == "True"
    assert criteria["not own advice, read as such"] == "False"
    traps = table(done, "traps").set_index("trap")
    assert traps.loc["rejection", "right"] == 0


def test_both_evaluators_are_locked_and_nothing_is_left_open(done: Any) -> None:
    text = outputs(done, "read")["text/plain"]
    assert " 0 left open; 2 protocols locked" in text
    assert not text.startswith("0 reads")


def test_they_are_compared_and_not_pooled(done: Any) -> None:
    agreement = table(done, "agreement")
    assert {"A", "F"} < set(agreement["channel"])
    assert (agreement["n_same"] <= agreement["n_both"]).all()
    assert (agreement["n_both"] > 0).all()
    estimates = table(done, "estimates")
    assert set(estimates["evaluator"]) == {"my-evaluator", "rehearsal-reader"}


def test_the_key_is_stored_nowhere(done: Any, folder: Path) -> None:
    files = [p for p in (folder / "study").rglob("*") if p.is_file()]
    assert len(files) > 50
    assert [p for p in files if b"none-needed" in p.read_bytes()] == []
