"""Search tokens of Chinese, English and anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.retrieval.tokenize import STOP_TOKENS, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("杭州的演讲俱乐部", ["杭州", "演讲", "俱乐部"]),
        ("数据分析", ["数据", "分析", "数据分析"]),
        ("Public Speaking in LEEDS", ["public", "speaking", "leed"]),
        ("boutique hotels", ["boutique", "hotel"]),
        ("ＡＢＣ１２３", ["abc123"]),
        ("São Príncipe", ["sao", "principe"]),
        ("the team's bus is glass", ["team", "bus", "glass"]),
        ("用SQL做分析", ["用", "sql", "做", "分析"]),
        ("　 \t\n", []),
        ("的 了 and the", []),
        ("\ud835\udc9c 猫", ["猫"]),
        ("a_b", ["b"]),
    ],
)
def test_known_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@given(st.text(st.characters(), max_size=60))
def test_any_string_gives_clean_tokens(text: str) -> None:
    for token in tokenize(text):
        assert token.strip() == token != ""
        assert token not in STOP_TOKENS


@given(st.sampled_from(["Ｌｅｅｄｓ", "leeds", "LEEDS", "leeds"]))
def test_width_and_case_do_not_matter(text: str) -> None:
    assert tokenize(text) == ["leed"]
