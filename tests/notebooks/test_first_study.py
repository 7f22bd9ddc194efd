"""The first notebook runs from an empty folder, offline, and shows what it says it shows."""

from types import SimpleNamespace
from typing import Any

import nbformat
import pandas as pd
import pytest

from .running import NOTEBOOKS, code_cells, outputs, run

STATES = (
    "a_status", "d_a", "f_status", "d_f", "acq_state", "first_draft_state", "last_draft_state",
    "final_state",
)  # fmt: skip
NOTEBOOK = NOTEBOOKS / "01_first_study.ipynb"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after it was run on a new study."""
    return run(NOTEBOOK, tmp_path_factory.mktemp("first"))


@pytest.mark.parametrize(
    ("cell_id", "words"),
    [
        ("run", ("estimates", "pairs", "matrix", "readability")),
        (
            "table-estimates",
            ("D_A", "D_F", "interval", "method", "readable", "(P ", ", Q ", "sharp", "coarse"),
        ),
        ("table-readable", ("channel", "arm", "readable", "of")),
        ("table-pairs", ("task_id", "a_status", "d_a", "f_status", "d_f")),
        ("table-matrix", ("task_id", "arm", "acq_state", "first_draft_state", "final_state")),
        ("report", ("index.html: ", " kB")),
    ],
)
def test_tables_are_shown(done: Any, cell_id: str, words: tuple[str, ...]) -> None:
    text = outputs(done, cell_id)["text/plain"]
    assert [word for word in words if word not in text] == []


class Ten:
    """A study of ten tasks in descending order, whose tables are sorted as text."""

    tables = {
        name: pd.DataFrame(
            [
                {
                    "task_id": task, "model": model, "arm": arm, "harness": "h", "evaluator": "e",
                    "replicate": 1, **dict.fromkeys(STATES, "readable"),
                }
                for arm in "QP" for model in "ba" for task in sorted(map(str, range(1, 12)))
            ]
        )
        for name in ("pairs", "matrix")
    }  # fmt: skip

    def table(self, name: str) -> pd.DataFrame:
        """One of both tables."""
        return self.tables[name]


ORDER = [str(n) for n in range(11, 0, -1)]


def sorted_tables(study: Ten) -> dict[str, Any]:
    """What the cells of both tables define."""
    names: dict[str, Any] = {
        "design": SimpleNamespace(tasks=[SimpleNamespace(task_id=t) for t in ORDER]),
        "study": study,
    }
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell["id"] in ("table-pairs", "table-matrix"):
            exec(cell["source"], names)
    return names


def test_rows_of_several_harnesses_are_told_apart() -> None:
    study = Ten()
    study.tables = {name: table.copy() for name, table in Ten.tables.items()}
    study.tables["pairs"].loc[::2, "harness"] = "g"
    assert sorted_tables(Ten())["named"] == ["task_id", "model"]
    assert sorted_tables(study)["named"] == ["task_id", "model", "harness"]


def test_tables_follow_the_designs_order_of_tasks_then_model_then_arm() -> None:
    names = sorted_tables(Ten())
    found = names["matrix"][["task_id", "model", "arm"]].itertuples(index=False, name=None)
    assert list(found) == [(t, m, a) for t in ORDER for m in "ab" for a in "PQ"]
    assert list(names["pairs"]["task_id"].drop_duplicates()) == ORDER


def test_no_cell_warns_or_fails(done: Any) -> None:
    for cell_id in code_cells(done):
        outputs(done, cell_id)


def test_the_trajectory_is_a_picture_with_words(done: Any) -> None:
    shown = outputs(done, "plot")
    assert "Rehearsal, no evidence about any language model" in shown["text/plain"]
    assert shown["text/html"].count('<svg class="trajectory"') == 1
    assert "<script" not in shown["text/html"]
