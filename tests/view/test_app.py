"""The app: its own files, extra routes, errors as pages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from draligned.schema.errors import DesignError
from draligned.view.app import make_app
from draligned.view.guard import Guard
from draligned.view.site import Link, page

ClientOf = Callable[[Guard], TestClient]


def test_there_is_no_viewer_without_a_design(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="draligned construct"):
        make_app(tmp_path)


def test_pages_are_in_the_language_asked_for(drafted: Path, client_of: ClientOf) -> None:
    assert 'lang="zh-CN"' in client_of(make_app(drafted)).get("/").text
    assert 'lang="en"' in client_of(make_app(drafted, lang="en")).get("/").text


def test_only_its_own_files_are_served(drafted: Path, client_of: ClientOf) -> None:
    client = client_of(make_app(drafted))
    assert client.get("/static/report.css").headers["content-type"].startswith("text/css")
    for name in ("app.py", "../app.py", "..%2Fapp.py", "%2e%2e/app.py", "view_en.toml", ""):
        assert client.get(f"/static/{name}").status_code == 404


def _shout(request: Request) -> Response:
    return page(request, "failed.html", said="<b>said</b>", detail="a\u202eb")


def _fail(request: Request) -> Response:
    raise DesignError("what is <wrong>")


def test_extra_routes_have_pages_in_the_same_frame(drafted: Path, client_of: ClientOf) -> None:
    extra = [Route("/more", _shout), Route("/fail", _fail)]
    app = make_app(drafted, lang="en", extra=extra, nav=[Link(path="/more", key="view.again")])
    client = client_of(app)
    text = client.get("/more").text
    assert '<a href="/more" aria-current="page">open this page again</a>' in text
    assert "&lt;b&gt;said" in text
    assert "a⟨U+202E⟩b" in text
    broken = client.get("/fail")
    assert broken.status_code == 500
    assert "what is &lt;wrong&gt;" in broken.text
