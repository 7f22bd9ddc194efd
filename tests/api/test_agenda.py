"""Lists of subproblems from the command to the tables."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.schema.errors import DesignError

SETTINGS = """\
[construction]
tasks = 2

[run]
models = ["rehearsal-a"]
replicates = 2

[evaluate]
retest_share = 0

[controls]
neutral_share = 0
placebo_share = 0
masked_share = 0
sentinel_share = 0

[measure]
draws = 200
"""
OWN = """
[[task]]
id = "8"
subproblems = [
  { key = "all", title = "All", words = ["账号", "定位", "栏目", "选题", "读者"] },
  { key = "none", title = "None", words = ["zzz"] },
]
"""


def begun(root: Path) -> Study:
    (root / "study.toml").write_text(SETTINGS, encoding="utf-8")
    return draligned.open(root)


def test_a_users_list_is_frozen_and_decides_what_is_visited(tmp_path: Path) -> None:
    study = begun(tmp_path)
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    study.construct(subproblems=tmp_path / "own.toml")
    study.run()
    assert {m.task_id for m in study.design().subproblems} >= {"8"}
    study.evaluate()
    study.measure()
    visits = study.table("visits")
    mine = visits[visits["task_id"] == "8"]
    assert set(mine["subproblem"].dropna()) == {"all"}
    assert (mine["status"] == "unassigned").sum() == mine["subproblem"].isna().sum()
    requests = {(r.run_id, q.request_no) for r in study.observed() for q in r.requests}
    assert set(zip(visits["run_id"], visits["request_no"], strict=True)) <= requests
    agenda = study.table("agenda")
    rows = agenda[agenda["model"] == "all"].set_index("comparison")
    assert rows.loc["pairs", "n_couples"] == 2
    assert rows.loc["within", "n_couples"] >= 4
    assert rows.loc["between", "null_share"] is not None
    allocation = study.table("allocation").set_index("model").loc["all"]
    ends = ["n_comparable", "n_no_map", "n_no_run", "n_no_repeat"]
    assert allocation[ends].sum() == allocation["n_cells"] == 2


def test_a_list_cannot_come_after_its_task(tmp_path: Path) -> None:
    study = begun(tmp_path)
    study.construct()
    study.freeze()
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    with pytest.raises(DesignError, match="before a task's requests are seen"):
        study.amend(tasks=1, subproblems=tmp_path / "own.toml")
