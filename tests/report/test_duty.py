"""The section on stage tags: words, numbers and pictures from tables known by hand."""

from dataclasses import replace

import pandas as pd
import pytest

from draligned.progress.duty import duty_turns
from draligned.progress.duty_tables import build
from draligned.report.data import ReportData
from draligned.report.duty import STRIPS, duty_of
from draligned.report.page import render_report
from draligned.report.terminal import claim_line
from draligned.report.texts import load_texts
from draligned.schema.design import Lang
from draligned.schema.progress import Layer
from tests.progress.test_duty import WHOLE, run

TURNS = duty_turns(WHOLE)


def of(data: ReportData, lang: Lang = "en", **tables: pd.DataFrame) -> ReportData:
    return replace(data, lang=lang, tables={**data.tables, **tables})


@pytest.fixture
def tagged(small: ReportData) -> ReportData:
    return of(small, **build([run("a" * 16, TURNS), run("b" * 16, TURNS[:2], model="n")]))


def test_no_duty_no_section(small: ReportData) -> None:
    assert duty_of(small, load_texts("en")) is None
    assert 'id="duty"' not in render_report(small)


def test_counts_stand_by_true_stage_all_of_them_first(tagged: ReportData) -> None:
    view = duty_of(tagged, load_texts("en"))
    assert view is not None
    mine = [line for line in view.layers if line.model == "m"]
    assert [line.head[0] for line in mine] == [
        "all", "nothing acquired", "acquiring", "drafting", "submitted",
    ]  # fmt: skip
    assert mine[0].cells == ("6", "2/6 (33.3\u00a0%)", "0", "1", "1", "2", "2", "1", "0")
    assert mine[0].strong
    assert view.n_tags == "4"


def test_first_claims_and_changes(tagged: ReportData) -> None:
    view = duty_of(tagged, load_texts("en"))
    assert view is not None
    first = {(line.model, line.head[0]): line.cells for line in view.first}
    assert first["m", "drafting"] == ("0", "1", "0", "0", "0", "0", "−2 … −2")
    assert first["m", "submitted"] == ("0", "0", "0", "1", "0", "0", "none")
    changes = {line.head: line.cells for line in view.changes if line.model == "m"}
    assert changes == {
        ("nothing acquired", "acquiring"): ("1", "1", "0", "0", "0"),
        ("acquiring", "drafting"): ("1", "0", "0", "0", "1"),
        ("drafting", "submitted"): ("1", "0", "0", "0", "1"),
    }


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_strips_have_both_lanes_and_say_what_is_off(tagged: ReportData, lang: Lang) -> None:
    page = render_report(replace(tagged, lang=lang))
    texts = load_texts(lang)
    assert page.count('role="img" width') >= 2
    letters = "NNAADS" if lang == "en" else "无无查查写交"
    claims = "NADA–?" if lang == "en" else "无查写查–?"
    svg = next(part for part in page.split("<svg") if "a" * 16 in part.split(">")[0])
    cells = [part.split("<")[0] for part in svg.split('class="in-')[1:]]
    shown = [cell.rsplit(">", 1)[1] for cell in cells]
    assert "".join(shown[0::2]) == letters
    assert "".join(shown[1::2]) == claims
    assert svg.count("▲") == 2
    label = svg.split('aria-label="')[1].split('"')[0]
    assert texts.word("duty_stage", "no_tag") in label
    assert "StageIF" in page


def test_more_runs_than_are_drawn_are_counted(small: ReportData) -> None:
    runs = [run(f"{n:016x}", TURNS[:1]) for n in range(STRIPS + 3)]
    view = duty_of(of(small, **build(runs)), load_texts("zh"))
    assert view is not None
    (strips,) = view.strips
    assert (len(strips.runs), strips.left_out) == (STRIPS, 3)


def test_names_are_text(small: ReportData) -> None:
    evil = "<script>alert(1)</script>"
    page = render_report(of(small, **build([run("c" * 16, TURNS, model=evil)])))
    assert evil not in page


def test_claim_lines() -> None:
    assert [claim_line(t) for t in TURNS][1:3] == [
        "turn 2: claims acquiring; the log shows nothing_acquired "
        "(wrong_value, ahead of the log, made true by its own calls)",
        "turn 3: claims drafting; the log shows acquiring (wrong_value, ahead of the log)",
    ]
    assert claim_line(TURNS[4]).endswith(
        "claims nothing; the log shows drafting (omission, absent)"
    )
    lost = TURNS[0].model_copy(update={"layer": Layer.TRANSPORT, "claimed": None})
    assert "(transport)" in claim_line(lost)
