"""Content tokens and sentences counted by hand."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.bench_data.stoplist import stop_list
from draligned.measure.tokens import Cut, Cutter, content


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("住在杭州的用户", "住 杭 州 用 户"),
        ("The user lives in Leeds and walks.", "user lives leeds walks"),
        ("推荐 iPhone 15 Pro，约 7,999 元（3.5折）", "推 荐 iphone 15 pro 约 7,999 元 3.5 折"),
        ("Python3入门与实践", "python3 入 门 实 践"),
        ("ひらがなとカタカナ", "ひ ら が な と カ タ カ ナ"),
        ("한국어 책", "한 국 어 책"),
        ("不去 not never", "不 去 not never"),
        ("snake_case self-care", "snake case self care"),
        ("😀👍🏽🇨🇳 — …！？", ""),
        ("x\u0302y", "x\u0302y"),
        ("𠮷野家", "𠮷 野 家"),
        ("End.Next 1.2.3", "end next 1.2.3"),
    ],
)
def test_characters(text: str, tokens: str) -> None:
    assert list(content(text).tokens) == tokens.split()


def test_words_need_a_dictionary_and_drop_stop_words() -> None:
    found = content("我们推荐的数据分析课程，以及 Python 入门", "words").tokens
    assert found == ("推荐", "数据分析", "课程", "python", "入门")


CAFE = "café 北京ガ Ａ１"


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_forms_and_widths_are_one(form: str) -> None:
    assert content(unicodedata.normalize(form, CAFE)) == content("CAFÉ 北京ガ A1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("# Title\nOne is in. Two?\n\n- four; six\n", ["one is in", "two", "four", "six"]),
        ("## 标题\n第一句。第二句！第三句；第四", ["第 一 句", "第 二 句", "第 三 句", "第 四"]),
        ("It costs 3.5 now... then more", ["it costs 3.5 now", "then more"]),
        ("---\n***\n😀\n| - | - |", []),
        ("**Use** the `gym`, twice.", ["use the gym twice"]),
        ("#标签 不是标题", ["标 签 不 是 标 题"]),
    ],
)  # fmt: skip
def test_sentences(text: str, sentences: list[str]) -> None:
    assert list(content(text).sentences) == sentences


@pytest.mark.parametrize("cut", ["characters", "words"])
@given(text=st.text())
def test_any_text_is_cut_without_stop_words(cut: Cut, text: str) -> None:
    found = content(text, cut)
    assert not stop_list().of_characters & set(found.tokens)
    assert all(found.tokens)
    assert all(found.sentences)


@given(st.lists(st.sampled_from(["杭州", "gym", "3.5", "不", "Leeds"]), min_size=1))
def test_markup_adds_no_token(words: list[str]) -> None:
    plain, marked = " ".join(words), "\n".join(f"- **{w}** [1]" for w in words)
    assert content(plain).tokens == content(marked).tokens


@given(st.lists(st.text(alphabet="杭州 ab.。#'\n\u03021", max_size=20), min_size=1, max_size=5))
def test_texts_cut_together_are_cut_as_each_alone(texts: list[str]) -> None:
    cutter = Cutter()
    versions = ["\n".join(texts[:number]) for number in range(len(texts) + 1)]
    assert [cutter.content(text) for text in versions] == [content(text) for text in versions]
