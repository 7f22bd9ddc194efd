import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.schema.strictjson import clean_text, dumps, loads, visible

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.text(alphabet=st.characters(exclude_categories=["Cs"])), inner
    ),
    max_leaves=20,
)  # fmt: skip


@given(json_values)
def test_what_is_written_is_one_line_and_reads_back(value: object) -> None:
    text = dumps(value)
    assert len(text.splitlines()) == 1
    assert loads(text) == value
    assert json.loads(text) == value


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), [-float("inf")]])
def test_no_file_of_ours_holds_what_is_no_number(bad: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(bad)


@pytest.mark.parametrize(
    "text",
    ['{"a": NaN}', "Infinity", '{"a": 1, "a": 2}', "{", "", '{"a": 1} x', "[" * 200_000],
)
def test_what_is_no_strict_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads(text)


@pytest.mark.parametrize(
    ("raw", "text", "changed"),
    [
        ("好 👨‍👩‍👧 𠮷", "好 👨‍👩‍👧 𠮷", False),
        ("\ud83c\udf78", "🍸", True),
        ("a\ud835b", "a\ufffdb", True),
        ("a\udfffc", "a\ufffdc", True),
        ("a\x00b", "a\ufffdb", True),
        ("\ud835", "\ufffd", True),
    ],
)
def test_the_text_boundary(raw: str, text: str, changed: bool) -> None:
    assert clean_text(raw) == (text, changed)


@given(st.text())
def test_clean_text_can_always_be_stored(raw: str) -> None:
    text = clean_text(raw).text
    assert loads(dumps(text)) == text
    text.encode("utf-8")


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_visible_is_one_printable_line_of_bounded_length(text: str, limit: int) -> None:
    shown = visible(text, limit)
    assert shown.isprintable()
    assert len(shown) <= limit


def test_visible_cuts_what_is_longer_and_only_that() -> None:
    assert visible("x" * 20, 20) == "x" * 20
    assert visible("x" * 21, 20) == "x" * 19 + "…"


def test_visible_shows_what_would_act_on_a_terminal() -> None:
    assert visible("\x1b[2J\u202e好\n") == "\\x1b[2J\\u202e好\\n"
