"""Stage tags taken out of texts: whatever form they came in, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.gates.marker_strip import strip_markers
from draligned.gates.marker_text import read_marker
from draligned.schema.progress import WORK_VALUES
from draligned.verify.tags import without_tags

TAG = "<stage>drafting</stage>"


def strip(text: str) -> tuple[str, int]:
    return tuple(strip_markers(text, WORK_VALUES))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("text", "left", "n_tags"),
    [
        ("报告。\n\n" + TAG, "报告。", 1),
        ("报告。\n\n" + TAG + "\n", "报告。", 1),
        (TAG + "\n\n报告。", "\n报告。", 1),
        ("一。\n" + TAG + "\n二。", "一。\n二。", 1),
        ("一。\r\n" + TAG + "\r\n二。", "一。\r\n二。", 1),
        ("一" + TAG + "二", "一二", 1),
        (TAG, "", 1),
        (f"a\n{TAG}\n{TAG}", "a", 2),
        ("杭州 演讲 <STAGE>Drafting</Stage>", "杭州 演讲", 1),
        ("报告\n＜ｓｔａｇｅ＞ｄｒａｆｔｉｎｇ＜／ｓｔａｇｅ＞", "报告", 1),
        ("报告\n<st\u200bage>drafting</stage>", "报告", 1),
        ("报告\n<stage>什么也没有</stage>", "报告", 1),
        ("报告\n**" + TAG + "**", "报告", 1),
        ("报告\n`" + TAG + "`", "报告", 1),
        ("报告\n<stage>drafting", "报告", 1),
        ("报告\ndrafting</stage>", "报告\ndrafting", 1),
        ("报告\n</stage>", "报告", 1),
        ("报告\n<stage", "报告", 1),
        ("报告\n< stage >acquiring< / stage >", "报告", 1),
        ('报告\n{"stage": "drafting"}', "报告", 1),
        ('报告\n{“stage”："drafting"}', "报告", 1),
        ("报告\n&lt;stage&gt;drafting&lt;/stage&gt;", "报告", 1),
        ("https://a.example/?q=x%3Cstage%3Edrafting%3C%2Fstage%3E", "https://a.example/?q=x", 1),
        ("<sta" + TAG + "ge>x</stage>y", "xy", 3),
        ("报告\n&#60;stage&#62;drafting&#x3C;/stage&#x3e;", "报告", 1),
        ("报告\n\\u003cstage\\u003edrafting\\u003c\\/stage\\u003e", "报告", 1),
        ("报告 <stage\u0301>", "报告", 1),
        ("报告\n〈stage〉drafting〈/stage〉", "报告", 1),
        ("报告\n⟨stage⟩drafting‹/stage›", "报告", 1),
    ],
)
def test_a_tag_goes_with_its_line(text: str, left: str, n_tags: int) -> None:
    assert strip(text) == (left, n_tags)


@pytest.mark.parametrize(
    "text",
    [
        "", "stage 1: drafting", "<stages>x</stages>", "<stage-left>x</stage-left>", "a < stage2",
        '{"stage": "seedling"}', "the early stage < later ones > it", "backstage</backstage>",
        "一\n\n\n二  \n",
    ],
)  # fmt: skip
def test_what_is_no_tag_stays(text: str) -> None:
    assert strip(text) == (text, 0)


def test_values_are_compared_as_tags_are() -> None:
    for text in ("报告\n<stage>NEEDS_INFO", '报告\n{"stage": "Needs_Info"}'):
        assert strip_markers(text, ["NEEDS_INFO"]) == ("报告", 1)


def test_a_tag_around_a_whole_report_leaves_the_report() -> None:
    report = "报告" * 80
    assert strip(f"<stage>{report}</stage>") == (report, 2)


@pytest.mark.parametrize("deep", [2, 19, 20, 21, 3000])
def test_however_deep_tags_are_nested_none_is_left(deep: int) -> None:
    text = "报告" + "<" * deep + "stage>" * deep + "完"
    left, n_tags = strip(text)
    assert left == without_tags(text)[0]
    assert strip(left) == (left, 0)
    assert left.startswith("报告")
    assert left.endswith("完")
    assert n_tags == min(deep, 20)


PIECES = st.sampled_from(
    [
        "<stage>", "</stage>", "<", ">", "/", "stage", "drafting", "submitted", "\n", "\r\n", " ",
        "＜", "ＳＴＡＧＥ", "＞", "／", '{"stage": "acquiring"}', '{"stage":', '"drafting"}',
        "报告",
        "*", "`", "&lt;", "&#60;", "\\u003c", "〈", "›", "\u0301", "\u0338", "%3e",
        "\u200b", "x", "-", "_", "ﬆage", "\u3000", "ſtage",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join)


@settings(deadline=None)
@given(TEXTS)
def test_nothing_that_looks_like_a_tag_is_left(text: str) -> None:
    left, n_tags = strip(text)
    reading = read_marker(left, WORK_VALUES, "xml")
    assert not reading.emitted or '"stage"' in left.replace(" ", "")
    assert strip(left) == (left, 0)
    assert (n_tags == 0) == (left == text)


@settings(deadline=None)
@given(TEXTS | st.text(max_size=60))
def test_the_second_path_strips_alike(text: str) -> None:
    assert without_tags(text) == strip(text)
