"""Answers on disk: separate reviewers, numbers, names that are no paths."""

from pathlib import Path

import pytest

from draligned.schema.errors import ConfigError
from draligned.schema.labels import ItemDirection, Presence, Side
from draligned.schema.review import NAME_CHARS, ReviewAnswer, ReviewKind
from draligned.study.folder import StudyFolder
from draligned.study.reviews import answers_of, key_of, named, put_answer, reviewed

ITEMS = ReviewKind.ITEMS


def answer(who: str, direction: str, note: str = "") -> ReviewAnswer:
    return ReviewAnswer(
        kind=ITEMS,
        reviewer=who,
        unit_id="u1",
        number=1,
        page_sha256="",
        first=Side.Q,
        direction=ItemDirection(direction),
        note=note,
    )


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return StudyFolder.at(tmp_path / "study")


def test_the_first_answer_stays_and_the_last_counts(folder: StudyFolder) -> None:
    key_of(folder.store, ITEMS, "a", "secret")
    put_answer(folder, answer("a", "SLOT1"), b"page 1")
    put_answer(folder, answer("a", "SLOT2"), b"page 2")
    again = put_answer(folder, answer("a", "SLOT2"), b"page 3")
    assert again.number == 2
    (person,) = reviewed(folder.store, ITEMS)
    given = person.answers["u1"]
    assert [(a.number, folder.blobs.get(a.page_sha256)) for a in given] == [
        (1, "page 1"), (2, "page 2"),
    ]  # fmt: skip
    assert person.directions == {"u1": Presence.P_ONLY}
    assert person.changed == 1


def test_a_note_alone_is_an_answer_of_its_own(folder: StudyFolder) -> None:
    put_answer(folder, answer("a", "SLOT1"), b"1")
    assert put_answer(folder, answer("a", "SLOT1", "why"), b"2").number == 2


@pytest.mark.parametrize(
    "name", ["../../etc/x", "/etc/passwd", "a/b", "..", "a\x00b", "王\u202e", "."]
)
def test_a_name_is_text_and_no_path(folder: StudyFolder, name: str) -> None:
    key_of(folder.store, ITEMS, name, "secret")
    put_answer(folder, answer(name, "BOTH"), b"page")
    assert [r.reviewer for r in reviewed(folder.store, ITEMS)] == [name]
    files = [p for p in folder.root.parent.rglob("*") if p.is_file()]
    assert {p.relative_to(folder.root).parts[0] for p in files} == {"reviews", "blobs"}
    assert not any(name.strip("./") in str(p) for p in files if name.strip("./"))


def test_reviewers_are_apart(folder: StudyFolder) -> None:
    put_answer(folder, answer("a", "SLOT1"), b"1")
    assert answers_of(folder.store, ITEMS, "b") == {}
    assert answers_of(folder.store, ReviewKind.DECISIONS, "a") == {}


def test_a_key_is_made_once(folder: StudyFolder) -> None:
    assert key_of(folder.store, ITEMS, "a", "one").secret == "one"
    assert key_of(folder.store, ITEMS, "a", "two").secret == "one"


def test_names_that_are_none_are_refused() -> None:
    assert named("  A\u030a ") == "Å"
    assert len(named("x" * NAME_CHARS)) == NAME_CHARS
    for wrong in ("", "  ", "x" * 201, "\ud800"):
        with pytest.raises(ConfigError, match="--reviewer"):
            named(wrong)


def test_an_answer_is_whole_or_none() -> None:
    with pytest.raises(ValueError, match="all five"):
        answer("a", "BOTH").model_validate({**dict(answer("a", "BOTH")), "kind": "cards"})
