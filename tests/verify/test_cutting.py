"""Texts cut by the second path: known answers, and the same as the first on any text."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.measure.tokens import Cut, content
from draligned.verify.cutting import cut
from draligned.verify.edits import Edits, levenshtein
from draligned.verify.markup import without_markup

_PIECES = (
    "[", "]", "(", ")", "!", "*", "**", "_", "```", "~~~", "\n", " ", "\t", "> ", "## ", "1.",
    "2) ", "12、", "1234.", "http://", "https://x.y/a", "www.", "WWW.z.de/", "a", "B", "ß", "İ",
    "9", "2*3", "the", "not", "的", "城", "市", "。", "！", ";", ".", "..", "’", "it's", "e\u0301",
    "\u00ad", "1\ufe0f\u20e3", "【", "】", "†", "[^1]", "[1234]", "<", ">", "</b>", "&amp;", '"t"',
    "[x](y)", '![i](z "q")', "[a](b(c)d)", "1,000", "1.5", "ｆｕｌｌ", "한국", "\r", "\u3000", "-",
    "々",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from(_PIECES), max_size=20).map("".join)
)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("```py\na\n```", "\na\n"),
        ('see [this](https://a.b/c_(d) "t") now', "see this now"),
        ("見 https://a.b/c?d=1。后", "見  。后"),
        ("> 12. item\n2024. year", "item\n2024. year"),
        ("**bold** 2*3 *x*", "bold 2*3 x"),
        ("<br/>x[^1]【3†source】1\ufe0f\u20e3", " x   "),
    ],
)
def test_markup(text: str, left: str) -> None:
    assert without_markup(text) == left


def test_tokens_and_sentences() -> None:
    found = cut("# 预算 Plan\n选择1,000.5元的酒店。It's NOT the end... Don't!\n", "characters")
    assert " ".join(found.tokens) == "预 算 plan 选 择 1,000.5 元 酒 店 not end don't"
    assert [" ".join(s) for s in found.sentences] == [
        "选 择 1,000.5 元 的 酒 店", "it's not the end", "don't",
    ]  # fmt: skip


@given(TEXTS, st.sampled_from(("characters", "words")))
def test_both_paths_cut_alike(text: str, how: Cut) -> None:
    first, second = content(text, how), cut(text, how)
    assert second.tokens == first.tokens
    assert tuple(" ".join(s) for s in second.sentences) == first.sentences


@given(
    st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12)
)
def test_levenshtein_is_that_of_the_table(a: list[str], b: list[str]) -> None:
    table = {(0, 0): 0}
    for i, j in product(range(len(a) + 1), range(len(b) + 1)):
        ways = [table[i - 1, j] + 1] if i else []
        ways += [table[i, j - 1] + 1] if j else []
        ways += [table[i - 1, j - 1] + (a[i - 1] != b[j - 1])] if i and j else []
        table[i, j] = min(ways, default=0)
    assert levenshtein(a, b) == table[len(a), len(b)]


def test_texts_without_tokens_or_without_text_have_a_reason() -> None:
    edits = Edits({"a": "…", "b": "!", "c": "城"}.get, "characters")
    assert edits.of("a", "b").reason == "no_content_tokens"
    assert edits.of("a", "d").reason == "text_missing"
    assert edits.of("a", "c").distance == 1.0
