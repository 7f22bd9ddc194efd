"""Forests: every task of the design once, in its order, and the mean below."""

from dataclasses import replace

from lxml import html

from draligned.report.data import ReportData
from draligned.report.forest import Bar, forest, forests_of
from draligned.report.texts import load_texts

from .html import find, text
from .world import READER

EN = load_texts("en")


def test_a_forest_has_every_task_and_the_mean(small: ReportData) -> None:
    found = forests_of(small, READER, "coupled", EN)
    assert list(found) == ["D_A", "D_F"]
    root = html.fragment_fromstring(str(found["D_F"].figure))
    assert [text(e) for e in find(root, "name")] == ["1 Career", "2 Career", "3 Career", "mean"]
    # Task 2: one of its two pairs has a failed P run (see test_boxes).
    assert [text(e) for e in find(root, "count")] == ["2/2", "1/2", "2/2", "5/6"]


def test_the_axis_is_the_quantitys_own_and_says_what_part_is_drawn() -> None:
    bars = [Bar(name="1", value=0.2, span=(0.1, 0.3), readable="1/1")]
    ticks = [
        e.text for e in html.fragment_fromstring(str(forest(bars, 0.5, "t", "d"))).iter("text")
    ]
    assert ticks[:5] == ["−0.5", "−0.25", "0", "+0.25", "+0.5"]


def test_a_task_without_value_has_its_bounds_alone() -> None:
    bar = Bar(name="1", value=None, span=(-1.0, 1.0), readable="0/2")
    root = html.fragment_fromstring(str(forest([bar], 1.0, "t", "d")))
    assert find(root, "value") == []
    assert len(find(root, "span")) == 1


def test_no_tasks_no_forest(small: ReportData) -> None:
    tables = {k: v for k, v in small.tables.items() if k != "tasks"}
    assert forests_of(replace(small, tables=tables), READER, "coupled", EN) == {}
