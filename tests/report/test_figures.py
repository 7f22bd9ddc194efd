"""Pictures: every panel on its own range, everything said in words too."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from draligned.report import figures
from draligned.report.figures import Interval, interval_panel

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


NARROW = replace(DRAWN, value=0.17, interval=(0.13, 0.21), sharp=(0.1, 0.2), enlarged="enlarged")


def test_a_narrow_interval_is_drawn_again_enlarged() -> None:
    """Width 0.08 of 4: the least round step from half of it is 0.05, about the middle 0.17."""
    root = svg(interval_panel(NARROW))
    words = [t.text for t in root.iter("text")]
    assert words[:5] == ["−2", "−1", "0", "+1", "+2"]
    assert words[5:] == ["enlarged", "+0.05", "+0.1", "+0.15", "+0.2", "+0.25"]
    near = root.findall("circle")[1]
    assert float(near.get("cx", "")) == pytest.approx(18 + 0.12 / 0.2 * 324, abs=0.1)
    assert len(root.findall("rect[@class='sharp']")) == 2


def test_what_an_enlarged_part_does_not_hold_has_no_cap_there() -> None:
    root = svg(interval_panel(replace(NARROW, cautious=(-1.0, 0.22))))
    whole, near = (p.get("d", "") for p in root.findall("path[@class='cautious']"))
    assert whole.count("v18") == 2
    assert near.count("v18") == 1


@pytest.mark.parametrize("interval", [(0.0, 0.32), (0.17, 0.17), None])
def test_a_wide_or_missing_interval_is_drawn_once(interval: tuple[float, float] | None) -> None:
    root = svg(interval_panel(replace(NARROW, interval=interval)))
    assert root.find("text[@class='lens']") is None
    assert root.get("class") == "panel"


@given(
    st.floats(-1, 1),
    st.floats(0.0005, 0.15),
    st.sampled_from([(-2.0, 2.0), (-1.0, 1.0), (0.0, 1.0)]),
)
def test_an_enlarged_part_holds_its_interval_and_stays_in_the_range(
    middle: float, width: float, ends: tuple[float, float]
) -> None:
    low = min(max(middle, ends[0]), ends[1] - width)
    made = replace(NARROW, low=ends[0], high=ends[1], value=low, interval=(low, low + width))
    scale = figures._window(made)
    if scale is None:
        assert width >= 0.08 * (ends[1] - ends[0]) - 1e-9
    else:
        assert ends[0] - 1e-9 <= scale.low <= low + 1e-9
        assert low + width - 1e-9 <= scale.high <= ends[1] + 1e-9


def test_caps_stand_out_above_and_below_the_dot() -> None:
    root = svg(interval_panel(DRAWN))
    dot = root.find("circle")
    assert dot is not None
    assert float(dot.get("r", "")) * 2 < 2 * figures.CAP
    whisker = root.find("path[@class='interval']")
    assert whisker is not None
    assert whisker.get("d", "").count(f"v{2 * figures.CAP}") == 2


def test_what_is_missing_is_not_drawn() -> None:
    bare = replace(DRAWN, value=None, interval=None, coarse=None, sharp=None)
    root = svg(interval_panel(bare))
    assert root.find("circle") is None
    assert root.find("rect") is None
    assert root.find("path[@class='interval']") is None
