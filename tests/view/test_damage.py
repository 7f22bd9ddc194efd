"""What one damaged file takes away: itself, and nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from draligned import api
from draligned.store.blobs import blob_key
from draligned.study.attempts import events_key
from draligned.study.inventory import RunCell
from draligned.view.app import make_app
from draligned.view.guard import Guard
from draligned.view.index import pair_id

ClientOf = Callable[[Guard], TestClient]


@pytest.fixture
def cell(changed: Path) -> RunCell:
    return api.open(changed).cells()[0]


def _client(root: Path, client_of: ClientOf) -> TestClient:
    return client_of(make_app(root, lang="en"))


def test_a_torn_seal_makes_one_run_damaged(
    changed: Path, cell: RunCell, client_of: ClientOf
) -> None:
    seal = (changed / events_key(cell.run_id, 1)).with_name("seal.json")
    whole = seal.read_bytes()
    seal.write_bytes(whole[:40])
    client = _client(changed, client_of)
    assert "<b>1</b> damaged" in client.get("/").text
    assert client.get("/runs?state=damaged").text.count("<tr class=") == 1
    text = client.get(f"/runs/{cell.run_id}").text
    assert "This run cannot be read wholly" in text
    assert "seal.json: not a Seal" in text
    assert client.get(f"/pairs/{pair_id(cell)}").status_code == 200
    assert client.get("/reads").status_code == 200
    seal.write_bytes(whole)
    assert "damaged</a>" not in client.get("/").text


def test_a_study_without_damage_does_not_speak_of_damaged_runs(
    finished: Path, client_of: ClientOf
) -> None:
    text = _client(finished, client_of).get("/").text
    assert '<li class="at waiting">' in text
    assert '<li class="at damaged">' not in text


@pytest.mark.parametrize("how", ["missing", "changed"])
def test_a_run_is_shown_without_a_text_that_cannot_be_read(
    changed: Path, client_of: ClientOf, how: str
) -> None:
    run = next(r for r in api.open(changed).observed() if r.final)
    cell = next(c for c in api.open(changed).cells() if c.run_id == run.run_id)
    assert run.final is not None
    path = changed / blob_key(run.final.text_sha256)
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-2] + b"zz")
    client = _client(changed, client_of)
    shown = f"/runs/{run.run_id}/documents/{run.final.seq}"
    for page in (f"/runs/{run.run_id}", f"/pairs/{pair_id(cell)}", shown):
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert "This text cannot be read and is not shown:" in answer.text
        assert run.final.text_sha256 in answer.text


def test_a_torn_table_is_named_and_the_others_are_shown(changed: Path, client_of: ClientOf) -> None:
    path = changed / "tables" / "pairs.parquet"
    path.write_bytes(path.read_bytes()[:100])
    client = _client(changed, client_of)
    tables = client.get("/tables")
    assert tables.status_code == 200
    assert "tables/pairs.parquet cannot be read as a table" in tables.text
    broken = client.get("/tables/pairs")
    assert broken.status_code == 500
    assert "tables/pairs.parquet cannot be read as a table" in broken.text
    assert client.get("/tables/long").status_code == 200
    cell = api.open(changed).cells()[0]
    assert client.get(f"/pairs/{pair_id(cell)}").status_code == 200
