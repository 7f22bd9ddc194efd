"""Sources of a study: what is wrong with their settings is said before anything is written."""

from pathlib import Path

import pytest

import draligned
from draligned.api import recorded
from draligned.retrieval.place import Place
from draligned.schema.errors import ConfigError, DamageError
from draligned.schema.retrieval import RecordedAnswer, RetrievalAnswer, ReturnStatus

TOML = """\
[construction]
tasks = 1
lang = "en"

[run]
models = ["rehearsal-a"]
"""
SOURCE = """\
retrieval = "web"

[retrieval.web]
kind = "searxng"
base_url = "http://search.invalid"
"""


@pytest.mark.parametrize(
    "reading",
    [
        'allow = ["10.0.0.1/8"]', 'user_agent = "研究"', 'user_agent = " "',
        'user_agent = "a\\r\\nX: y"',
    ],
)  # fmt: skip
def test_settings_of_reading_are_checked_before_anything_is_written(
    tmp_path: Path, reading: str
) -> None:
    (tmp_path / "study.toml").write_text(TOML, "utf-8")
    draligned.open(tmp_path).construct()
    (tmp_path / "study.toml").write_text(f"{TOML}{SOURCE}reading = {{ {reading} }}\n", "utf-8")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ConfigError, match=r"reading\.(allow|user_agent)"):
        draligned.open(tmp_path).run()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("status", [ReturnStatus.ERROR, ReturnStatus.OK])
def test_a_failure_of_the_moment_is_never_imported_as_an_answer(status: ReturnStatus) -> None:
    place = Place("env", "study", "search", "q")
    answer = RetrievalAnswer(tool="search", request="q", status=status)
    found = RecordedAnswer(
        key="q", source="s", fetched_utc="2026-01-01T00:00:00+00:00", first_fetcher="r",
        answer=answer,
    )  # fmt: skip
    if status is ReturnStatus.OK:
        recorded._check(place.key, found.to_json().encode())
        return
    with pytest.raises(DamageError, match="no recorded answer"):
        recorded._check(place.key, found.to_json().encode())
