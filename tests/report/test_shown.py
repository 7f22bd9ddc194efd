"""Untrusted text: visible, cut to a stated length, otherwise untouched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.report.shown import shown


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("\x1b[31m", "⟨U+001B⟩[31m"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("lone \ud835", "lone ⟨U+D835⟩"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("a\rb", "a⟨U+000D⟩b"),
    ],
)
def test_invisible_characters_are_written_out(text: str, seen: str) -> None:
    assert shown(text, 100).text == seen


@pytest.mark.parametrize(
    "text", ["你好\u3000世界", "👨\u200d👩\u200d👧", "a\nb\tc", "é ñ", "{x} %s ${y}"]
)
def test_other_text_is_untouched(text: str) -> None:
    assert shown(text, 100).text == text


def test_windows_line_ends_are_line_ends() -> None:
    assert shown("a\r\nb", 100).text == "a\nb"


def test_a_cut_states_both_lengths() -> None:
    cut = shown("x" * 1_000_000, 600)
    assert (cut.kept, cut.chars, cut.is_cut, len(cut.text)) == (600, 1_000_000, True, 600)
    assert not shown("abc", 3).is_cut


@given(st.text(max_size=50))
def test_nothing_that_reorders_or_controls_is_left(text: str) -> None:
    seen = shown(text, 50).text
    assert not any(
        c in seen for c in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\x1b\x00\x07"
    )
    seen.encode("utf-8")
