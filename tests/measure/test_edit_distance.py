"""Distances and kept sentences by hand, and against an implementation of our own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.measure.edit_distance import NO_TOKENS, Edit, compare_texts, token_distance

TOKENS = st.lists(st.sampled_from("abcd"), max_size=12)


def textbook(a: list[str], b: list[str]) -> int:
    """Wagner and Fischer's table, the slow way."""
    table = [
        [max(i, j) if 0 in (i, j) else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)
    ]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
            )
    return table[-1][-1]


@given(TOKENS, TOKENS)
def test_it_is_the_textbook_distance_by_the_longer_length(a: list[str], b: list[str]) -> None:
    longer = max(len(a), len(b))
    assert token_distance(a, b) == (pytest.approx(textbook(a, b) / longer) if longer else None)


@given(TOKENS, TOKENS)
def test_it_is_symmetric_and_zero_for_the_same(a: list[str], b: list[str]) -> None:
    assert token_distance(a, b) == token_distance(b, a)
    assert token_distance(a, a) in (0, None)


@pytest.mark.parametrize(
    ("before", "after", "distance", "verbatim"),
    [
        ("住在杭州。去西湖。", "住在杭州。去灵隐。", 2 / 6, (1, 2)),
        ("住在杭州", "住在深圳", 2 / 3, (0, 1)),
        ("Walk in Leeds. Rest at home.", "Walk in Bristol. Rest at home!", 1 / 4, (1, 2)),
        ("推荐 iPhone 手机", "推荐 Pixel 手机", 1 / 5, (0, 1)),
        ("ＡＢＣ 一二", "abc 一二三", 1 / 4, (0, 1)),
        ("cafe\u0301", "CAFÉ", 0.0, (1, 1)),
        ("**甲乙** 😀", "甲乙 👍🏽", 0.0, (1, 1)),
        ("甲。甲。乙。", "甲。", 2 / 3, (2, 3)),
        ("甲乙丙", "", 1.0, (0, 1)),
        ("", "甲乙丙", 1.0, (0, 0)),
    ],
)
def test_known_couples(before: str, after: str, distance: float, verbatim: tuple[int, int]) -> None:
    found = compare_texts(before, after)
    assert found.distance == pytest.approx(distance)
    assert (found.n_verbatim, found.n_sentences) == verbatim


def test_a_pair_shaped_like_the_papers() -> None:
    """98 draft sentences of 200 content tokens in all; one of 28 tokens is kept, the rest is not:
    172 of 200 tokens are replaced, distance 0.86 (DR-97)."""
    kept = " ".join(f"kept{n}" for n in range(28))
    sizes = [2] * 75 + [1] * 22
    names = iter(range(172))
    draft = [" ".join(f"draft{next(names)}" for _ in range(size)) for size in sizes]
    final = " ".join(f"final{n}" for n in range(172))
    found = compare_texts(". ".join([kept, *draft]) + ".", f"{kept}. {final}.")
    assert (found.n_tokens_from, found.n_tokens_to) == (200, 200)
    assert found.distance == pytest.approx(0.86)
    assert (found.n_verbatim, found.n_sentences) == (1, 98)


@pytest.mark.parametrize("text", ["", "😀 — **", "the of 的"])
def test_two_texts_without_content_have_no_distance(text: str) -> None:
    found = compare_texts(text, "---")
    assert found == Edit(n_tokens_from=0, n_tokens_to=0, reason=NO_TOKENS)


@pytest.mark.parametrize(("cut", "distance"), [("characters", 2 / 6), ("words", 2 / 3)])
def test_characters_and_words_are_two_measures(cut: str, distance: float) -> None:
    found = compare_texts("学习数据分析", "学习数据科学", cut)  # type: ignore[arg-type]
    assert found.distance == pytest.approx(distance)
