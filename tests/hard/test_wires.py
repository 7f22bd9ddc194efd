"""The same study over four ways of speaking to one provider: the same events."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import draligned
from draligned.rehearsal.app import make_app

from .stage import runs

WIRES = [("chat", False), ("chat", True), ("responses", False), ("responses", True)]

TOML = """\
seed = 11

[construction]
lang = "{lang}"
tasks = 1

[providers.rehearsal]
kind = "rehearsal"
base_url = "{url}"
api = "{api}"
stream = {stream}
concurrency = 8

[run]
harnesses = {harnesses}
"""


class Counted:
    """The rehearsal app, and which paths were asked for."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._app = make_app()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        self.paths.append(scope["path"])
        await self._app(scope, receive, send)


@pytest.fixture(scope="module")
def app() -> Counted:
    """The app behind `served`."""
    return Counted()


@pytest.fixture(scope="module")
def served(app: Counted) -> Iterator[str]:
    """The app on loopback; its base URL."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        server.should_exit = True
        thread.join()


_LEFT_OUT = frozenset({"seconds", "utc", "request_sha256"})


def plain(body: Any) -> Any:
    """An event without clocks and without the hash of the body that was sent."""
    if isinstance(body, dict):
        return {k: plain(v) for k, v in body.items() if k not in _LEFT_OUT}
    return [plain(v) for v in body] if isinstance(body, list) else body


def events_over(root: Path, url: str, api: str, *, stream: bool, lang: str) -> dict[str, Any]:
    """Events of all runs of a study, by run."""
    harnesses = '["coupled", "H-D"]' if lang == "zh" else '["H-W", "initial"]'
    root.mkdir()
    text = TOML.format(url=url, api=api, stream=str(stream).lower(), lang=lang, harnesses=harnesses)
    (root / "study.toml").write_text(text, encoding="utf-8")
    study = draligned.open(root)
    study.construct()
    summary = study.run()
    assert summary.left_open == 0, summary.reasons
    return {r.run_id: [plain(b.model_dump(mode="json")) for b in r.bodies] for r in runs(study)}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_four_wires_give_the_same_episodes(
    tmp_path: Path, app: Counted, served: str, lang: str
) -> None:
    found = []
    for api, stream in WIRES:
        app.paths.clear()
        root = tmp_path / f"{api}-{stream}"
        found.append(events_over(root, served, api, stream=stream, lang=lang))
        path = "/v1/responses" if api == "responses" else "/v1/chat/completions"
        assert set(app.paths) == {path}
    assert len(found[0]) == 8
    for other in found[1:]:
        assert other == found[0]
    assert all(any(e["kind"] == "model_turn" and e["usage"] for e in r) for r in found[0].values())
