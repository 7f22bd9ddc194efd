"""The report in a real browser: it loads nothing, runs nothing, and is reached by keyboard."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from draligned import api
from draligned.report.page import render_report
from tests.report.made import data_of
from tests.report.world import World

from .conftest import Tab

pytestmark = pytest.mark.browser

OpenTab = Callable[..., Tab]
Axe = Callable[[Any], None]
SETTINGS = """\
name = "four tasks"
[construction]
tasks = 4
two_factor = 1
[controls]
aa_share = 0.5
placebo_share = 0.5
[measure]
draws = 200
"""
HOSTILE = (
    "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
    "[x](javascript:window.hacked=1)\u202e{{ 7*7 }}</title></svg><!--"
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of a rehearsal study, in both languages."""
    root = tmp_path_factory.mktemp("report") / "study"
    root.mkdir()
    (root / "study.toml").write_text(SETTINGS, encoding="utf-8")
    study, out = api.open(root), {}
    study.construct()
    study.run()
    study.evaluate(mirrored=True)
    for lang in ("zh", "en"):
        page = study.report(lang=lang)
        out[lang] = page.rename(root / f"{lang}.html")
    return out


def opened(page: Any) -> None:
    """Everything that can be opened, opened."""
    page.eval_on_selector_all("details", "all => all.forEach(d => { d.open = true })")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_it_opens_loads_nothing_and_fits_a_phone(
    lang: str, pages: dict[str, Path], tab: OpenTab, screenshot: Callable[..., None]
) -> None:
    page = tab().page
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.goto(pages[lang].as_uri())
    assert asked == [pages[lang].as_uri()]
    assert page.locator("h1").inner_text()
    screenshot(page, f"report-{lang}")
    page.evaluate("document.getElementById('transitions').scrollIntoView({ behavior: 'instant' })")
    screenshot(page, f"report-transitions-{lang}")
    phone = tab(width=390, height=844).page
    phone.goto(pages[lang].as_uri())
    opened(phone)
    wide = phone.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    screenshot(phone, f"report-phone-{lang}")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_step_reached_by_keyboard_shows_its_words(
    lang: str, pages: dict[str, Path], tab: OpenTab, screenshot: Callable[..., None]
) -> None:
    page = tab(java_script_enabled=False).page  # no script anywhere: focus alone shows the tip
    page.goto(pages[lang].as_uri())
    page.locator("details.pair > summary").first.focus()
    page.keyboard.press("Enter")
    for _ in range(3):  # the region that scrolls, then the first two marks
        page.keyboard.press("Tab")
    tips = page.locator("details.pair").first.locator(".tip")
    visible = [k for k in range(tips.count()) if tips.nth(k).is_visible()]
    assert visible == [1]
    page.locator("details.pair").first.scroll_into_view_if_needed()
    screenshot(page, f"report-pair-{lang}")
    page.keyboard.press("Enter")
    page.locator("tr:target").wait_for()
    assert page.locator("tr:target").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_serious_stands_in_anyones_way(
    scheme: str, width: int, pages: dict[str, Path], tab: OpenTab, axe: Axe
) -> None:
    page = tab(width=width, color_scheme=scheme, bypass_csp=True).page
    page.goto(pages["zh"].as_uri())
    opened(page)
    axe(page)


def test_hostile_words_stay_words(tmp_path: Path, tab: OpenTab) -> None:
    wild = World(
        tasks=1,
        models=("m",),
        name=HOSTILE,
        request_text=HOSTILE,
        final_text=HOSTILE + "y" * 1_000_000,
        endpoint=HOSTILE,
    )
    data = data_of(wild)
    path = tmp_path / "hostile.html"
    path.write_text(render_report(replace(data, lang="zh")), encoding="utf-8")
    page = tab().page
    page.goto(path.as_uri())
    opened(page)
    assert page.evaluate("window.hacked === undefined")
    assert page.locator("script, img, iframe, a[href^='javascript']").count() == 0
    assert HOSTILE.split("\u202e")[0] in page.locator("h1").inner_text()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_nothing_is_wider_than_a_sheet_of_paper(
    lang: str, pages: dict[str, Path], tab: OpenTab
) -> None:
    """A4 less its margins, with everything opened, on a machine that is set to dark."""
    page = tab(width=702, color_scheme="dark").page
    page.goto(pages[lang].as_uri())
    opened(page)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 702
    dark = page.evaluate("getComputedStyle(document.body).color.match(/\\d+/g).map(Number)")
    assert max(dark) < 80


def test_it_prints_what_is_open_and_every_table(pages: dict[str, Path], tab: OpenTab) -> None:
    page = tab().page
    page.goto(pages["en"].as_uri())
    tables = page.eval_on_selector_all("details[data-table] > summary", "all => all.length")
    printed = PdfReader(BytesIO(page.pdf(format="A4", prefer_css_page_size=True)))
    sheets = [" ".join(p.extract_text().split()) for p in printed.pages]
    assert "D_A" in sheets[0]  # the first box stands on the first sheet, not after an empty one
    assert min(len(s) for s in sheets[:-1]) > 200
    whole = " ".join(sheets)
    assert tables > 10
    assert "counter-dropout: other" in whole  # inside a part that is folded on the screen
    assert "Folded parts are not printed" in whole
    assert page.locator("details.pair").count() > 2
    assert page.locator("details.pair > summary code").first.inner_text() not in whole


def test_a_notebook_shows_a_pair(pages: dict[str, Path], tab: OpenTab, tmp_path: Path) -> None:
    study = api.open(pages["zh"].parent)
    shown = study.trajectory(study.table("pairs")["pair_id"].iloc[0])
    path = tmp_path / "cell.html"
    path.write_text("<meta charset=utf-8>" + shown._repr_html_(), encoding="utf-8")
    page = tab().page
    page.goto(path.as_uri())
    mark = page.locator(".step").first
    mark.locator(".mark").hover()
    assert mark.locator(".tip").is_visible()
    assert len(shown.frame()) == page.locator(".step").count()
