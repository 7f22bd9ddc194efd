"""Sources of a study: what is wrong with their settings is said before anything is written."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study, recorded
from draligned.retrieval.place import Place
from draligned.schema.errors import ConfigError, DamageError
from draligned.schema.retrieval import RecordedAnswer, RetrievalAnswer, ReturnStatus
from tests.proof.web import served, settings

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


def priced(root: Path, url: str, source: str, price: str = "price_in = 0.0") -> Study:
    """A study whose agent costs nothing, with a source of that kind."""
    free = f'model = "fickle-agent"\n{price}\nprice_out = 0.0'
    toml = settings(url, tasks=2, source=source).replace('model = "fickle-agent"', free)
    toml = toml.replace("concurrency = 128", "concurrency = 1")
    root.mkdir()
    (root / "study.toml").write_text(toml, "utf-8")
    study = draligned.open(root)
    study.construct()
    return study


def test_searches_stop_a_command_at_its_limit_of_cost_and_the_next_goes_on(tmp_path: Path) -> None:
    with served() as web:
        study = priced(tmp_path / "study", web.url, "price = 0.5")
        stopped = study.run(max_cost=1.0, concurrency=1)
        assert web.asked.total() == 2
        assert (stopped.left_open, stopped.stopped) == (4, "1.0000 spent, the limit is 1")
        assert study.run(max_cost=100.0).left_open == 0
    row = next(row for row in study.spend() if row.model == "web: search")
    assert row.cost == pytest.approx(0.5 * (row.tries - row.failed))


def test_a_limit_of_cost_needs_the_price_of_a_search_that_is_billed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "a-key-that-is-never-sent")
    study = priced(tmp_path / "study", "http://search.invalid", "")
    toml = (study.folder.root / "study.toml").read_text("utf-8")
    billed = toml.replace('kind = "searxng"\nbase_url = "http://search.invalid"', 'kind = "serper"')
    billed = billed.replace("[retrieval.web]", '[retrieval.web]\napi_key_env = "SOME_KEY"')
    (study.folder.root / "study.toml").write_text(billed, "utf-8")
    before = sorted(study.folder.root.rglob("*"))
    with pytest.raises(ConfigError, match=r"--max-cost needs retrieval\.web\.price"):
        draligned.open(study.folder.root).run(max_cost=1.0)
    yuan = billed.replace("[retrieval.web]", '[retrieval.web]\nprice = 0.1\ncurrency = "CNY"')
    yuan = yuan.replace("price_in = 0.0", "price_in = 1.0")
    (study.folder.root / "study.toml").write_text(yuan, "utf-8")
    with pytest.raises(ConfigError, match="one currency, but models and searches use CNY, USD"):
        draligned.open(study.folder.root).run(max_cost=1.0)
    assert sorted(study.folder.root.rglob("*")) == before


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
