"""Running a notebook of ours on a new study, and what its cells show."""

import base64
import io
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def run(path: Path, folder: Path) -> Any:
    """The notebook after it was run in `folder`, offline."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DRALIGNED_STUDY", str(folder / "study"))
        patch.setenv("DRALIGNED_STUDIES", "40")
        patch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        patch.setenv("MPLCONFIGDIR", str(folder / "matplotlib"))
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()
    return notebook


def code_cells(notebook: Any) -> list[str]:
    """Ids of its code cells."""
    return [c["id"] for c in notebook.cells if c["cell_type"] == "code"]


def outputs(notebook: Any, cell_id: str) -> dict[str, str]:
    """Output of a cell by type, its texts joined; Markdown counts as text."""
    cell = next(c for c in notebook.cells if c["id"] == cell_id)
    found: dict[str, str] = {}
    for output in cell["outputs"]:
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr", output
        data = dict(output.get("data", {"text/plain": output.get("text", "")}))
        data["text/plain"] = data.get("text/plain", "") + data.pop("text/markdown", "")
        for kind, text in data.items():
            found[kind] = found.get(kind, "") + text
    return found


def table(notebook: Any, cell_id: str) -> pd.DataFrame:
    """The last table that a cell shows, as it reads."""
    return pd.read_html(io.StringIO(outputs(notebook, cell_id)["text/html"]))[-1]


def is_picture(notebook: Any, cell_id: str) -> bool:
    """Whether a cell shows a drawing of some size."""
    picture = base64.b64decode(outputs(notebook, cell_id)["image/png"])
    return picture.startswith(b"\x89PNG") and len(picture) > 5_000
