"""Lists of subproblems go into a design with its tasks, and never after them."""

from pathlib import Path

import pytest

from draligned.bench_data.subproblems import bundled_maps
from draligned.constructors.agenda import added_maps, maps_of, read_maps
from draligned.constructors.source import load_source
from draligned.schema.design import Design, Subproblem, TaskMap
from draligned.schema.errors import DesignError

SOURCE = load_source(None, "en")
OWN = """
[[task]]
id = "2"
subproblems = [
  { key = "a", title = "A", words = ["one"] },
  { key = "b", title = "B", words = ["two"] },
]
"""
EMPTY = Design(lang="en", seed=1, source="x", tasks=(), cards=(), conditions=(), estimands=())


def own(path: Path, text: str = OWN) -> tuple[TaskMap, ...]:
    (path / "mine.toml").write_text(text, encoding="utf-8")
    return read_maps(path / "mine.toml", SOURCE)


def test_bundled_tasks_have_theirs_and_a_users_list_takes_their_place(tmp_path: Path) -> None:
    assert maps_of(SOURCE) == bundled_maps("en")
    found = {m.task_id: [s.key for s in m.subproblems] for m in maps_of(SOURCE, own(tmp_path))}
    assert found["2"] == ["a", "b"]
    assert found["1"] == [s.key for s in bundled_maps("en")[0].subproblems]


def test_other_sets_have_only_the_users(tmp_path: Path) -> None:
    other = SOURCE.model_copy(update={"label": "PDR-Bench en"})
    assert maps_of(other) == ()
    assert [m.task_id for m in maps_of(other, own(tmp_path))] == ["2"]


def test_a_file_about_other_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="task 77, which is not in the set"):
        own(tmp_path, OWN.replace('"2"', '"77"'))
    with pytest.raises(DesignError, match=r"cannot read none\.toml"):
        read_maps(tmp_path / "none.toml", SOURCE)


def test_an_old_designs_tasks_get_no_list_but_added_ones_do(tmp_path: Path) -> None:
    old = EMPTY.model_copy(update={"tasks": SOURCE.tasks[:1]})
    assert [m.task_id for m in added_maps(SOURCE, old)] == ["2", "3", "4"]
    late = EMPTY.model_copy(update={"tasks": SOURCE.tasks[:2]})
    with pytest.raises(DesignError, match="before a task's requests are seen"):
        added_maps(SOURCE, late, own(tmp_path))


def test_designs_without_lists_keep_their_hash() -> None:
    assert "subproblems" not in EMPTY.model_dump(exclude_defaults=True)
    listed = EMPTY.model_copy(update={"subproblems": bundled_maps("en")})
    assert listed.sha256() != EMPTY.sha256()
    again = Design.from_json(EMPTY.to_json().replace(',"subproblems":[]', ""))
    assert again.sha256() == EMPTY.sha256()


def test_a_task_has_one_list() -> None:
    two = Subproblem(key="a", title="A", words=("x",)), Subproblem(key="b", title="B", words=("y",))
    twice = (TaskMap(task_id="1", subproblems=two),) * 2
    with pytest.raises(ValueError, match="two lists"):
        Design(**{**dict(EMPTY), "subproblems": twice})
