"""What one damaged file takes away: itself, and nothing else."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from starlette.testclient import TestClient

from draligned import api
from draligned.store.blobs import blob_key
from draligned.study.attempts import events_key
from draligned.study.inventory import RunCell
from draligned.study.tables import to_bytes
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


@pytest.mark.parametrize("how", ["torn", "without a column"])
def test_tables_that_lists_and_pairs_read_are_named_where_they_are_damaged(
    changed: Path, cell: RunCell, client_of: ClientOf, how: str
) -> None:
    client = _client(changed, client_of)
    pages = {"matrix": "/runs", "pairs": f"/pairs/{pair_id(cell)}"}
    for name, page in pages.items():
        assert f"tables/{name}.parquet" not in client.get(page).text
        path = changed / "tables" / f"{name}.parquet"
        if how == "torn":
            path.write_bytes(path.read_bytes()[:-40])
        else:
            path.write_bytes(to_bytes(pd.read_parquet(path).drop(columns="evaluator")))
        answer = client.get(page)
        assert answer.status_code == 200
        assert f"tables/{name}.parquet" in answer.text
        assert "left out" in answer.text
        path.unlink()
        assert "left out" not in client.get(page).text


def test_settings_that_cannot_be_read_are_named_on_every_page(
    changed: Path, cell: RunCell, client_of: ClientOf
) -> None:
    client = _client(changed, client_of)
    pages = ["/", "/runs", f"/runs/{cell.run_id}", f"/pairs/{pair_id(cell)}", "/reads", "/tables"]
    said = "The settings of this study cannot be read"
    assert not [p for p in pages if said in client.get(p).text]
    (changed / "study.toml").write_text("[measure\ndraws = 1", encoding="utf-8")
    for page in pages:
        text = client.get(page).text
        assert said in text
        assert text.count("study.toml cannot be read: Expected") == 1


def test_no_damaged_file_ends_a_page_without_a_word(
    changed: Path, cell: RunCell, client_of: ClientOf
) -> None:
    """Every sort of file, cut and changed: each page is made, or says which file is damaged."""
    client = _client(changed, client_of)
    packets = [p.name for p in changed.glob("reads/*/*") if p.is_dir()]
    pages = ["/", "/runs", f"/runs/{cell.run_id}", f"/pairs/{pair_id(cell)}", "/reads",
             f"/reads/{packets[0]}", "/tables"]  # fmt: skip
    for path in _one_of_each_sort(changed, cell, packets[0]):
        whole = path.read_bytes()
        for torn in (whole[: len(whole) // 2], b"[]\n"):
            path.write_bytes(torn)
            for page in pages:
                answer = client.get(page)
                assert answer.status_code in (200, 404, 500), (path, page)
                assert "</html>" in answer.text
        path.write_bytes(whole)
    assert [client.get(p).status_code for p in pages] == [200] * len(pages)


def _one_of_each_sort(root: Path, cell: RunCell, packet_id: str) -> list[Path]:
    sorts: dict[tuple[str, str], Path] = {}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        where = path.relative_to(root)
        own = where.parts[0] not in ("runs", "reads") or {cell.run_id, packet_id} & {*where.parts}
        other = where.parts[0] == "tables" and path.stem not in ("matrix", "pairs")
        if own and not other and where.parts[0] not in ("blobs", "ledger", "report", "retrieval"):
            sorts.setdefault((where.parts[0], path.name), path)
    return list(sorts.values())
