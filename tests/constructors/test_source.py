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
