"""With people as a gate, nothing is frozen before two of them passed every card (DR-10)."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.constructors.review_units import card_units
from draligned.schema.errors import DesignError
from draligned.schema.labels import Problem, Side
from draligned.schema.review import Found, ProblemAnswer, ReviewAnswer, ReviewKind
from draligned.study.reviews import key_of, put_answer

SETTINGS = '[construction]\ntasks = 2\nscreening = "{}"\n'


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A draft of two cards that people are to screen."""
    (tmp_path / "study.toml").write_text(SETTINGS.format("people"), "utf-8")
    made = draligned.open(tmp_path)
    made.construct()
    return made


def answer(study: Study, reviewer: str, found: Found = Found.NO) -> None:
    """All cards answered by one person; `found` of one problem of the last of them."""
    key_of(study.folder.store, ReviewKind.CARDS, reviewer, "secret")
    units = card_units(study.design(), ())
    for unit in units:
        said = found if unit == units[-1] else Found.NO
        problems = [
            ProblemAnswer(problem=p, found=said if p is Problem.TASK_FORCED else Found.NO)
            for p in Problem
        ]
        given = ReviewAnswer(
            kind=ReviewKind.CARDS,
            reviewer=reviewer,
            unit_id=unit.unit_id,
            number=1,
            page_sha256="0" * 64,
            first=Side.P,
            problems=tuple(problems),
        )
        put_answer(study.folder, given, b"page")


def test_freezing_waits_for_two_people(study: Study) -> None:
    assert study.design().notes["screening"] == "rules only, then people"
    with pytest.raises(DesignError, match=r"^2 of 2 cards .* reviewed by 0 of 2 people"):
        study.freeze()
    answer(study, "a")
    with pytest.raises(DesignError, match="reviewed by 1 of 2 people"):
        study.freeze()
    answer(study, "b")
    entry = study.freeze()
    assert study.freeze() == entry


def test_one_doubt_stops_a_card_until_it_is_taken_out(study: Study) -> None:
    answer(study, "a")
    answer(study, "b", Found.CANNOT_TELL)
    with pytest.raises(DesignError, match=r"^1 of 2 cards .* b: cannot tell task_forced"):
        study.freeze()
    study.reject_card(study.design().cards[-1].factor_id, "a doubt")
    assert study.freeze().n_cards == 1


def test_an_amendment_has_no_time_for_people(study: Study) -> None:
    for reviewer in ("a", "b"):
        answer(study, reviewer)
    study.freeze()
    with pytest.raises(DesignError, match="before an amendment freezes it"):
        study.amend(tasks=1)
    toml = study.folder.root / "study.toml"
    toml.write_text(SETTINGS.format("model-only"), "utf-8")
    draligned.open(study.folder.root).amend(tasks=1)
    notes = draligned.open(study.folder.root).design().notes
    assert notes["amendments"][0]["screening"] == "rules only"


def test_without_the_gate_nobody_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(SETTINGS.format("model-only"), "utf-8")
    study = draligned.open(tmp_path)
    study.construct()
    assert study.design().notes["screening"] == "rules only"
    study.freeze()
