"""The notebook on planning runs offline; its tables say what its words say."""

from typing import Any

import pytest

from .running import NOTEBOOKS, code_cells, is_picture, outputs, run, table

NOTEBOOK = NOTEBOOKS / "03_planning.ipynb"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after it was run."""
    return run(NOTEBOOK, tmp_path_factory.mktemp("planning"))


def test_no_cell_warns_or_fails(done: Any) -> None:
    for cell_id in code_cells(done):
        outputs(done, cell_id)


def test_more_tasks_see_more_and_nothing_is_seldom_taken_for_something(done: Any) -> None:
    power = table(done, "power")
    assert set(power["tasks"]) == {12, 24, 48}
    seen = power[power["planted"] > 0].pivot(
        index=["estimand", "planted"], columns="tasks", values="interval"
    )
    assert (seen[48] > seen[12]).all()
    assert power.loc[power["planted"] == 0, "interval"].max() <= 0.2
    assert is_picture(done, "curves")


def test_missingness_by_state_biases_and_more_tasks_do_not_help(done: Any) -> None:
    rows = table(done, "missing").set_index(["readable", "missing", "tasks"])
    for tasks in (24, 96):
        assert rows.loc[(0.5, "state", tasks), "bias"] > 0.08
        assert abs(rows.loc[(0.5, "random", tasks), "bias"]) < 0.08
    covered = rows["covered"]
    assert covered[0.5, "state", 96] < covered[0.5, "random", 96] - 0.15
    assert covered[0.5, "state", 96] < covered[0.5, "state", 24]


def test_an_evaluators_errors_shrink_the_estimate(done: Any) -> None:
    means = table(done, "reader").set_index("error")["mean"]
    assert means[0.1] < means[0.05] < means[0.0]


@pytest.mark.parametrize(
    ("cell_id", "words"),
    [
        ("pilot", ("D_A", "D_F", "task", "readability")),
        ("from-pilot", ("planned_interval", "D_A", "D_F")),
        ("tables", ("readability", "ci_union_lo", "sharp_hi")),
    ],
)
def test_tables_are_shown(done: Any, cell_id: str, words: tuple[str, ...]) -> None:
    text = outputs(done, cell_id)["text/plain"]
    assert [word for word in words if word not in text] == []
