"""Who gets an answer, and who does not."""

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from draligned.view.app import make_app
from draligned.view.forms import form_of
from draligned.view.guard import HEADERS, MAX_TARGET, Guard

from .conftest import BASE

ClientOf = Callable[[Guard], TestClient]
PATHS = ("/", "/static/view.css", "/no-such-page")


async def _note(request: Request) -> Response:
    return PlainTextResponse(f"{request.method} {(await form_of(request)).get('what')}")


@pytest.fixture
def app(drafted: Path) -> Guard:
    extra = [Route("/note", _note, methods=["GET", "POST"])]
    return make_app(drafted, extra=extra, writes=("/note",))


@pytest.fixture
def stranger(app: Guard) -> TestClient:
    return TestClient(app, base_url=BASE, follow_redirects=False)


@pytest.mark.parametrize("path", PATHS)
def test_without_token_nothing_is_shown(stranger: TestClient, path: str) -> None:
    for query in ("", "?token=", "?token=wrong", "?token=%C3%A9", "?Token=x"):
        answer = stranger.get(path + query)
        assert answer.status_code == 403
        assert "drafted" not in answer.text
        assert "set-cookie" not in answer.headers


def test_the_token_sets_a_strict_cookie_and_leads_on_without_it(
    app: Guard, stranger: TestClient
) -> None:
    answer = stranger.get("/runs", params={"task": "1 <&>", "token": app.token})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert app.token not in answer.text
    assert app.token not in cookie
    assert 'content="0;url=/runs?task=1+%3C%26%3E"' in answer.text
    assert stranger.get("/").status_code == 200


def test_it_leads_to_no_other_site(app: Guard, stranger: TestClient) -> None:
    for path in ("//evil.example/", "/%5C%5Cevil.example", "/%2F%2Fevil.example"):
        answer = stranger.request("GET", f"{BASE}{path}?token={app.token}")
        assert "url=/" in answer.text
        assert "url=//" not in answer.text
        assert "url=/\\" not in answer.text


def test_another_viewers_cookie_is_worth_nothing(drafted: Path, app: Guard) -> None:
    other = make_app(drafted)
    client = TestClient(other, base_url=BASE)
    client.get("/", params={"token": other.token})
    assert other.cookie != app.cookie
    secret = client.cookies[other.cookie]
    again = TestClient(app, base_url=BASE, cookies={app.cookie: secret})
    assert again.get("/").status_code == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8765.x", ""],
)
def test_another_host_gets_nothing(app: Guard, client_of: ClientOf, host: str) -> None:
    client = client_of(app)
    answer = client.get("/", params={"token": app.token}, headers={"host": host})
    assert answer.status_code == 421
    assert "set-cookie" not in answer.headers


def test_two_hosts_are_none(app: Guard, client_of: ClientOf) -> None:
    hosts = [("host", "127.0.0.1:8765"), ("host", "evil.example")]
    assert client_of(app).get("/", headers=hosts).status_code == 421


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_it_only_reads(app: Guard, client_of: ClientOf, method: str) -> None:
    client = client_of(app)
    for path in PATHS:
        assert client.request(method, path, headers={"origin": BASE}).status_code == 405


def test_forms_come_from_its_own_pages_alone(app: Guard, client_of: ClientOf) -> None:
    client = client_of(app)
    form = {"what": "x"}
    assert client.post("/note", data=form, headers={"origin": BASE}).text == "POST x"
    for origin in (
        "http://evil.example",
        "null",
        "http://127.0.0.1:9999",
        "https://127.0.0.1:8765",
    ):
        assert client.post("/note", data=form, headers={"origin": origin}).status_code == 405
    assert client.post("/note", data=form).status_code == 405
    assert client.post("/notes", data=form, headers={"origin": BASE}).status_code == 405
    client.cookies.clear()
    assert client.post("/note", data=form, headers={"origin": BASE}).status_code == 403


@pytest.mark.parametrize("path", [*PATHS, "/?token=wrong"])
def test_every_answer_carries_the_headers(app: Guard, client_of: ClientOf, path: str) -> None:
    answer = client_of(app).get(path)
    for name, value in HEADERS:
        assert answer.headers[name] == value
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "access-control-allow-origin" not in answer.headers


def test_a_huge_query_is_refused(app: Guard, client_of: ClientOf) -> None:
    client = client_of(app)
    assert client.get("/?q=" + "x" * MAX_TARGET).status_code == 414


def test_pages_hold_no_inline_script_or_style(app: Guard, client_of: ClientOf) -> None:
    text = client_of(app).get("/").text
    assert "<script>" not in text
    assert " style=" not in text
    assert "onclick" not in text
