"""Edits turn one text into the other, whatever the texts."""

from hypothesis import given
from hypothesis import strategies as st

from draligned.rehearsal.edits import passage

TEXTS = st.lists(st.sampled_from(["甲\n", "乙\n", "\n", "- x\n", "x"]), max_size=8).map("".join)


@given(TEXTS, TEXTS)
def test_an_edit_gives_the_target_and_its_old_text_occurs_once(current: str, target: str) -> None:
    edit = passage(current, target)
    if edit is None:
        assert current == target or not current.strip()
        return
    old, new = edit
    assert current.find(old) == current.rfind(old) >= 0
    assert old.strip()
    assert current.replace(old, new) == target


def test_the_edit_is_as_short_as_it_can_be() -> None:
    assert passage("a\nb\nc\n", "a\nB\nc\n") == ("b\n", "B\n")
    assert passage("a\nx\nx\n", "a\nx\ny\n") == ("x\nx\n", "x\ny\n")
    assert passage("a\nb\n", "a\nn\nb\n") == ("a\nb\n", "a\nn\nb\n")
    assert passage("a\n", "a\n") is None
    assert passage("a\na\na\n", "a\nb\n") == ("a\na\na\n", "a\nb\n")
