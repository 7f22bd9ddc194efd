"""evaluators qualify: what it prints, how it ends, and that it goes on."""

from pathlib import Path

import pytest

from tests.cli.console import Said, call

READERS = """\
[models.biased]
provider = "rehearsal"
model = "rehearsal-reader"
params = { rehearsal = { abstain = 0.0, flip = 0.0, order_bias = 0.4 } }
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(READERS, encoding="utf-8")
    return tmp_path


def qualify(root: Path, model: str, *more: str) -> Said:
    return call("evaluators", "qualify", model, str(root), "--lang", "en", *more)


def test_a_stopped_qualification_is_gone_on_with_and_its_verdict_said(root: Path) -> None:
    part = qualify(root, "rehearsal-reader", "--limit", "30")
    assert part.code == 3, part
    assert "verdict in en: incomplete" in part.out
    assert "30 of 110 reads" in part.out
    whole = qualify(root, "rehearsal-reader")
    assert whole.code == 0, whole
    assert "verdict in en: qualified" in whole.out
    assert "110 of 110 reads" in whole.out
    assert "no evidence about any language model" in whole.out
    for words in ("order flips: ", "requests: right", "document: right", "criterion", "bar"):
        assert words in whole.out
    again = qualify(root, "rehearsal-reader")
    assert again.code == 0
    assert again.out.partition("rehearsal-reader")[2] == whole.out.partition("rehearsal-reader")[2]


def test_who_does_not_meet_the_bar_ends_with_code_1(root: Path) -> None:
    said = qualify(root, "biased")
    assert said.code == 1
    assert "verdict in en: not qualified" in said.out
    assert "NOT MET" in said.out


def test_a_dry_run_does_nothing(root: Path) -> None:
    said = qualify(root, "biased", "--dry-run")
    assert said.code == 0
    assert "110" in said.out
    assert [p.name for p in root.iterdir()] == ["study.toml"]


def test_mistakes_are_one_line_that_helps(root: Path) -> None:
    for words, hint in (
        (("biassed",), "did you mean 'biased'"),
        (("biased", "--lang", "fr"), "zh and en"),
        (("biased", "--limit", "0"), "--limit"),
    ):
        said = qualify(root, *words)
        assert said.code == 2, words
        assert said.err.count("\n") == 1
        assert hint in said.err
