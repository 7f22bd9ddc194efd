"""Drafts beside finals, delegation, interfaces and starts, as the page shows them."""

from dataclasses import replace

import pytest

from draligned.report.data import ReportData, Wire
from draligned.report.drafts import delegation_of, drafts_of
from draligned.report.interfaces import interfaces_of
from draligned.report.page import render_report
from draligned.report.texts import load_texts

from . import html
from .made import data_of
from .world import READER, World

EN, ZH = load_texts("en"), load_texts("zh")
FAMILY = World(
    tasks=2, models=("m",), harnesses=("coupled", "H-W", "H-D"), saved=("H-W", "H-D"),
    delegating=("H-D",),
)  # fmt: skip


@pytest.fixture(scope="module")
def family() -> ReportData:
    return data_of(FAMILY)


@pytest.fixture(scope="module")
def page(family: ReportData) -> str:
    return render_report(family)


def test_persistence_is_refused_with_its_reason_in_both_languages(family: ReportData) -> None:
    found = {(r.harness, r.model): r for r in drafts_of(family, EN)}
    assert found["H-W", "all models"].persistence == "refused: the saved file itself is submitted"
    assert found["coupled", "m"].persistence == "not measured here"
    assert [r.refused for r in found.values()] == [True, True, True, True, False, False]
    assert "拒绝给出：提交的就是保存的文件本身" in {r.persistence for r in drafts_of(family, ZH)}


def test_all_models_stand_before_each_model(family: ReportData) -> None:
    rows = [(r.harness, r.model) for r in drafts_of(family, EN)]
    assert rows[:2] == [("H-D", "all models"), ("H-D", "m")]


def test_offered_and_invoked_stand_apart(family: ReportData) -> None:
    rows = {r.harness: r for r in delegation_of(family, EN) if r.model == "m"}
    assert (rows["H-D"].offered, rows["H-W"].offered) == ("yes", "no")
    assert rows["H-D"].invoked.replace("\u00a0", " ") == "4/4 (100.0 %)"
    assert rows["H-D"].requests.replace("\u00a0", " ") == "4/16 (25.0 %)"


def test_signs_stand_side_by_side_and_claim_nothing(family: ReportData, page: str) -> None:
    found = interfaces_of(family, READER, EN)
    assert found is not None
    assert [r.title for r in found.rows] == ["H-D", "H-W", "coupled"]
    assert {s.sign for r in found.rows for s in r.signs} == {"positive"}
    section = html.text(html.sections(page)["interfaces"])
    assert "like signs establish neither equivalence nor delegated execution" in section
    assert "p 0" not in section
    assert "API style, so" not in section


def test_one_harness_has_nothing_beside_it(small: ReportData, small_page: str) -> None:
    assert interfaces_of(small, READER, EN) is None
    assert "interfaces" not in html.sections(small_page)


def test_another_api_style_is_said(family: ReportData) -> None:
    wires = (
        Wire(harness="H-W", api="responses", streamed=True),
        Wire(harness="coupled", api="chat", streamed=False),
    )
    found = interfaces_of(replace(family, wires=wires), READER, EN)
    assert found is not None
    assert [r.wire for r in found.rows] == ["", "responses, streamed", "chat completions"]
    page = render_report(replace(family, wires=wires))
    assert "not all run over one API style" in html.text(html.sections(page)["interfaces"])


@pytest.mark.parametrize("flat", [True, False])
def test_a_sign_without_a_value_says_why(family: ReportData, flat: bool) -> None:
    data = data_of(replace(FAMILY, flat=flat, tasks=1))
    found = interfaces_of(data, READER, EN)
    assert found is not None
    first = found.rows[0].signs[0]
    assert (first.sign, first.interval) == ("zero" if flat else "positive", "no interval")
    estimates = data.tables["estimates"]
    gone = estimates.assign(value=None, reason="empty")
    found = interfaces_of(replace(data, tables={"estimates": gone}), READER, EN)
    assert found is not None
    assert found.rows[0].signs[0].sign == "no value: nothing is readable (n = 0)"


def test_starts_are_shown_before_anything_is_read(family: ReportData) -> None:
    block = family.blocks[0].model_copy(update={"censored": 3, "started": 4, "stored": 2})
    data = replace(family, evaluators=(), tables={}, blocks=(block,))
    section = html.sections(render_report(data))["flow"]
    (table,) = html.find(section, "starts")
    cells = [html.text(cell) for cell in table.xpath(".//tbody//td")]
    assert cells[3:11] == ["pairs", "4", "4", "4", "0", "3", "0", "2"]
    assert "nothing is pooled over studies" in html.text(section)


def test_development_is_stamped_where_it_was_taken_in() -> None:
    data = data_of(replace(FAMILY, development=("H-D",)))
    stamped = tuple(b.model_copy(update={"development": b.harness == "H-D"}) for b in data.blocks)
    page = render_report(replace(data, blocks=stamped))
    assert "Harnesses for development only were taken in, as study.toml asks: H-D." in page
    assert "Harness H-D (development only)" in html.text(html.sections(page)["results"])
    assert "H-D (development only)" in html.text(html.sections(page)["interfaces"])
    assert "Harness H-W (development only)" not in page


def test_what_was_left_out_is_said_in_a_line(family: ReportData, page: str) -> None:
    assert html.find(page, "left-out") == []
    apart = family.blocks[0].model_copy(update={"harness": "handoff-aw", "planned": 8})
    told = render_report(replace(family, left_out=(apart,)))
    (line,) = html.find(told, "left-out")
    assert html.text(line) == (
        "8 planned runs of development-only harnesses (handoff-aw) were left out of reads, tables "
        "and this page."
    )


def test_the_page_of_many_harnesses_is_sound(page: str) -> None:
    assert html.nesting_faults(page) == []
    links = {link[1:] for link in html.parse(page).xpath("//nav/a/@href")}
    assert {"drafts", "interfaces"} <= links <= set(html.sections(page))


@pytest.mark.parametrize(
    ("ends", "cautious", "said"),
    [
        ((0.1, 0.3), None, "interval excludes 0"),
        ((-0.1, 0.3), None, "interval covers 0"),
        ((0.0, 0.3), None, "interval covers 0"),
        ((1.0, 1.0), (-0.1, 1.0), "interval covers 0"),
        ((1.0, 1.0), (0.2, 1.0), "interval excludes 0"),
    ],
)
def test_where_the_interval_lies_is_said_and_one_without_width_is_no_certainty(
    family: ReportData,
    ends: tuple[float, float],
    cautious: tuple[float, float] | None,
    said: str,
) -> None:
    union = cautious or ends
    estimates = family.tables["estimates"].assign(
        ci_lo=ends[0], ci_hi=ends[1], ci_union_lo=union[0], ci_union_hi=union[1], degenerate=False
    )
    found = interfaces_of(replace(family, tables={"estimates": estimates}), READER, EN)
    assert found is not None
    assert {s.interval for r in found.rows for s in r.signs} == {said}
