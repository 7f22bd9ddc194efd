"""What is taken off a document, and what is left, by hand."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.measure.prose import folded, prose


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("see [the guide](https://a.org/x_(y)?q=1 \"T\").", "see the guide."),
        ("![图](https://a.org/1.png)说明", "图说明"),
        ("见https://a.org/路径。后文", "见 路径。后文"),
        ("见 https://a.org/b?c=d&e=f。后文", "见  。后文"),
        ("at https://a.org/b. Next", "at  . next"),
        ("www.example.com, then", " , then"),
        ("awww.x", "awww.x"),
        ("**bold**face 2*3", "boldface 2*3"),
        ("a<br/>b <3 c", "a b <3 c"),
        ("R&amp;D", "r&d"),
        ("事实[3]，事实【4†来源】", "事实 ,事实 "),
        ("1. one\n2) two\n> 3、三\n3.5 kg\n2024. x", "one\ntwo\n三\n3.5 kg\n2024. x"),
        ("1️⃣ 第一", "  第一"),
        ("```python\nx = 1\n```", "\nx = 1\n"),
        ("ＡＢＣ１２３，ｶﾀ", "abc123,カタ"),
        ("co\u00adop 👨\u200d👩", "coop 👨👩"),
        ("Straße DON’T", "strasse don't"),
        ("𝐀Ⓑ", "ab"),
    ],
)  # fmt: skip
def test_known_texts(text: str, left: str) -> None:
    assert prose(text) == left


@given(st.text())
def test_forms_of_a_character_do_not_matter(text: str) -> None:
    assert folded(unicodedata.normalize("NFC", text)) == folded(unicodedata.normalize("NFD", text))


@given(st.text(alphabet='[]()!<>*`~ \n"a1.^†【】&;#:/htps😀é的', max_size=300))
def test_any_text_is_accepted(text: str) -> None:
    assert isinstance(prose(text), str)


@pytest.mark.parametrize(
    "piece", ["[", "](", "<a", "*", "`", "&", "https://", "1. ", "【", "(", "[a]("]
)
def test_long_runs_of_markup_take_linear_time(piece: str) -> None:
    """A pattern that backtracks would not end within any patience here."""
    assert isinstance(prose(piece * 40_000), str)
