"""The viewer in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draligned import api
from draligned.schema.labels import Side
from draligned.view.app import make_app
from draligned.view.index import pair_id
from tests.view import long, studies
from tests.view.many import grow

from .conftest import Served, Tab, follow

pytestmark = pytest.mark.browser

OpenTab = Callable[..., Tab]
Serve = Callable[..., Served]
Axe = Callable[[Any], None]
HOSTILE = "window.hacked === undefined"


@pytest.fixture(scope="package")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that was run, read and measured."""
    return studies.finished(tmp_path_factory.mktemp("view") / "finished", "zh")


@pytest.fixture(scope="package")
def hostile(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A study with a hostile run: its folder, the run and its pair."""
    root = studies.copy(finished, tmp_path_factory.mktemp("hostile") / "hostile")
    cell = studies.hostile(root)
    return root, cell.run_id, pair_id(cell) or ""


@pytest.fixture
def enter(tab: OpenTab, serve: Serve) -> Callable[..., tuple[Any, str]]:
    """Opens a viewer over a study in a new tab: the page and the root address."""

    def entered(root: Path, lang: Any = None, **options: Any) -> tuple[Any, str]:
        served = serve(make_app(root, lang=lang))
        page = tab(**options).page
        page.goto(served.entry)
        page.wait_for_url(f"{served.base}/")
        return page, served.base

    return entered


def pages_of(root: Path) -> list[str]:
    """One address of every sort."""
    study = api.open(root)
    cells = study.cells()
    readings = study.readings()
    units = {u.kind: u.packet_id for u in readings.units}
    final = next(r for r in study.observed() if r.final)
    assert final.final is not None
    return [
        "/",
        "/runs",
        f"/runs/{cells[0].run_id}",
        f"/runs/{final.run_id}/documents/{final.final.seq}",
        f"/pairs/{pair_id(cells[0])}",
        "/reads",
        f"/reads/{units['requests']}",
        f"/reads/{units['document']}",
        "/tables",
        "/tables/pairs",
        f"/blobs/{final.final.text_sha256}",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_open_without_errors_and_without_serious_violations(
    finished: Path, enter: Callable[..., tuple[Any, str]], axe: Axe, scheme: str
) -> None:
    page, base = enter(finished, color_scheme=scheme)
    for path in pages_of(finished):
        answer = page.goto(base + path)
        assert answer.status == 200, path
        axe(page)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_nothing_is_wider_than_a_phone(
    finished: Path, enter: Callable[..., tuple[Any, str]], lang: str
) -> None:
    page, base = enter(finished, lang, width=390, height=844)
    for path in pages_of(finished):
        page.goto(base + path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, path


def test_filters_are_permalinks_and_work_without_scripts(
    finished: Path, enter: Callable[..., tuple[Any, str]]
) -> None:
    page, base = enter(finished, "en", java_script_enabled=False)
    page.goto(f"{base}/runs")
    assert page.locator("tbody tr").count() == 4
    page.get_by_label("Arm").select_option("Q")
    follow(page, page.get_by_role("button", name="Show"))
    assert "arm=Q" in page.url
    assert page.locator("tbody tr").count() == 2
    assert page.locator("tbody .side").all_inner_texts() == ["Q", "Q"]
    there = page.url
    page.goto(f"{base}/")
    page.goto(there)
    assert page.get_by_label("Arm").input_value() == "Q"
    assert page.locator("tbody tr").count() == 2
    follow(page, page.get_by_role("link", name="show all"))
    assert page.locator("tbody tr").count() == 4
    page.goto(f"{base}/runs?model=nobody")
    assert page.locator("tbody tr").count() == 0
    assert page.get_by_label("Model").input_value() == "nobody"


def test_from_the_list_to_a_run_to_its_pair_to_a_packet(
    finished: Path, enter: Callable[..., tuple[Any, str]]
) -> None:
    page, base = enter(finished, "en")
    follow(page, page.get_by_role("link", name="Runs", exact=True))
    run_id = page.locator("tbody a").first.inner_text()
    follow(page, page.locator("tbody a").first)
    assert page.url == f"{base}/runs/{run_id}"
    assert page.locator("h1").inner_text() == f"Run {run_id}"
    follow(page, page.locator("table.tally tbody a").first)
    assert page.locator("h1").inner_text().startswith("Packet ")
    heads = page.locator("table.sides thead th").all_inner_texts()
    assert len({h.split("ALPHA = ")[1] for h in heads[1:3]}) == 2
    follow(page, page.locator(".run-line a"))
    assert page.url.split("?")[0] == f"{base}/runs/{run_id}"
    follow(page, page.get_by_role("link", name="compare P and Q"))
    assert [h.split()[0] for h in page.locator(".halves > section > h2").all_inner_texts()] == [
        "P",
        "Q",
    ]


def test_marks_of_the_picture_lead_to_events_of_their_own_run(
    finished: Path, enter: Callable[..., tuple[Any, str]]
) -> None:
    cells = api.open(finished).cells()
    page, base = enter(finished, "en")
    page.goto(f"{base}/pairs/{pair_id(cells[0])}")
    hrefs = page.eval_on_selector_all(
        "svg.trajectory a", "all => all.map(a => a.getAttribute('href'))"
    )
    assert len(hrefs) > 4
    assert {h[1] for h in hrefs} == {"p", "q"}
    assert all(page.locator(h).count() == 1 for h in hrefs)


def test_the_keyboard_alone_reaches_everything(
    finished: Path, enter: Callable[..., tuple[Any, str]]
) -> None:
    page, base = enter(finished, "en")
    for path in pages_of(finished):
        page.goto(base + path)
        assert _unreached(page) == [], path


def _unreached(page: Any) -> list[str]:
    """What can be clicked or scrolled and does not get the focus by tabbing through the page."""
    page.evaluate(
        """() => {
        const all = 'a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]';
        window.left = new Set([...document.querySelectorAll(all)].filter(e =>
            e.checkVisibility ? e.checkVisibility() : true));
        window.n = window.left.size;
        document.activeElement.blur();
        document.addEventListener('focusin', e => window.left.delete(e.target));
    }"""
    )
    for _ in range(page.evaluate("window.n") + 3):
        page.keyboard.press("Tab")
    found = page.evaluate("[...window.left].map(e => e.outerHTML.slice(0, 90))")
    assert isinstance(found, list)
    return found


def test_the_skip_link_and_focus_are_seen(
    finished: Path, enter: Callable[..., tuple[Any, str]]
) -> None:
    page, base = enter(finished, "en")
    page.goto(f"{base}/runs")
    page.keyboard.press("Tab")
    skip = page.locator("a.skip")
    assert skip.bounding_box()["x"] >= 0
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs#main")


def test_hostile_texts_stay_text(
    hostile: tuple[Path, str, str], enter: Callable[..., tuple[Any, str]], axe: Axe
) -> None:
    root, run_id, pair = hostile
    page, base = enter(root, "en")
    readings = api.open(root).readings()
    packets = {r.packet_id for e in readings.plan.evaluators for r in readings.records(e)}
    run = next(r for r in api.open(root).observed() if r.run_id == run_id)
    texts = [*run.drafts, *([run.final] if run.final else [])]
    paths = [f"/runs/{run_id}", f"/runs/{run_id}?all=1", f"/pairs/{pair}?replicate=2", "/reads"]
    paths += [f"/runs/{run_id}/documents/{d.seq}" for d in texts]
    paths += [f"/blobs/{d.text_sha256}" for d in texts] + [f"/reads/{p}" for p in sorted(packets)]
    for path in paths:
        page.goto(base + path)
        assert page.evaluate(HOSTILE), path
        assert page.locator("main script, main img, main a[href^='javascript' i]").count() == 0
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", page.content()), path
    page.goto(f"{base}/runs/{run_id}")
    assert "</script><script>window.hacked=1" in page.locator("table.events").inner_text()
    assert "⟨U+202E⟩" in page.locator("table.events").inner_text()
    axe(page)


def test_raw_texts_are_plain_text(
    hostile: tuple[Path, str, str], enter: Callable[..., tuple[Any, str]]
) -> None:
    root, run_id, _ = hostile
    run = next(r for r in api.open(root).observed() if r.run_id == run_id)
    assert run.final is not None
    page, base = enter(root)
    for path in (f"/blobs/{run.final.text_sha256}/raw", f"/runs/{run_id}/log"):
        answer = page.goto(base + path)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert page.evaluate(HOSTILE)
        assert page.locator("script, img").count() == 0


def test_hostile_queries_stay_text(finished: Path, enter: Callable[..., tuple[Any, str]]) -> None:
    page, base = enter(finished, "en")
    for name in ("q", "task", "arm", "reason", "page", "logs"):
        for path in ("/runs", "/reads"):
            page.goto(f"{base}{path}?{name}=%22%3E{studies.SCRIPT.replace('<', '%3C')}")
            assert page.evaluate(HOSTILE)
            assert page.locator("main script, main img").count() == 0


def test_another_page_can_neither_read_nor_frame_it(
    finished: Path, tab: OpenTab, serve: Serve, tmp_path: Path
) -> None:
    served = serve(make_app(finished))
    elsewhere = serve(make_app(finished))
    opened = tab()
    page = opened.page
    page.goto(served.entry)
    page.wait_for_url(f"{served.base}/")
    page.goto(elsewhere.base)
    body = page.evaluate(
        "url => fetch(url, {credentials: 'include'}).then(r => r.text()).catch(e => 'refused')",
        served.base,
    )
    assert body == "refused"
    page.set_content(f"<iframe src='{served.base}/'></iframe>")
    page.wait_for_timeout(300)
    assert not any("finished" in (f.title() or "") for f in page.frames[1:])
    opened.errors.clear()


def test_a_link_from_elsewhere_asks_to_open_the_page_again(
    finished: Path, tab: OpenTab, serve: Serve, tmp_path: Path
) -> None:
    served = serve(make_app(finished, lang="en"))
    opened = tab()
    page = opened.page
    page.goto(served.entry)
    page.wait_for_url(f"{served.base}/")
    (tmp_path / "notes.html").write_text(f"<a href='{served.base}/runs?arm=Q'>look</a>")
    page.goto((tmp_path / "notes.html").as_uri())
    follow(page, page.get_by_role("link", name="look"))
    follow(page, page.get_by_role("link", name="open this page again"))
    page.wait_for_url(re.compile("arm=Q"))
    assert page.locator("tbody tr").count() == 2
    opened.errors.clear()


def test_a_study_is_watched_while_it_is_run(
    finished: Path, tmp_path: Path, enter: Callable[..., tuple[Any, str]]
) -> None:
    root = studies.copy(finished, tmp_path / "live")
    study = api.open(root)
    page, base = enter(root, "en")
    studies.more(root, 2)
    page.reload()
    assert page.locator("li.at.waiting b").inner_text() == "4"
    request = study.plan_runs(replicates=2)
    study.run(request, limit=1)
    page.reload()
    assert page.locator("li.at.waiting b").inner_text() == "3"
    assert page.locator("li.at.done b").inner_text() == "5"
    study.run(request)
    page.goto(f"{base}/runs?state=done")
    assert page.locator("tbody tr").count() == 8


def test_two_thousand_runs_are_one_page_of_few_requests(
    finished: Path, tmp_path: Path, enter: Callable[..., tuple[Any, str]]
) -> None:
    root = studies.copy(finished, tmp_path / "many")
    planned = grow(root, 500)
    page, base = enter(root, "en")
    sizes: dict[str, int] = {}
    page.on("response", lambda r: sizes.update({r.url: len(r.body())}))
    page.goto(f"{base}/runs")
    assert page.locator("tbody tr").count() == planned == 2_000
    assert len(sizes) <= 6
    assert sum(sizes.values()) < 1_500_000
    page.keyboard.press("End")
    page.locator("tbody tr").last.wait_for(state="visible")
    page.goto(f"{base}/runs?arm=P&q={page.locator('tbody tr').last.locator('a').inner_text()}")
    assert page.locator("tbody tr").count() in (0, 1)


def test_an_event_of_a_long_run_is_gone_to_without_scripts(
    finished: Path, tmp_path: Path, enter: Callable[..., tuple[Any, str]], axe: Axe
) -> None:
    root = studies.copy(finished, tmp_path / "long")
    run_id = long.add(root, 200)[0].run_id
    page, base = enter(root, "en", java_script_enabled=False, reduced_motion="reduce")
    page.goto(f"{base}/runs/{run_id}?event=606")
    assert page.url.endswith("#e606")
    assert 50 < page.locator("#e606").bounding_box()["y"] < 800  # below the bar on top
    follow(page, page.locator("nav.pages").first.get_by_role("link", name="Previous page"))
    assert page.url.endswith("page=1#events")
    page.get_by_role("spinbutton", name="Go to event").fill("702")
    follow(page, page.get_by_role("button", name="Show"))
    assert page.url.endswith("#e702")
    page.locator("#e704 th a").click()
    there = page.url
    assert there.endswith("#e704")
    page.goto(f"{base}/")
    page.goto(there)  # the address of an event, opened anew
    assert 50 < page.locator("#e704").bounding_box()["y"] < 800
    looked, base = enter(root, "zh", width=390, height=844)
    for path in (f"/runs/{run_id}?page=2", f"/runs/{run_id}?event=5"):
        looked.goto(base + path)
        axe(looked)
        assert looked.evaluate("document.documentElement.scrollWidth") <= 390


def test_screenshots(
    finished: Path,
    enter: Callable[..., tuple[Any, str]],
    screenshot: Callable[..., None],
) -> None:
    cells = api.open(finished).cells()
    first = next(c for c in cells if c.arm is Side.P)
    page, base = enter(finished, "en")
    zh, zh_base = enter(finished, "zh")
    phone, phone_base = enter(finished, "zh", width=390, height=844, color_scheme="dark")
    for name, where, path in (
        ("view-runs", page, f"{base}/runs"),
        ("view-pair", page, f"{base}/pairs/{pair_id(first)}"),
        ("view-run-zh", zh, f"{zh_base}/runs/{first.run_id}"),
        ("view-pair-phone-dark-zh", phone, f"{phone_base}/pairs/{pair_id(first)}"),
    ):
        where.goto(path)
        if where.locator("svg.trajectory a").count():
            where.locator("svg.trajectory a .mark.final").last.hover()
        screenshot(where, name, full_page=name == "view-pair")
