"""Blind reviews in a real browser: two scripted reviewers give the printed numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draligned import api
from draligned.schema.design import SetAside
from draligned.schema.labels import Presence, Problem
from draligned.schema.review import Found, ReviewKind
from draligned.study.freeze import keep_set_aside
from draligned.study.reviews import reviewed
from tests.cli.console import call
from tests.view import reviews, studies

from .conftest import Served, Tab, follow

pytestmark = pytest.mark.browser

OpenTab = Callable[..., Tab]
Serve = Callable[..., Served]
Axe = Callable[[Any], None]
Enter = Callable[..., Any]
Shot = Callable[..., None]


@pytest.fixture(scope="package")
def to_review(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of 94 cards, four runs and 14 items, read both ways."""
    root = studies.finished(tmp_path_factory.mktemp("review") / "study")
    reviews.with_cards(root)
    return root


@pytest.fixture
def root(to_review: Path, tmp_path: Path) -> Path:
    """A copy that nobody has reviewed."""
    return studies.copy(to_review, tmp_path / "study")


@pytest.fixture
def enter(tab: OpenTab, serve: Serve) -> Enter:
    """Opens a reviewer's pages in a new tab, scripts off as they need none."""

    def entered(root: Path, kind: str, name: str, lang: Any = "en", **options: Any) -> Any:
        app = api.open(root).review_app(name, kind=kind, items=None, lang=lang)
        served = serve(app)
        page = tab(**{"java_script_enabled": False, **options}).page
        page.goto(served.entry)
        page.wait_for_url(f"{served.base}/review")
        return page

    return entered


def pick(page: Any, name: str, value: str) -> None:
    page.locator(f'input[name="{name}"][value="{value}"]').check()


def review_cards(root: Path, enter: Enter, name: str) -> None:
    desk = reviews.desk(root, ReviewKind.CARDS, name)
    page = enter(root, "cards", name)
    follow(page, page.locator("a.go"))
    for no, unit in enumerate(desk.units, start=1):
        assert page.url.endswith(f"/review/{no}")
        for problem, found in reviews.on_card(desk, unit).items():
            pick(page, problem.value, found.value)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/review/{no + 1}" if no < len(desk.units) else "**/review")
    assert f"{reviews.CARDS} of {reviews.CARDS} answered" in page.inner_text("main")


def review_items(root: Path, enter: Enter, kind: ReviewKind, name: str) -> None:
    desk = reviews.desk(root, kind, name)
    page = enter(root, kind.value, name)
    follow(page, page.locator("a.go"))
    for no, unit in enumerate(desk.units, start=1):
        pick(page, "direction", reviews.on_item(root, desk, unit).value)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/review/{no + 1}" if no < len(desk.units) else "**/review")


@pytest.mark.slow
def test_two_reviewers_of_94_cards_give_the_printed_numbers(root: Path, enter: Enter) -> None:
    """DR-101: 39 of 94 pass for both; CR2 passes 92 and all that CR1 passes."""
    for name in (reviews.FIRST, reviews.SECOND):
        review_cards(root, enter, name)
    found = api.open(root).reviews().cards
    assert found is not None
    assert [(r.reviewer, r.seen, r.passed) for r in found.rows] == [
        ("CR1", 94, 39), ("CR2", 94, 92),
    ]  # fmt: skip
    (pair,) = found.pairs
    assert (pair.both_passed, pair.only_first, pair.only_second, pair.neither) == (39, 0, 53, 2)
    assert pair.nested
    whole = next(a for a in found.agreed if a.of == "all_five")
    assert (whole.n_both, whole.n_same) == (94, 41)
    # By hand: (41/94 − (39·92 + 55·2)/94²) / (1 − …).
    chance = (39 * 92 + 55 * 2) / 94**2
    assert whole.kappa == pytest.approx((41 / 94 - chance) / (1 - chance))
    said = call("review", str(root), "--agreement")
    assert "nested: CR2 passed every card that CR1 passed" in said.out
    pages = {a.page_sha256 for p in reviewed(api.open(root).folder.store, ReviewKind.CARDS)
             for a in p.last.values()}  # fmt: skip
    assert len(pages) == 188


def test_two_reviewers_of_13_items_give_the_printed_numbers(root: Path, enter: Enter) -> None:
    """DR-102: 8 of 13 matched, 5 not, none opposite; the evaluator matches 7 of 9 gated items."""
    api.open(root).review_app("anybody", kind="items", items=reviews.ITEMS)
    for name in (reviews.FIRST, reviews.SECOND):
        review_items(root, enter, ReviewKind.ITEMS, name)
    review_items(root, enter, ReviewKind.DECISIONS, reviews.THIRD)
    found = api.open(root).reviews().items
    assert found is not None
    (pair,) = found.pairs
    assert (pair.n_both, pair.n_matched, pair.n_opposite, pair.n_other, pair.n_undecided) == (
        13, 8, 0, 5, 0,
    )  # fmt: skip
    gated = found.gated
    assert (gated.n_items, gated.n_final, gated.n_gated, gated.n_same) == (13, 9, 9, 7)
    assert found.marginals["CR2"][Presence.BOTH] >= 5
    said = call("review", str(root), "--agreement", "--scaled-to", "624")
    assert "384 of 624 (scaled; basis_n = 13)" in said.out
    assert "no evidence" in said.err


FOCUS = "document.activeElement ? document.activeElement.name || document.activeElement.href : ''"


def tab_to(page: Any, name: str) -> None:
    for _ in range(60):
        if page.evaluate(FOCUS) == name:
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{name} is not reached")


def test_the_keyboard_alone_answers_a_card(root: Path, enter: Enter) -> None:
    page = enter(root, "cards", "typist", java_script_enabled=True)
    tab_to(page, page.locator("a.go").evaluate("a => a.href"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/1")
    for problem in Problem:
        tab_to(page, problem.value)
        page.keyboard.press("ArrowRight")
        tab_to(page, f"note-{problem.value}")
        page.keyboard.type(f"on {problem.value}")
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/2")
    (person,) = reviewed(api.open(root).folder.store, ReviewKind.CARDS)
    ((answer,),) = person.answers.values()
    assert {p.found for p in answer.problems} == {Found.NO}
    assert [p.note for p in answer.problems] == [f"on {p.value}" for p in Problem]


def test_a_form_with_an_answer_missing_is_not_sent(root: Path, enter: Enter) -> None:
    page = enter(root, "cards", "hasty", java_script_enabled=True)
    follow(page, page.locator("a.go"))
    page.click("form.answer button")
    assert page.evaluate(FOCUS) == "contradiction"
    assert reviewed(api.open(root).folder.store, ReviewKind.CARDS) == ()


def test_a_change_of_mind_is_one_more_answer(root: Path, enter: Enter) -> None:
    page = enter(root, "items", "doubter")
    follow(page, page.locator("a.go"))
    for direction in ("SLOT1", "BOTH"):
        pick(page, "direction", direction)
        follow(page, page.locator("form.answer button"))
        assert page.url.endswith("/review/2")
        follow(page, page.locator('a[rel="prev"]'))
        assert page.locator(f'input[value="{direction}"]').is_checked()
    # Back to a page that was answered: it is served anew, and says so, before it is kept.
    (person,) = reviewed(api.open(root).folder.store, ReviewKind.ITEMS)
    (given,) = person.answers.values()
    assert [a.direction for a in given] == ["SLOT1", "BOTH"]


@pytest.mark.parametrize("kind", ["cards", "items"])
def test_a_page_that_is_kept_looks_alone_as_it_was_seen(
    root: Path, enter: Enter, tab: OpenTab, tmp_path: Path, kind: str
) -> None:
    """DR-104: the archived file, opened without the server."""
    page = enter(root, kind, "reader", "zh")
    follow(page, page.locator("a.go"))
    seen = page.screenshot(full_page=True)
    for name in [p.value for p in Problem] if kind == "cards" else ["direction"]:
        page.locator(f'input[name="{name}"]').first.check()
    follow(page, page.locator("form.answer button"))
    folder = api.open(root).folder
    (person,) = reviewed(folder.store, ReviewKind(kind))
    ((answer,),) = person.answers.values()
    (tmp_path / "page.html").write_bytes(folder.blobs.get_bytes(answer.page_sha256))
    alone = tab(java_script_enabled=False).page
    alone.goto((tmp_path / "page.html").as_uri())
    assert alone.screenshot(full_page=True) == seen


LOOKS = (("en", 1280, "light"), ("zh", 1280, "light"), ("zh", 390, "light"), ("en", 1280, "dark"))


@pytest.mark.parametrize(("lang", "width", "scheme"), LOOKS)
def test_pages_are_accessible_and_nothing_is_cut(
    root: Path, enter: Enter, axe: Axe, screenshot: Shot, lang: str, width: int, scheme: str
) -> None:
    for kind in ("cards", "items"):
        page = enter(
            root, kind, "评审 1", lang, width=width, color_scheme=scheme, java_script_enabled=True
        )
        for path in ("/review", "/review/1"):
            page.goto(page.url.split("/review")[0] + path)
            axe(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if (lang, scheme) == ("en", "light"):
            screenshot(page, f"review-{kind}-en")


def test_hostile_texts_stay_text(root: Path, enter: Enter) -> None:
    study = api.open(root)
    item = SetAside(
        source="x",
        task=study.design().tasks[0],
        card=study.design()
        .cards[0]
        .model_copy(update={"decision": studies.SCRIPT + studies.BIDI, "order_p": (studies.LINK,)}),
    )
    keep_set_aside(study.folder.store, [item])
    page = enter(root, "cards", studies.SCRIPT, java_script_enabled=True)
    for no in (1, 2):
        page.goto(page.url.split("/review")[0] + f"/review/{no}")
        assert page.evaluate("window.hacked === undefined")
        assert page.locator('a[href^="javascript:"]').count() == 0
        pick(page, "contradiction", "yes")
    assert page.locator("main script, main img").count() == 0
