"""Every notebook as it is committed: no outputs, quick to open, both languages, our own limits."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from .running import NOTEBOOKS

ALL = sorted(NOTEBOOKS.glob("*.ipynb"))
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(params=ALL, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    path: Path = request.param
    assert path.stat().st_size < 40_000
    return nbformat.read(path, as_version=4)


def test_it_is_valid_and_has_no_outputs(notebook: Any) -> None:
    nbformat.validate(notebook)
    code = [c for c in notebook.cells if c["cell_type"] == "code"]
    assert len(code) > 6
    assert all(not c["outputs"] and c["execution_count"] is None for c in code)


def test_words_are_in_both_languages_and_short(notebook: Any) -> None:
    for cell in notebook.cells:
        if cell["cell_type"] == "markdown":
            text = cell["source"]
            assert CHINESE.search(text), cell["id"]
            assert re.search(r"[A-Za-z]{3}", CHINESE.sub("", text)), cell["id"]
            assert len(text) < 1500, cell["id"]


def test_it_says_what_it_is_no_evidence_of_and_what_to_install(notebook: Any) -> None:
    first = notebook.cells[0]["source"]
    assert "evidence about any language model" in first
    assert "语言模型的证据" in first
    assert "pip install -c constraints.txt -e '.[notebook]'" in first


def test_it_says_what_may_not_be_read_from_it(notebook: Any) -> None:
    assert any(
        c["id"] == "limits" and c["source"].startswith("## What may not be read from this")
        for c in notebook.cells
    )
