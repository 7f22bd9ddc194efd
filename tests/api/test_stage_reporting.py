"""The page of progress reports from a study folder: what counts, and what is said of the rest."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.api.progress import Read, StageStudies
from draligned.progress.corruption import LeakyMetric
from draligned.schema.errors import ConfigError, InputError


@pytest.fixture
def study(tmp_path: Path) -> Study:
    (tmp_path / "study.toml").write_text("[measure]\ndraws = 200\n", encoding="utf-8")
    return draligned.open(tmp_path)


def read(study: Study, lang: str | None = None) -> str:
    return study.progress_report(lang=lang).read_text(encoding="utf-8")


def test_a_page_from_nothing(study: Study) -> None:
    """One lane counts, one is short of replies: its name stands in the admission table alone."""
    study.progress.run("bundle", ["rehearsal-steady"])
    study.progress.run("bundle", ["table2-b"], limit=20)
    page = read(study)
    assert page == read(study, "zh")
    assert page.count("<figcaption><bdi>rehearsal-steady") > 2
    assert "<figcaption><bdi>table2-b" not in page
    assert "未完成：已有回复的计划位置不足 95 %" in page
    assert "不构成对任何语言模型的证据" in page
    assert "no evidence about any language model" in read(study, "en")
    assert study.progress.names() == ("bundle",)


def test_a_design_without_numbers_has_a_section(study: Study) -> None:
    study.progress.run("controls", ["rehearsal-steady"], limit=5)
    page = read(study, "en")
    assert "no lane is admitted and complete" in page
    assert "<svg" not in page


def test_a_leak_is_said_and_no_number_shown(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(known: StageStudies, name: str, found: Read) -> dict[str, int]:
        raise LeakyMetric("corruption gate: of 5 replies, 1 are clean when blanked")

    study.progress.run("bundle", ["rehearsal-steady"])
    read(study)
    monkeypatch.setattr(StageStudies, "measured", leaky)
    page = read(study, "en")
    assert "1 are clean when blanked" in page
    assert "<svg" not in page


def test_mistakes(study: Study) -> None:
    with pytest.raises(InputError, match="no design was begun"):
        study.progress_report()
    with pytest.raises(ConfigError, match="zh or en"):
        study.progress_report(lang="fr")
