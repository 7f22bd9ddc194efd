"""A whole study over a search double and pages on loopback, with nothing else replaced."""

import asyncio
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

import pytest

import draligned
from draligned.schema.errors import ConfigError
from draligned.schema.events import RequestExecuted
from draligned.schema.retrieval import ReturnStatus
from draligned.study.ledger import read_ledger

from .doubles import KEY, VARIABLE, Asked, Double, http

TOML = """\
[construction]
tasks = 1
lang = "en"

[run]
retrieval = "web"
models = ["rehearsal-a"]

[controls]
aa_share = 0
neutral_share = 0

[retrieval.web]
kind = "searxng"
base_url = "{url}"
api_key_env = "{variable}"
price = 0.001

[retrieval.web.reading]
allow = ["127.0.0.1"]
robots = false
per_host = 16
delay_seconds = 0.0
"""


class Web(Double):
    """A SearXNG instance and the pages that it finds, on one port."""

    def __init__(self) -> None:
        super().__init__([b""])
        self.troubles: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raw = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        head, *rest = raw.split("\r\n")
        method, target, _ = head.split()
        headers = {k.lower(): v.strip() for k, _, v in (h.partition(":") for h in rest)}
        path, _, asked = target.partition("?")
        query = dict(part.partition("=")[::2] for part in asked.split("&") if part)
        self.asked.append(Asked(method, path, query, headers, None))
        writer.write(self.answer(path, query))
        await writer.drain()
        writer.close()

    def answer(self, path: str, query: dict[str, str]) -> bytes:
        if path != "/search":
            body = f"<html><body><article><h1>Page</h1><p>{'Advice on the matter. ' * 20}</p>"
            return http(f"{body}<p>{path}</p></article></body></html>", Content_Type="text/html")
        if self.troubles:
            return self.troubles.pop()
        name = hashlib.sha256(query["q"].encode()).hexdigest()[:8]
        title = f"About {unquote(query['q'].replace('+', ' '))}"
        hit = {"title": title, "url": f"{self.url}/page/{name}", "content": "Advice"}
        return http({"results": [hit], "unresponsive_engines": []})


@contextmanager
def web() -> Iterator[Web]:
    """The double in a thread of its own, since a study brings its own loop."""
    one, loop = Web(), asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(one.serve, "127.0.0.1", 0))
    one.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield one
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.run_until_complete(asyncio.sleep(0.05))
        loop.close()


def test_a_study_on_the_web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    with web() as site:
        site.troubles = [http("<html>captcha</html>", Content_Type="text/html")]
        (tmp_path / "study.toml").write_text(TOML.format(url=site.url, variable=VARIABLE), "utf-8")
        study = draligned.open(tmp_path)
        study.construct()
        summary = study.run()
    assert (summary.done, summary.left_open, summary.failed) == (2, 0, {})
    executed = [
        event.body
        for cell in study.cells()
        for event in study.events(cell.run_id)
        if isinstance(event.body, RequestExecuted)
    ]
    assert {e.tool for e in executed} == {"search", "read"}
    assert {e.return_status for e in executed} == {ReturnStatus.OK}

    searches = [a for a in site.asked if a.path == "/search"]
    sent = {
        json.dumps({k: v for k, v in a.query.items() if k != "q"}, sort_keys=True) for a in searches
    }
    assert sent == {'{"format": "json", "language": "en-US"}'}, "P and Q are searched for alike"
    assert {a.headers["authorization"] for a in searches} == {f"Bearer {KEY}"}
    pages = [a for a in site.asked if a.path != "/search"]
    assert pages
    assert not any(KEY in str(a) for a in pages)

    spent = {row.model: row for row in study.spend() if row.purpose == "retrieval"}
    assert (spent["web: search"].tries, spent["web: search"].failed) == (len(searches), 1)
    assert spent["web: search"].cost == pytest.approx(0.001 * (len(searches) - 1))
    assert spent["web: read"].tries == len(pages)
    blocked = [a for a in read_ledger(study.folder.store) if a.outcome == "blocked"]
    assert [a.detail for a in blocked] == ["a web page came instead of results"]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_a_refused_key_stops_the_run_stores_nothing_and_is_mended_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    with web() as site:
        site.troubles = [http({"error": f"bad {KEY}"}, 401)] * 9
        (tmp_path / "study.toml").write_text(TOML.format(url=site.url, variable=VARIABLE), "utf-8")
        study = draligned.open(tmp_path)
        study.construct()
        with pytest.raises(ConfigError, match=f"refused the key.*{VARIABLE}") as error:
            study.run()
        assert KEY not in str(error.value)
        assert not list((tmp_path / "retrieval").rglob("*.json"))
        site.troubles = []
        summary = study.run()
    assert (summary.done, summary.left_open, summary.failed) == (2, 0, {})


def test_a_wait_over_the_cap_leaves_the_cells_open_and_the_next_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    with web() as site:
        site.troubles = [http({"error": "monthly limit"}, 429, Retry_After="99999")] * 9
        (tmp_path / "study.toml").write_text(TOML.format(url=site.url, variable=VARIABLE), "utf-8")
        study = draligned.open(tmp_path)
        study.construct()
        summary = study.run()
        assert (summary.done, summary.left_open) == (0, 2)
        assert list(summary.reasons) == ["a rate limit or a spending limit"]
        assert len(site.asked) < 9, "what was told is kept to"
        site.troubles = []
        assert study.run().left_open == 0
    told = [e.body for c in study.cells() for e in study.events(c.run_id)]
    statuses = {b.return_status for b in told if isinstance(b, RequestExecuted)}
    assert statuses == {ReturnStatus.OK}
