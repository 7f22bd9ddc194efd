"""Looking changes nothing."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from draligned.schema.errors import DralignedError
from draligned.view.app import make_app
from draligned.view.guard import Guard
from draligned.view.readonly import looked_at
from tests.cli.console import snapshot


def test_the_store_refuses_to_write(finished: Path) -> None:
    store = looked_at(finished).store
    writes: tuple[Callable[[], object], ...] = (
        lambda: store.put_if_absent("a", b""),
        lambda: store.replace("a", b""),
        lambda: store.append("a", b""),
        lambda: store.cut("plan.json", 0),
        lambda: store.discard("runs"),
    )
    for write in writes:
        with pytest.raises(DralignedError, match="changes nothing"):
            write()


def test_no_page_changes_a_file(finished: Path, client_of: Callable[[Guard], TestClient]) -> None:
    before = snapshot(finished)
    client = client_of(make_app(finished))
    todo, seen = ["/"], set[str]()
    while todo:
        path = todo.pop()
        if path not in seen and len(seen) < 150:
            seen.add(path)
            answer = client.get(path)
            assert answer.status_code == 200, path
            todo += [h.replace("&amp;", "&") for h in re.findall(r'href="(/[^"#]*)', answer.text)]
    assert {p.split("/")[1].split("?")[0] for p in seen} >= {"runs", "reads", "pairs", "tables"}
    assert snapshot(finished) == before
