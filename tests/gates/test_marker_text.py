"""The marker parser, case by case and over made-up texts (SI-13)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.gates.marker import STAGES
from draligned.gates.marker_text import Encoding, MarkerProblem, MarkerReading, read_marker

XML = "<stage>completed</stage>"
JSON = '{"stage": "completed"}'
GOOD: dict[Encoding, str] = {"xml": XML, "json": JSON}
ENCODINGS: tuple[Encoding, ...] = ("xml", "json")
each_encoding = pytest.mark.parametrize("encoding", ENCODINGS)
encodings = st.sampled_from(ENCODINGS)
values = st.sampled_from(STAGES)


def marker(value: str, encoding: Encoding) -> str:
    return f"<stage>{value}</stage>" if encoding == "xml" else f'{{"stage": "{value}"}}'


def read(text: str, encoding: Encoding = "xml") -> str:
    """The value, or the problem's name."""
    reading = read_marker(text, STAGES, encoding)
    assert (reading.value is None) != (reading.problem is None)
    return reading.value or str(reading.problem)


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "好的。\n{}",
        "好的。\r\n{}",
        "好的。\r{}",
        "{}\n",
        "{}\r\n\r\n \t\n",
        "  {}\t ",
        "\u3000{}\u3000\n",
        "```\ncode\n```\n{}",
        "~~~ text\n```\n~~~\n{}",
        "``` `not a fence`\n{}",
        "the stage is completed\n{}",
        "<stages>\n{}",
    ],
)
@each_encoding
def test_accepted(frame: str, encoding: Encoding) -> None:
    assert read(frame.replace("{}", GOOD[encoding]), encoding) == "completed"


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        ("", "absent"),
        ("完成。stage: completed", "absent"),
        ("{}\n{}", "not_unique"),
        ("{} {}", "not_unique"),
        ("```\n{}\n```\n{}", "not_unique"),
        ("~~~ {}", "in_fence"),
        ("```\n{}\n```", "in_fence"),
        ("```\n{}", "in_fence"),
        ("~~~~xml\n{}\n~~~", "in_fence"),
        ("```\n{}\n```\n好的。", "in_fence"),
        ("{}\n好的。", "not_last"),
        ("{}\n.", "not_last"),
        ("{}\n\u200b", "not_last"),
        ("完成 {}", "bad_form"),
        ("{}。", "bad_form"),
        ("`{}`", "bad_form"),
        ("- {}", "bad_form"),
        ("> {}", "bad_form"),
        ("\u200b{}", "bad_form"),
        ("{}\u200b", "bad_form"),
        ("\ufeff{}", "bad_form"),
        ("\u202e{}", "bad_form"),
        ("{}\u2066", "bad_form"),
        ("{}\x00", "bad_form"),
    ],
)
@each_encoding
def test_refused_around_a_good_marker(frame: str, problem: str, encoding: Encoding) -> None:
    assert read(frame.replace("{}", GOOD[encoding]), encoding) == problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<stage>done</stage>", "unknown_value"),
        ("<stage>COMPLETED</stage>", "unknown_value"),
        ("<stage> completed </stage>", "unknown_value"),
        ("<stage></stage>", "unknown_value"),
        ("<stage>comp\u200bleted</stage>", "unknown_value"),
        ("<stage>c\u043empleted</stage>", "unknown_value"),
        ("<stage>\ufffd\ufffd</stage>", "unknown_value"),
        ("<stage>\ud83d</stage>", "unknown_value"),
        ("<stage>å®Œæˆ</stage>", "unknown_value"),
        ("<stage>completed<stage>", "not_unique"),
        ("<stage>completed", "bad_form"),
        ("completed</stage>", "bad_form"),
        ("<Stage>completed</Stage>", "bad_form"),
        ("<stage >completed</stage>", "bad_form"),
        ("< stage>completed< / stage>", "bad_form"),
        ("<stage value='completed'/>", "bad_form"),
        ("<stage>\ncompleted\n</stage>", "bad_form"),
        ("<stage>completed</stage><b>", "bad_form"),
        ("\uff1cstage\uff1ecompleted\uff1c/stage\uff1e", "bad_form"),
        ("<sta\u200bge>completed</sta\u200bge>", "bad_form"),
        ("<\u202estage>completed</stage>", "bad_form"),
        (JSON, "other_encoding"),
        (f"{JSON}\n{XML}", "not_unique"),
        (f"{XML}\n{JSON}", "not_unique"),
    ],
)
def test_refused_in_xml(text: str, problem: str) -> None:
    assert read(text) == problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{ "stage" :\t"completed" }', "completed"),
        ('{"stage": "\\u0063ompleted"}', "completed"),
        ('{"stage": "done"}', "unknown_value"),
        ('{"stage": ""}', "unknown_value"),
        ('{"stage": "completed", "note": "x"}', "bad_form"),
        ('{"stage": "completed", "stage": "completed"}', "not_unique"),
        ('{"stage": ["completed"]}', "bad_form"),
        ('{"stage": null}', "bad_form"),
        ('{"stage": 1}', "bad_form"),
        ('[{"stage": "completed"}]', "bad_form"),
        ("{'stage': 'completed'}", "bad_form"),
        ('{"stage": completed}', "bad_form"),
        ('{"stage": "completed"', "bad_form"),
        ('{"Stage": "completed"}', "bad_form"),
        ("{\u201cstage\u201d: \u201ccompleted\u201d}", "bad_form"),
        ('\uff5b"stage"\uff1a"completed"\uff5d', "bad_form"),
        (XML, "other_encoding"),
    ],
)
def test_json(text: str, problem: str) -> None:
    assert read(text, "json") == problem


def test_data_of_the_reply_is_no_second_marker() -> None:
    assert read(f'{{"stage": "seed round", "sum": 1}}\n{XML}') == "completed"


def test_a_broken_marker_is_emitted_and_none_is_not() -> None:
    assert not read_marker("完成。", STAGES, "xml").emitted
    assert read_marker("<stage>", STAGES, "xml").emitted
    assert read_marker(XML, STAGES, "xml").emitted


def test_tag_and_values_are_the_callers() -> None:
    assert read_marker("<tag>a.b</tag>", {"a.b"}, "xml", tag="tag") == MarkerReading("a.b", None)
    assert read_marker("<tag>aXb</tag>", {"a.b"}, "xml", tag="tag").value is None
    assert read_marker(XML, {"active"}, "xml").problem is MarkerProblem.UNKNOWN_VALUE


@given(st.text(), encodings)
def test_any_text_has_a_value_or_a_problem(text: str, encoding: Encoding) -> None:
    read(text, encoding)


PARTS = st.sampled_from(
    [XML, JSON, "<stage>", "</stage>", "completed", "```", "~~~~", "\n", "\r\n", " ", "\u200b",
     "\u202e", "\uff1c", "\ud800", '"stage":', "好。", "`"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=9), encodings)
def test_whatever_is_accepted_is_the_last_line_alone_and_the_only_marker(
    parts: list[str], encoding: Encoding
) -> None:
    text = "".join(parts)
    value = read_marker(text, STAGES, encoding).value
    if value is not None:
        lines = [line.strip() for line in text.replace("\r", "\n").split("\n") if line.strip()]
        assert lines[-1] == GOOD[encoding]
        assert text.count(GOOD[encoding]) == 1


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="`~<\"'"), max_size=40)
spaces = st.text(st.sampled_from(" \t\u3000"), max_size=3)
breaks = st.sampled_from(["\n", "\r\n", "\r"])


@given(words, values, encodings, spaces, breaks, st.integers(0, 3))
def test_spaces_line_ends_and_blank_lines_change_nothing(
    head: str, value: str, encoding: Encoding, space: str, end: str, blank: int
) -> None:
    text = f"{head}{end}{space}{marker(value, encoding)}{space}{(end + space) * blank}"
    assert read(text, encoding) == value


@given(values, encodings, st.integers(0, 60), st.characters(exclude_categories=["Cs"]))
def test_one_character_more_is_never_another_value(
    value: str, encoding: Encoding, place: int, char: str
) -> None:
    good = marker(value, encoding)
    place = min(place, len(good))
    found = read_marker(good[:place] + char + good[place:], STAGES, encoding).value
    assert found in (None, value)


@given(values, values, encodings, breaks)
def test_two_markers_are_none(one: str, two: str, encoding: Encoding, end: str) -> None:
    text = marker(one, encoding) + end + marker(two, encoding)
    assert read_marker(text, STAGES, encoding).problem is MarkerProblem.NOT_UNIQUE
