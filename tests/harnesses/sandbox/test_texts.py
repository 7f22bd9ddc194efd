"""What is a text, and editing in one place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.harnesses.sandbox.texts import as_bytes, as_text, replaced
from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

letters = st.text("ab", max_size=6)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_text_comes_back_as_it_was(text: str) -> None:
    assert as_text(as_bytes(text, "a", 1 << 20), "a") == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\ud800", RefusalReason.NOT_TEXT),
        ("a\0", RefusalReason.NOT_TEXT),
        ("中中", RefusalReason.TOO_LARGE),
        ("abcdef", RefusalReason.TOO_LARGE),
    ],
)
def test_what_is_no_text_is_refused(text: str, reason: RefusalReason) -> None:
    with pytest.raises(WorkspaceRefusal) as caught:
        as_bytes(text, "a.md", 5)
    assert (caught.value.reason, caught.value.path) == (reason, "a.md")


@pytest.mark.parametrize("data", [b"\xff", b"\xed\xa0\x80", b"a\0b", b"\xc0\x80"])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(WorkspaceRefusal) as caught:
        as_text(data, "a.md")
    assert caught.value.reason is RefusalReason.NOT_TEXT


@given(letters, letters, letters)
def test_an_edit_needs_exactly_one_place(text: str, old: str, new: str) -> None:
    places = [i for i in range(len(text) + 1) if text.startswith(old, i)]
    if len(places) == 1:
        at = places[0]
        assert replaced(text, old, new, "a") == text[:at] + new + text[at + len(old) :]
        return
    with pytest.raises(WorkspaceRefusal) as caught:
        replaced(text, old, new, "a")
    wanted = RefusalReason.OLD_TEXT_NOT_UNIQUE if places else RefusalReason.OLD_TEXT_MISSING
    assert caught.value.reason is wanted


def test_places_that_overlap_are_several() -> None:
    with pytest.raises(WorkspaceRefusal, match="old_text_not_unique"):
        replaced("aaa", "aa", "b", "a.md")
