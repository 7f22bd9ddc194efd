"""What is said of a TOML file that cannot be parsed."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.schema.tomltext import explained

WIDE, YAML, QUOTES = "full-width", "that is YAML", "stands in quotes"


def said(text: str) -> str:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    return explained(text, caught.value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a = “x”", f"the {WIDE} “"),
        ("[run]\nn ＝ 3", f"the {WIDE} ＝"),
        ("[run]\nn = ３", f"the {WIDE} ３"),
        ('a = ["x"，"y"]', f"the {WIDE} ，"),
        ("［run］", f"the {WIDE} ［"),
        ("run:\n  n: 3", YAML),
        ("- task: 1", YAML),
        ("[models.模型]", QUOTES),
        ("名称 = 1", QUOTES),
    ],
)
def test_what_was_probably_meant_is_said_after_the_parsers_words(text: str, hint: str) -> None:
    told = said(text)
    assert "(at line " in told
    assert hint in told
    assert [h for h in (WIDE, YAML, QUOTES) if h in told] == [
        h for h in (WIDE, YAML, QUOTES) if h in hint
    ]


@pytest.mark.parametrize("text", ["a = 1 2", "a = [1", 'a = "，" b', "a = 1\na = 2", "[a"])
def test_other_mistakes_get_the_parsers_words_alone(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert explained(text, caught.value) == str(caught.value)


@given(st.text())
def test_any_text_is_explained_in_one_line_that_holds_none_of_it(text: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        added = explained(text, error).removeprefix(str(error))
        assert len(added) < 100
        assert "\n" not in added
