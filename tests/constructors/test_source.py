"""Sources: bundled and published, and what is said when a file is missing."""

import json
from pathlib import Path

import pytest

from draligned.constructors.source import load_source
from draligned.schema.errors import InputError, UserError


def folder(tmp_path: Path, *, queries: str | None = "queries2_zh.jsonl") -> Path:
    (tmp_path / "data/prompt_data").mkdir(parents=True)
    (tmp_path / "data/persona_data").mkdir(parents=True)
    pair = {"domain": "Law", "taskid": 1, "userid": "U", "task": "文字"}
    if queries:
        (tmp_path / "data/prompt_data" / queries).write_text(json.dumps(pair), "utf-8")
    (tmp_path / "data/persona_data/personas_zh.jsonl").write_text('{"userid": "U"}', "utf-8")
    return tmp_path


def test_the_label_has_hashes_and_no_path(tmp_path: Path) -> None:
    source = load_source(folder(tmp_path), "zh")
    assert source.label.startswith("PDR-Bench zh; queries2_zh.jsonl sha256 ")
    assert source.label.count("sha256") == 2
    assert str(tmp_path) not in source.label


def test_missing_queries_name_the_file_and_the_bundled_set(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        load_source(folder(tmp_path), "en")
    told = str(caught.value)
    assert "queries*_en.jsonl is missing" in told
    assert "no English queries" in told
    assert "bundled English set" in told
    assert "\n" not in told


def test_no_folder_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        load_source(tmp_path / "nothing", "zh")


def test_two_query_files_are_one_too_many(tmp_path: Path) -> None:
    made = folder(tmp_path)
    (made / "data/prompt_data/queries9_zh.jsonl").write_text("", "utf-8")
    with pytest.raises(InputError, match="more than one"):
        load_source(made, "zh")


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    made = folder(tmp_path)
    (made / "data/persona_data/personas_zh.jsonl").write_bytes('{"userid": "用"}'.encode("gbk"))
    with pytest.raises(InputError, match=r"personas_zh.jsonl is not UTF-8 \(byte 12\)"):
        load_source(made, "zh")


OWN_TASK = '{"taskid": "t", "userid": "用户", "domain": "Law", "task": "文字"}\n'


def own(tmp_path: Path) -> Path:
    (tmp_path / "tasks.jsonl").write_text(f"\ufeff{OWN_TASK}".replace("\n", "\r\n"), "utf-8")
    (tmp_path / "personas.jsonl").write_text('{"userid": "用户", "性格": "外向"}', "utf-8")
    return tmp_path


def test_tasks_of_ones_own_are_called_so(tmp_path: Path) -> None:
    source = load_source(None, "zh", own(tmp_path))
    assert source.label.startswith("own zh; tasks.jsonl sha256 ")
    assert "PDR-Bench" not in source.label
    assert not source.bundled
    assert [t.task_id for t in source.tasks] == ["t"]
    assert [d.text for p in source.personas for d in p.details] == ["外向"]


def test_an_own_folder_that_lacks_a_file_says_which(tmp_path: Path) -> None:
    (own(tmp_path) / "personas.jsonl").unlink()
    with pytest.raises(
        InputError, match=r"there is no personas\.jsonl in .*holds tasks\.jsonl and"
    ):
        load_source(None, "zh", tmp_path)


def test_two_folders_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not both"):
        load_source(tmp_path, "zh", own(tmp_path))


@pytest.mark.real_data
def test_the_published_files(pdr_bench: Path) -> None:
    source = load_source(pdr_bench, "zh")
    users = {t.task_id: len(t.users) for t in source.tasks}
    assert len(users) == 50
    assert {k: n for k, n in users.items() if n != 5} == {"8": 4, "10": 6}
    assert len(source.personas) == 25
    assert len({d.path for p in source.personas for d in p.details}) == 99


@pytest.mark.real_data
def test_english_on_the_published_folder_is_one_clear_error(pdr_bench: Path) -> None:
    with pytest.raises(UserError, match=r"queries\*_en.jsonl is missing .*bundled English set"):
        load_source(pdr_bench, "en")
