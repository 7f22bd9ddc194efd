"""The first notebook runs from an empty folder, offline, and shows what it says it shows."""

import base64
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_first_study.ipynb"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after it was run on a new study."""
    folder = tmp_path_factory.mktemp("first")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DRALIGNED_STUDY", str(folder / "study"))
        patch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        patch.setenv("MPLCONFIGDIR", str(folder / "matplotlib"))
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()
    return notebook


def outputs(notebook: Any, cell_id: str) -> dict[str, str]:
    """Output of a cell by type."""
    cell = next(c for c in notebook.cells if c["id"] == cell_id)
    found: dict[str, str] = {}
    for output in cell["outputs"]:
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr", output
        found |= output.get("data", {"text/plain": output.get("text", "")})
    return found


def test_the_committed_notebook_has_no_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [c for c in notebook.cells if c["cell_type"] == "code"]
    assert len(code) > 6
    assert all(not c["outputs"] and c["execution_count"] is None for c in code)


@pytest.mark.parametrize(
    ("cell_id", "words"),
    [
        ("run", ("estimates", "pairs", "matrix", "readability")),
        ("table-estimates", ("D_A", "D_F", "n_P", "n_Q", "ci_method", "coarse_lo", "sharp_lo")),
        ("table-readable", ("readable", "n_planned")),
        ("table-pairs", ("a_status", "d_a", "f_status", "d_f")),
        ("table-matrix", ("acq_state", "first_draft_state", "final_state")),
        ("report", ("index.html: ", " kB")),
    ],
)
def test_tables_are_shown(done: Any, cell_id: str, words: tuple[str, ...]) -> None:
    text = outputs(done, cell_id)["text/plain"]
    assert [word for word in words if word not in text] == []


def test_no_cell_warns_or_fails(done: Any) -> None:
    for cell in done.cells:
        if cell["cell_type"] == "code":
            outputs(done, cell["id"])


def test_the_trajectory_is_a_picture(done: Any) -> None:
    picture = base64.b64decode(outputs(done, "plot")["image/png"])
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5_000
