"""A long run is pages of a bounded size, and every event has its address."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import html
from lxml.html import HtmlElement
from starlette.testclient import TestClient

from draligned import api
from draligned.study.attempts import events_key
from draligned.view.app import make_app
from draligned.view.guard import Guard
from draligned.view.index import pair_id
from draligned.view.stretches import LINES

from . import long, studies

ClientOf = Callable[[Guard], TestClient]
TURNS = 300
LAST = 4 * TURNS + 3


@pytest.fixture(scope="module")
def study(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """The study, its run of twelve hundred events, and the run's pair."""
    root = studies.copy(finished, tmp_path_factory.mktemp("long") / "long")
    cell = long.add(root, TURNS)[0]
    return root, f"/runs/{cell.run_id}", f"/pairs/{pair_id(cell)}?replicate=2"


@pytest.fixture
def client(study: tuple[Path, str, str], client_of: ClientOf) -> TestClient:
    return client_of(make_app(study[0], lang="en"))


def looked_at(client: TestClient, path: str) -> HtmlElement:
    answer = client.get(path)
    assert answer.status_code == 200
    assert len(answer.content) < 400_000
    page = html.fromstring(answer.text)
    ids = set(page.xpath("//@id"))
    assert all(h[1:] in ids for h in page.xpath("//main//a/@href") if h.startswith("#"))
    return page


def events(page: HtmlElement) -> list[int]:
    return [int(i[1:]) for i in page.xpath("//table[@class='events']//tr/@id")]


def test_every_event_is_on_one_page(study: tuple[Path, str, str], client: TestClient) -> None:
    path, seen, steps = study[1], list[int](), list[int]()
    pages = -(-(LAST + 1) // LINES)
    for number in range(1, pages + 1):
        page = looked_at(client, f"{path}?all=1&page={number}")
        assert f"Page {number} of {pages}" in page.text_content()
        seen += events(page)
        steps += [int(n) for n in page.xpath("//*[@class='no' and name()='text']/text()")]
    assert seen == list(range(LAST + 1))
    assert steps == list(range(1, 2 * TURNS + 2))


@pytest.mark.parametrize("event", [2, 398, 802, LAST])
def test_an_event_is_found_by_its_number(
    study: tuple[Path, str, str], client: TestClient, event: int
) -> None:
    answer = client.get(f"{study[1]}?event={event}")
    assert answer.status_code == 303
    where, anchor = answer.headers["location"].split("#")
    assert anchor == f"e{event}"
    assert event in events(looked_at(client, where))


def test_a_number_of_no_listed_event_is_named(
    study: tuple[Path, str, str], client: TestClient
) -> None:
    folded = looked_at(client, f"{study[1]}?event=801").text_content()
    assert "Event 801 is not among those listed here" in folded
    assert client.get(f"{study[1]}?event=801&all=1").headers["location"].endswith("page=5#e801")
    beyond = looked_at(client, f"{study[1]}?event=99999")
    assert "This run has no event 99999" in beyond.text_content()
    assert events(beyond)[-1] == LAST
    for nonsense in ("-1", "x", "1e9", "9" * 40, "%00"):
        assert events(looked_at(client, f"{study[1]}?event={nonsense}"))[0] == 0


def test_one_stays_at_the_place_when_more_events_are_shown(
    study: tuple[Path, str, str], client: TestClient
) -> None:
    page = looked_at(client, f"{study[1]}?page=3")
    (link,) = page.xpath("//a[text()='every event']/@href")
    link = link.removesuffix("#events")
    where, anchor = client.get(link).headers["location"].split("#")
    assert anchor == f"e{events(page)[0]}"
    assert events(page)[0] in events(looked_at(client, where))


def test_a_pair_of_long_runs_has_pages_of_its_own(
    study: tuple[Path, str, str], client: TestClient
) -> None:
    first, last = looked_at(client, study[2]), looked_at(client, f"{study[2]}&page=99")
    assert f"Steps 1 to {LINES} of 601." in first.text_content()
    assert "Steps 601 to 601 of 601." in last.text_content()
    assert len(first.xpath("//ol[@class='moves'][1]/li")) == 2 * LINES
    assert len(last.xpath("//ol[@class='moves']/li")) == 2
    (onward,) = first.xpath("(//a[@rel='next'])[1]/@href")
    assert "replicate=2" in onward
    assert f"Steps {LINES + 1} to" in looked_at(client, onward).text_content()


def test_a_short_run_is_one_page(finished: Path, client_of: ClientOf) -> None:
    cell = api.open(finished).cells()[0]
    client = client_of(make_app(finished, lang="en"))
    for path in (f"/runs/{cell.run_id}", f"/pairs/{pair_id(cell)}"):
        page = looked_at(client, path)
        assert not page.xpath("//nav[@class='pages'] | //input[@name='event']")


def test_links_keep_the_attempt(changed: Path, client_of: ClientOf) -> None:
    cell = api.open(changed).cells()[0]
    old = changed / events_key(cell.run_id, 1)
    second = old.parent.parent / "a2"
    second.mkdir()
    (second / "events.jsonl").write_bytes(b"".join(old.read_bytes().splitlines(True)[:3]))
    page = looked_at(client_of(make_app(changed, lang="en")), f"/runs/{cell.run_id}?attempt=2")
    assert events(page) == [0]
    hrefs = page.xpath("//section[@aria-labelledby='events']//p//a/@href")
    assert len(hrefs) == 2
    assert all(re.search(r"[?&]attempt=2\b", h) for h in hrefs)
