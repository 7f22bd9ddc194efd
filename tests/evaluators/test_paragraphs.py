"""Paragraphs give the text back, byte for byte, and stand where a reader expects them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.evaluators.paragraphs import MAX_BYTES, MAX_CHARS, oversize, segment

PIECES = st.sampled_from(
    ["\r\n", "\n", "\r", "\n\n", " \t\n", "# 标题", "- 项", "1. x", "```", "```\n", "~~~py\n",
     "| a |\n", "👨‍👩‍👧", "é", "\u2028", "\x0b", "\x85", "　", "{x}", "杭州。", "   "]
)  # fmt: skip


def texts(text: str) -> list[str]:
    return [p.text for p in segment(text)]


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_joined_paragraphs_are_the_text(text: str) -> None:
    paragraphs = segment(text)
    assert "".join(p.text for p in paragraphs) == text
    assert [p.no for p in paragraphs] == list(range(1, len(paragraphs) + 1))
    assert all(p.text for p in paragraphs)


@given(st.lists(PIECES).map("".join))
def test_only_a_blank_text_has_a_blank_paragraph(text: str) -> None:
    blank = [p for p in segment(text) if not p.text.strip(" \t\r\n")]
    assert not blank or not text.strip() or len(segment(text)) == 1


def test_blank_lines_belong_to_the_paragraph_before() -> None:
    assert texts("\n \na\r\nb  \r\n\r\n\r\nc") == ["\n \na\r\nb  \r\n\r\n\r\n", "c"]


def test_headings_and_list_items_stand_alone() -> None:
    text = "# 一\n正文\n续\n## 二\n- 甲\n  续甲\n- 乙\n1. 丙\n"
    assert texts(text) == ["# 一\n", "正文\n续\n", "## 二\n", "- 甲\n  续甲\n", "- 乙\n", "1. 丙\n"]


def test_tables_and_closed_fences_stay_whole() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    fence = "```md\n# not a heading\n\n- not an item\n```\n"
    assert texts(f"{table}\n{fence}after") == [f"{table}\n", f"{fence}after"]


def test_an_open_fence_does_not_swallow_the_rest() -> None:
    assert texts("```\na\n\nb") == ["```\na\n\n", "b"]


def test_two_fences_without_a_blank_line_between_them() -> None:
    text = "```\n- a\n```\n```\n- b\n```\n"
    assert texts(text) == [text]


@pytest.mark.parametrize("text", ["", "\n", "  \r\n\r\n"])
def test_texts_without_a_word(text: str) -> None:
    assert texts(text) == ([text] if text else [])


def test_a_long_line_stays_one_paragraph() -> None:
    line = "长" * 100_000
    assert texts(line) == [line]


def test_many_lines_take_no_more_than_a_pass() -> None:
    assert len(segment("```\n" * 20_001 + "- x\n" * 20_000)) == 20_001


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" * MAX_CHARS, False),
        ("a" * (MAX_CHARS + 1), True),
        ("长" * (MAX_BYTES // 3), False),
        ("长" * (MAX_BYTES // 3) + "a", True),
        ("𠮷" * (MAX_BYTES // 4 + 1), True),
    ],
)
def test_limits_in_characters_and_in_bytes(text: str, expected: bool) -> None:
    assert oversize(text) is expected
