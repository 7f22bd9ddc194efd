"""Pictures: every panel on its own range, everything said in words too."""

from dataclasses import replace

from lxml import etree

from draligned.report.figures import Interval, Mark, interval_panel, lane

DRAWN = Interval(
    low=-2.0, high=2.0, value=0.5, interval=(0.25, 1.0), cautious=None, coarse=(-1.0, 1.5),
    sharp=(0.0, 1.0), label="D_A; +0.500",
)  # fmt: skip


def svg(markup: str) -> etree._Element:
    return etree.fromstring(markup)


def test_value_and_bands_stand_where_the_range_puts_them() -> None:
    root = svg(interval_panel(DRAWN))
    dot = root.find("circle")
    assert dot is not None
    assert float(dot.get("cx", "")) == 18 + (0.5 + 2) / 4 * 324
    coarse = root.find("rect[@class='coarse']")
    assert coarse is not None
    assert float(coarse.get("x", "")) == 18 + (-1.0 + 2) / 4 * 324
    assert root.get("aria-label") == "D_A; +0.500"


def test_ticks_are_those_of_the_quantity() -> None:
    a = [t.text for t in svg(interval_panel(DRAWN)).iter("text")]
    f = [t.text for t in svg(interval_panel(replace(DRAWN, low=-1.0, high=1.0))).iter("text")]
    assert a == ["−2", "−1", "0", "+1", "+2"]
    assert f == ["−1", "−0.5", "0", "+0.5", "+1"]


def test_what_is_missing_is_not_drawn() -> None:
    bare = replace(DRAWN, value=None, interval=None, coarse=None, sharp=None)
    root = svg(interval_panel(bare))
    assert root.find("circle") is None
    assert root.find("rect") is None
    assert root.find("path[@class='interval']") is None


def test_lane_has_a_letter_for_every_label() -> None:
    labels = ["P_ONLY", "Q_ONLY", "BOTH", "NEITHER", "UNKNOWN"]
    marks = [Mark(shape="request", label=name, about=name) for name in labels]
    marks.append(Mark(shape="final", label="P_ONLY", about="<b>&"))
    root = svg(lane(marks, "run"))
    assert [t.text for t in root.iter("text")] == ["P", "Q", "PQ", "–", "?", "P"]
    assert [t.text for t in root.iter("title")][-1] == "<b>&"


def test_a_lane_of_nothing_is_a_picture() -> None:
    assert svg(lane([], "empty")).get("aria-label") == "empty"
