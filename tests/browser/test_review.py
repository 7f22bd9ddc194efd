"""Blind reviews in a real browser: two scripted reviewers give the printed numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draligned import api
from draligned.schema.labels import Presence
from draligned.schema.review import ReviewKind
from draligned.study.reviews import reviewed
from tests.cli.console import call
from tests.view import reviews, studies

from .conftest import Served, Tab

pytestmark = pytest.mark.browser

OpenTab = Callable[..., Tab]
Serve = Callable[..., Served]
Axe = Callable[[Any], None]
Enter = Callable[..., Any]


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
    page.click("a.go")
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
    page.click("a.go")
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
