"""Studies to look at, and a client that has been let in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from draligned import api
from draligned.view.guard import Guard

from . import studies

BASE = "http://127.0.0.1:8765"


@pytest.fixture(scope="session")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of which nothing was run yet."""
    root = tmp_path_factory.mktemp("drafted") / "drafted"
    api.open(root).construct()
    return root


@pytest.fixture
def client_of() -> Callable[[Guard], TestClient]:
    """A client with the cookie of an app."""

    def let_in(app: Guard) -> TestClient:
        client = TestClient(app, base_url=BASE, follow_redirects=False)
        assert client.get("/", params={"token": app.token}).status_code == 200
        return client

    return let_in


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that was run, read and measured: four runs."""
    return studies.finished(tmp_path_factory.mktemp("finished") / "finished")


@pytest.fixture
def changed(finished: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return studies.copy(finished, tmp_path / "changed")
