"""Comparing endpoint sentences."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.constructors.sentences import (
    MAX_CHARS,
    clauses,
    differing,
    frame,
    not_one_line,
    shared_run,
)

from .samples import kind


@pytest.mark.parametrize(
    ("a", "b", "parts"),
    [
        ("我目前常住杭州。", "我目前常住深圳。", ("杭州", "深圳")),
        ("I live in Leeds.", "I live in Bristol.", ("Leeds", "Bristol")),
        ("I live in Leeds.", "I live in Leigh.", ("Leeds", "Leigh")),
        ("same", "same", ("", "")),
        ("养猫。", "养猫和狗。", ("", "和狗")),
    ],
)
def test_the_stretch_that_differs(a: str, b: str, parts: tuple[str, str]) -> None:
    assert differing(a, b) == parts


@settings(deadline=None)
@given(st.text(max_size=12), st.text(max_size=12))
def test_what_differs_stands_in_each_sentence(a: str, b: str) -> None:
    one, two = differing(a, b)
    assert one in a
    assert two in b
    assert differing(b, a) == (two, one)


def test_frames_of_a_pair_are_equal() -> None:
    residence = kind("residence")
    assert frame(residence, "我住在杭州。") == frame(residence, "我住在深圳。")
    assert frame(residence, "我住在杭州，爱下棋。") != frame(residence, "我住在深圳。")


def test_clauses_and_shared_runs() -> None:
    assert clauses("外出住宿时，我偏好民宿。") == ("外出住宿时", "我偏好民宿")
    assert shared_run("我偏好先到场试用。", "先到场试用比较", "zh") == "先到场试用"
    assert shared_run("Few private rooms.", "a few private rooms with service", "en") == (
        "few private rooms"
    )
    assert shared_run("", "x", "en") == ""


@given(st.text(alphabet="好坏上下", max_size=9), st.text(alphabet="好坏上下", max_size=9))
def test_the_shared_run_is_the_first_of_the_longest(a: str, b: str) -> None:
    runs = [a[i:j] for i in range(len(a)) for j in range(i + 1, len(a) + 1) if a[i:j] in b]
    assert shared_run(a, b, "zh") == max(runs, key=len, default="")


def test_long_options_take_a_pass_a_token() -> None:
    """What compared every run of both anew would never come back."""
    assert shared_run("好" * 300, "好" * 5_000, "zh") == "好" * 300


def test_a_sentence_states_one_fact_and_is_no_essay() -> None:
    assert not_one_line("好" * MAX_CHARS) is None
    assert "longer than" in (not_one_line("好" * (MAX_CHARS + 1)) or "")


@pytest.mark.parametrize(
    "sentence", ["", " ", "a\n", " a", "a\r\nb", "a\u2028b", "a\u2029b", "a\x85b", "a\x00", "a\tb"]
)
def test_an_endpoint_is_one_line(sentence: str) -> None:
    assert not_one_line(sentence)


@pytest.mark.parametrize(
    "sentence", ["我目前常住杭州。", "a {b} %s", "👨\u200d👩\u200d👧", "\u200fא"]
)
def test_other_text_may_stand_in_an_endpoint(sentence: str) -> None:
    assert not_one_line(sentence) is None
