"""Blind reviews as pages: what they show, what they keep, and whom they refuse."""

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from draligned import api
from draligned.constructors.review_units import card_units
from draligned.schema.design import SetAside
from draligned.schema.errors import DesignError
from draligned.schema.labels import Problem
from draligned.schema.review import ReviewKind
from draligned.study.freeze import keep_set_aside
from draligned.study.reviews import item_sample, reviewed
from draligned.view.guard import Guard
from draligned.view.review import make_review

from . import reviews, studies
from .conftest import BASE

ClientOf = Callable[[Guard], TestClient]
Fields = dict[str, str]
NO = {p.value: "no" for p in Problem}
HEADERS = {"origin": BASE}


@pytest.fixture
def root(drafted: Path, tmp_path: Path) -> Path:
    """Twelve cards to review."""
    return reviews.with_cards(studies.copy(drafted, tmp_path / "study"), 12)


@pytest.fixture
def cards(root: Path, client_of: ClientOf) -> TestClient:
    return client_of(make_review(root, reviewer="a", kind=ReviewKind.CARDS, lang="en"))


def ticket(text: str) -> str:
    found = re.search('name="served" value="([^"]+)"', text)
    assert found
    return found.group(1)


def send(client: TestClient, no: int, fields: Fields, served: str | None = None) -> tuple[int, str]:
    if served is None:
        served = ticket(client.get(f"/review/{no}").text)
    got = client.post(f"/review/{no}", data={**fields, "served": served}, headers=HEADERS)
    return got.status_code, got.headers.get("location", got.text)


def kept(root: Path, kind: ReviewKind = ReviewKind.CARDS) -> dict[str, int]:
    """Answers by reviewer."""
    people = reviewed(api.open(root).folder.store, kind)
    return {p.reviewer: sum(map(len, p.answers.values())) for p in people}


def test_an_answer_is_kept_with_the_very_page(root: Path, cards: TestClient) -> None:
    page = cards.get("/review/1")
    answer = {**NO, "task_forced": "yes", "note-task_forced": "说：<b> it does"}
    assert send(cards, 1, answer, ticket(page.text)) == (303, "/review/2")
    folder = api.open(root).folder
    (person,) = reviewed(folder.store, ReviewKind.CARDS)
    ((given,),) = person.answers.values()
    assert given.page_sha256 == hashlib.sha256(page.content).hexdigest()
    assert folder.blobs.get_bytes(given.page_sha256) == page.content
    assert given.problems[2].note == "说：<b> it does"
    again = cards.get("/review/1").text
    assert "answered this 1 times before" in again
    assert "说：&lt;b&gt; it does" in again


def test_a_page_that_is_kept_needs_no_other_file(cards: TestClient) -> None:
    page = cards.get("/review/1")
    styles = re.findall("<style>(.*?)</style>", page.text, re.DOTALL)
    assert len(styles) == 1
    assert all(own in styles[0] for own in (".chip", ".topbar", "form.answer"))
    assert not re.search(r"<link|<script|<img|\bsrc=|@import|url\(", page.text)
    digest = base64.b64encode(hashlib.sha256(styles[0].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}';" in page.headers["content-security-policy"]
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_a_page_is_answered_once(root: Path, cards: TestClient) -> None:
    served = ticket(cards.get("/review/1").text)
    assert send(cards, 1, NO, served)[0] == 303
    status, text = send(cards, 1, {**NO, "task_forced": "yes"}, served)
    assert status == 409
    assert "Nothing was saved yet" in text
    assert re.search(r'name="task_forced" value="yes" required checked', text)
    assert kept(root) == {"a": 1}
    assert send(cards, 1, {**NO, "task_forced": "yes"}, ticket(text))[0] == 303
    assert kept(root) == {"a": 2}


def test_a_page_answers_its_own_card_alone(root: Path, cards: TestClient) -> None:
    served = ticket(cards.get("/review/1").text)
    assert send(cards, 2, NO, served)[0] == 409
    assert kept(root) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"task_forced": ""}, {"task_forced": "maybe"}, {"note-task_forced": "x" * 2001},
        {"contradiction": "YES"},
    ],
)  # fmt: skip
def test_what_is_no_answer_is_not_kept(root: Path, cards: TestClient, wrong: Fields) -> None:
    status, text = send(cards, 1, {**NO, **wrong})
    assert status == 400
    assert "Nothing was saved" in text
    assert kept(root) == {}


@pytest.mark.parametrize(
    "headers",
    [{}, {"origin": "null"}, {"origin": "http://evil.example"}, {"origin": "http://127.0.0.1:1"}],
)
def test_forms_of_other_pages_are_refused(root: Path, cards: TestClient, headers: Fields) -> None:
    served = ticket(cards.get("/review/1").text)
    got = cards.post("/review/1", data={**NO, "served": served}, headers=headers)
    assert got.status_code == 405
    assert kept(root) == {}


def test_without_the_cookie_or_by_other_methods_nothing_is_kept(
    root: Path, cards: TestClient
) -> None:
    served = ticket(cards.get("/review/1").text)
    data = {**NO, "served": served}
    stranger = TestClient(cards.app, base_url=BASE)
    assert stranger.post("/review/1", data=data, headers=HEADERS).status_code == 403
    assert cards.put("/review/1", data=data, headers=HEADERS).status_code == 405
    assert cards.get("/review/1", params=data).status_code == 200
    assert cards.post("/review", data=data, headers=HEADERS).status_code == 405
    assert kept(root) == {}


def test_reviewers_go_on_where_they_stopped_and_see_their_own_alone(
    root: Path, cards: TestClient, client_of: ClientOf
) -> None:
    send(cards, 1, {**NO, "note-contradiction": "a's own words"})
    send(cards, 2, NO)
    again = client_of(make_review(root, reviewer=" a ", kind=ReviewKind.CARDS, lang="en"))
    assert "2 of 12 answered" in again.get("/review").text
    assert 'href="/review/3">Go on with 3' in again.get("/review").text
    other = client_of(make_review(root, reviewer="b", kind=ReviewKind.CARDS, lang="en"))
    pages = [other.get(p).text for p in ("/review", *(f"/review/{n}" for n in range(1, 13)))]
    assert "0 of 12 answered" in pages[0]
    assert not any("a's own" in p or "a&#39;s own" in p for p in pages)


def test_pages_lead_to_nothing_that_a_blind_reviewer_must_not_see(cards: TestClient) -> None:
    for path in ("/runs", "/reads", "/tables", "/pairs/x", "/blobs/" + "0" * 64, "/review/0",
                 "/review/13", "/review/x"):  # fmt: skip
        assert cards.get(path).status_code == 404, path
    assert cards.get("/").headers["location"] == "/review"


def test_a_card_page_tells_no_side(root: Path, cards: TestClient) -> None:
    study = api.open(root)
    card = study.design().cards[0]
    pages = [cards.get(f"/review/{n}").text for n in range(1, 13)]
    for text in pages:
        assert card.factor_id not in text
        assert card.outcome.value not in text
        assert "user 1" not in text
    secrets = [p.read_text() for p in (root / "reviews" / "keys").iterdir()]
    (secret,) = re.findall('"secret":"([0-9a-f]{32})"', "".join(secrets))
    assert not any(secret in p for p in pages)


def test_orders_are_drawn_by_each_reviewers_key(root: Path) -> None:
    reviews.with_cards(root, 40)
    desks = [reviews.desk(root, ReviewKind.CARDS, name) for name in ("a", "b")]
    orders = [[u.unit_id for u in d.units] for d in desks]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])
    firsts = [{u.unit_id: u.first for u in d.units} for d in desks]
    assert len(set(firsts[0].values())) == 2
    assert firsts[0] != firsts[1]
    again = reviews.desk(root, ReviewKind.CARDS, "a")
    assert [(u.unit_id, u.first) for u in again.units] == [
        (u.unit_id, u.first) for u in desks[0].units
    ]


def test_a_card_that_changed_is_another_card(root: Path, cards: TestClient) -> None:
    send(cards, 1, NO)
    study = api.open(root)
    aside = study.set_aside()
    changed = [
        SetAside(source=s.source, task=s.task, card=s.card.model_copy(update={"decision": "other"}))
        for s in aside
    ]
    keep_set_aside(study.folder.store, changed)
    units = {u.unit_id for u in card_units(study.design(), study.set_aside())}
    found = api.open(root).reviews().cards
    assert found is not None
    (person,) = reviewed(study.folder.store, ReviewKind.CARDS)
    assert found.gone == len(set(person.answers) - units)


def test_hostile_cards_stay_text(root: Path, client_of: ClientOf) -> None:
    study = api.open(root)
    aside = study.set_aside()
    bad = {
        "decision": studies.SCRIPT,
        "order_p": (studies.SCRIPT, studies.BIDI),
        "kind": studies.SCRIPT,
        "p": aside[0].card.p.model_copy(update={"sentence": studies.SCRIPT + studies.BIDI}),
        "background": (
            aside[0]
            .card.background[0]
            .model_copy(update={"path": studies.BIDI, "text": studies.SCRIPT + "x" * 100_000}),
        ),
    }
    card = aside[0].card.model_copy(update=bad)
    keep_set_aside(study.folder.store, [aside[0].model_copy(update={"card": card})])
    name = studies.SCRIPT
    client = client_of(make_review(root, reviewer=name, kind=ReviewKind.CARDS, lang="zh"))
    units = reviews.desk(root, ReviewKind.CARDS, name).units
    assert studies.SCRIPT in {u.packet.decision for u in units if u.packet}
    for no in range(1, len(units) + 1):
        text = client.get(f"/review/{no}").text
        assert "<script" not in text
        assert "<img" not in text
        assert "\u202e" not in text
        status, _ = send(client, no, {**NO, "note-contradiction": studies.SCRIPT + "\"'>"})
        assert status == 303
        assert "<script" not in client.get(f"/review/{no}").text


def test_nothing_to_review_is_said(drafted: Path) -> None:
    with pytest.raises(DesignError, match="--kind items"):
        make_review(drafted, reviewer="a", kind=ReviewKind.ITEMS)
    with pytest.raises(DesignError, match="evaluate"):
        api.open(drafted).review_app("a", kind="items")


def test_items_show_the_text_and_both_ends_and_no_label(changed: Path, client_of: ClientOf) -> None:
    study = api.open(changed)
    client = client_of(study.review_app("a", kind="items", items=3, lang="en"))
    sample = item_sample(study.folder.store)
    assert sample is not None
    assert (len(sample.items), len(sample.population)) == (3, 14)
    desk = reviews.desk(changed, ReviewKind.ITEMS, "a")
    models = {c.model_name for c in study.cells()}
    ids = {c.run_id for c in study.cells()} | {i.item_id for i in sample.items}
    for no, unit in enumerate(desk.units, start=1):
        text = client.get(f"/review/{no}").text
        assert unit.item is not None
        assert unit.item.entity_key in text
        assert unit.item.text_sha256 not in text
        assert not any(word in text for word in (*models, *ids, "P_ONLY", "Q_ONLY"))
        ends = text[text.index('<dl class="ends">') :]
        at = [ends.index(s) for s in unit.sentences]
        assert at == sorted(at)
        assert "no evidence" in text or "Rehearsal" in text
        assert send(client, no, {"direction": "SLOT1", "note": "n"})[0] == 303
    (person,) = reviewed(study.folder.store, ReviewKind.ITEMS)
    wanted = {u.unit_id: f"{u.first.value}_ONLY" for u in desk.units}
    assert {u: p.value for u, p in person.directions.items()} == wanted
    assert send(client, 1, {"direction": "P_ONLY"})[0] == 400


def test_items_are_drawn_once(changed: Path) -> None:
    study = api.open(changed)
    study.review_app("a", kind="items", items=3)
    study.review_app("b", kind="items", seed=7)
    sample = item_sample(study.folder.store)
    assert sample is not None
    assert (sample.seed, len(sample.items)) == (1, 3)
    with pytest.raises(DesignError, match="3 items were drawn"):
        study.review_app("b", kind="items", items=4)


def test_items_are_decided_by_somebody_else(changed: Path, client_of: ClientOf) -> None:
    study = api.open(changed)
    for name, direction in (("a", "BOTH"), ("b", "NEITHER")):
        with pytest.raises(DesignError, match=r"no item is open|--kind items"):
            study.review_app("c", kind="decisions")
        send(client_of(study.review_app(name, kind="items", items=1)), 1, {"direction": direction})
    with pytest.raises(DesignError, match="another name"):
        study.review_app("a", kind="decisions")
    client = client_of(study.review_app("c", kind="decisions", lang="en"))
    assert " checked" not in client.get("/review/1").text
    assert send(client, 1, {"direction": "BOTH"}) == (303, "/review")
    found = study.reviews().items
    assert found is not None
    assert (found.pairs[0].n_other, found.gated.n_final) == (1, 1)
