"""review: mistakes in one line, and the agreement of two reviewers as printed."""

from pathlib import Path

import pytest

import draligned
from draligned.constructors.review_units import card_units
from draligned.schema.labels import Problem
from draligned.schema.review import Found, ProblemAnswer, ReviewAnswer, ReviewKind
from draligned.study.reviews import key_of, put_answer
from tests.cli.console import call


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A study of which nothing was run."""
    made = tmp_path / "study"
    draligned.open(made).construct()
    return made


def review(root: Path, name: str, passes: int) -> None:
    """Pass the first cards and fail the others on plausibility."""
    study = draligned.open(root)
    key = key_of(study.folder.store, ReviewKind.CARDS, name, "secret")
    units = sorted(card_units(study.design(), study.set_aside()), key=lambda u: u.unit_id)
    for place, unit in enumerate(units):
        bad = {Problem.IMPLAUSIBLE: Found.YES} if place >= passes else {}
        answer = ReviewAnswer(
            kind=key.kind,
            reviewer=name,
            unit_id=unit.unit_id,
            number=1,
            page_sha256="",
            first=unit.first,
            problems=tuple(ProblemAnswer(problem=p, found=bad.get(p, Found.NO)) for p in Problem),
        )
        put_answer(study.folder, answer, b"page")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--reviewer NAME"),
        (("--reviewer", " "), "--reviewer is a name"),
        (("--reviewer", "a", "--kind", "runs"), "none of cards, items, decisions"),
        (("--reviewer", "a", "--kind", "decisions"), "--kind items"),
        (("--reviewer", "a", "--kind", "items"), "draligned evaluate"),
        (("--reviewer", "a", "--lang", "fr"), "fr"),
    ],
)
def test_mistakes_are_one_line(root: Path, words: tuple[str, ...], said: str) -> None:
    found = call("review", str(root), *words)
    assert found.code == 2
    assert said in found.err
    assert found.err.count("\n") == 1
    assert not (root / "reviews").exists()


def test_agreement_before_any_review(root: Path) -> None:
    found = call("review", str(root), "--agreement")
    assert (found.code, found.out.count("\n")) == (0, 1)
    assert "no review was begun" in found.out


def test_marginals_and_nesting_are_printed(root: Path) -> None:
    n = len(draligned.open(root).cards())
    review(root, "strict\x1b[31m", 2)
    review(root, "wide", n - 1)
    out = call("review", str(root), "--agreement").out
    assert f"Construction review, {n} cards" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["2", "0", str(n - 3), "1"] in rows
    assert "nested: wide passed every card that strict" in out
    assert "\x1b" not in out
    assert any(r[:1] == ["all_five"] and r[-4:-2] == [str(n), "3"] for r in rows)
