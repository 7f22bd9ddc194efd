"""Names of environments: answers depend on what they cover, and on nothing else."""

from typing import Any

import pytest

from draligned.retrieval.identity import environment_name, scope_id, source_identity
from draligned.schema.config import ReadingConfig, SourceConfig
from draligned.store.local import LocalStore

BASE = SourceConfig(kind="searxng", base_url="https://s.example")
CHANGES: list[dict[str, Any]] = [
    {"kind": "tavily"}, {"base_url": "https://t.example"}, {"tool": "find"}, {"country": "cn"},
    {"language": "zh"}, {"results": 9}, {"params": {"safe": 1}}, {"command": ("serve",)},
    {"reading": ReadingConfig(text_chars=9)}, {"reading": ReadingConfig(robots=False)},
    {"reading": ReadingConfig(block_benchmark=True)},
]  # fmt: skip
SAME: list[dict[str, Any]] = [
    {"mode": "live"}, {"snapshots": 3}, {"scope": "pair"}, {"api_key_env": "K"},
    {"timeout_seconds": 1.0}, {"reading": ReadingConfig(per_host=9, delay_seconds=0, seconds=1)},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_what_answers_depend_on_is_covered(change: dict[str, Any]) -> None:
    changed = BASE.model_copy(update=change)
    assert source_identity(changed, "zh") != source_identity(BASE, "zh")


@pytest.mark.parametrize("change", SAME, ids=str)
def test_what_they_do_not_is_not(change: dict[str, Any]) -> None:
    changed = BASE.model_copy(update=change)
    assert source_identity(changed, "zh") == source_identity(BASE, "zh")


def test_names_are_readable_apart_and_can_be_files(tmp_path: Any) -> None:
    source = source_identity(BASE, "zh")
    assert source.startswith("searxng-zh-")
    names = {
        environment_name(source, scope, k) for scope in ("study", "task", "pair") for k in (1, 2, 3)
    }
    assert len(names) == 9
    assert environment_name(source, "study", 1) == source
    assert environment_name(source, "pair", 2) == f"{source}-pair-2"
    for name in names:
        LocalStore(tmp_path).path(f"retrieval/{name}/study/x.json")


def test_scopes() -> None:
    asked = [scope_id("study", task_id=t, pair_id=p) for t, p in (("1", "a"), ("2", "b"))]
    assert asked == ["study", "study"]
    tasks = [
        scope_id("task", task_id=t, pair_id=p) for t, p in (("1", "a"), ("1", "b"), ("二", "c"))
    ]
    assert tasks[0] == tasks[1] != tasks[2]
    assert tasks[2].isascii()
    assert scope_id("pair", task_id="1", pair_id="a") == "a"
