"""A large study's page stays small, and says what is not on it."""

from dataclasses import replace

import pandas as pd
import pytest

from draligned.report import page as page_of
from draligned.report.data import ReportData
from draligned.report.page import render_report
from draligned.report.pictures import STEPS
from draligned.report.runs import ENTRIES
from draligned.report.sheets import shelves_of
from draligned.report.texts import load_texts
from draligned.schema.registers import Correction, Line, Said, Standing

from . import html
from .made import data_of
from .world import READER, World


def test_pairs_beyond_the_page_keep_their_picture_and_say_so(
    small: ReportData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_of, "PAIRS_LISTED", 2)
    monkeypatch.setattr(page_of, "PAIRS_DRAWN", 3)
    page = render_report(small)
    pairs = [e for e in html.find(page, "pair") if e.tag == "details"]
    assert len(pairs) == 6, "none is left out"
    assert [bool(html.find(p, "events")) for p in pairs] == [True, True, *[False] * 4]
    assert [len(html.find(p, "trajectory")) for p in pairs] == [1, 1, 1, 0, 0, 0]
    assert all("draligned view" in html.text(p) for p in pairs[2:])
    assert html.nesting_faults(page) == []
    ids = set(html.parse(page).xpath("//@id"))
    assert {a.removeprefix("#") for a in html.parse(page).xpath("//a/@href")} <= ids


def test_a_run_of_many_events_is_listed_and_drawn_in_part() -> None:
    page = render_report(data_of(World(tasks=1, models=("m",), requests=450)))
    (pair,) = [e for e in html.find(page, "pair") if e.tag == "details"]
    rows = pair.xpath(".//table[contains(@class, 'events')]/tbody/tr")
    assert len(rows) == 2 * ENTRIES
    assert len(html.find(pair, "step")) == 2 * STEPS
    assert html.text(pair).count("54 more entries of this run are not listed here") == 2
    assert "Steps 1 to 150 of 452 are drawn." in html.text(pair)
    ids = set(html.parse(page).xpath("//@id"))
    assert {a.removeprefix("#") for a in html.parse(page).xpath("//a/@href")} <= ids


def test_a_correction_of_the_study_stands_on_the_page(small: ReportData) -> None:
    entry = Correction(
        id="late-fix",
        title=Said(zh="迟到的修正", en="A late fix"),
        text=Said(zh="路由有误。", en="The route was <b>wrong</b>."),
        standing=(Standing.WITHDRAWN,),
    )
    line = Line(seq=1, added_utc="2026-01-02T00:00:00+00:00", parent=None, entry=entry)
    said = html.text(
        html.sections(render_report(replace(small, corrections=(line,))))["corrections"]
    )
    assert "A late fix WITHDRAWN" in said
    assert "The route was <b>wrong</b>." in said
    none = html.text(html.sections(render_report(small))["corrections"])
    assert "None were entered for this study." in none


def test_a_share_stands_beside_its_interval_as_a_picture(small: ReportData) -> None:
    rows = pd.DataFrame(
        {
            "evaluator": [READER], "harness": "coupled", "model": "all", "comparison": "between",
            "n_both": 3, "n_units": 4, "both_lo": 0.5, "both_hi": 1.0, "null_share": 0.4,
            "null_p": 0.1, "n_uncertain": 0, "n_unassigned": 0, "n_requests": 9, "n_tasks": 2,
            "status": "ok", "reason": None,
        }
    )  # fmt: skip
    data = replace(small, tables={**small.tables, "agenda": rows})
    shelf = next(s for s in shelves_of(data, READER, load_texts("en")) if s.id == "panels")
    (strips,) = shelf.sheets[0].strips
    (drawn,) = strips.values()
    assert 'cx="61.5"' in drawn, "3 + 0.75 × 78"
    assert "M34.2 1v12" in drawn, "the null: 3 + 0.4 × 78"
