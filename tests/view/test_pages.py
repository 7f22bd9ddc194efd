"""What pages say of runs, reads and tables."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from draligned import api
from draligned.schema.labels import ReadRole
from draligned.store.local import LocalStore
from draligned.study.attempts import events_key
from draligned.study.reads import read_key
from draligned.view.app import make_app
from draligned.view.guard import Guard
from draligned.view.index import pair_id
from draligned.view.readindex import ReadIndex
from draligned.view.readonly import looked_at

from . import studies

ClientOf = Callable[[Guard], TestClient]
Look = Callable[..., str]


@pytest.fixture
def look(client_of: ClientOf) -> Callable[[Path], Look]:
    """Opens a study; then the text of its pages, in English."""

    def opened(root: Path) -> Look:
        client = client_of(make_app(root, lang="en"))

        def text(path: str, status: int = 200) -> str:
            answer = client.get(path)
            assert answer.status_code == status, answer.text[:500]
            return answer.text

        return text

    return opened


def test_the_overview_counts_and_says_that_it_is_a_rehearsal(
    finished: Path, look: Callable[[Path], Look]
) -> None:
    text = look(finished)("/")
    assert "no evidence about any language model" in text
    assert '<a href="/runs?state=done"><b>4</b> done</a>' in text


@pytest.mark.parametrize(
    "path",
    [
        "/runs/0000000000000000", "/runs/..%2F..%2Fplan.json", "/runs/%2e%2e", "/runs/x/log",
        "/pairs/0000000000000000", "/reads/0000000000000000", "/reads/..%2Fx",
        "/tables/no_such", "/tables/..%2F..%2Fplan.json", "/blobs/00",
        "/blobs/" + "0" * 64, "/blobs/..%2F..%2Fstudy.toml", "/blobs/" + "0" * 63 + "%0a",
        "/runs/0000000000000000/documents/1", "/static/..%2f..%2fapp.py", "/plan.json",
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_found(
    finished: Path, look: Callable[[Path], Look], path: str
) -> None:
    assert "There is no such page in this study" in look(finished)(path, 404)


def test_requests_stand_with_both_reads_and_the_quoted_words(
    changed: Path, look: Callable[[Path], Look]
) -> None:
    cell = studies.hostile(changed)
    text = look(changed)(f"/runs/{cell.run_id}")
    row = text[text.index('<tr id="e2"') : text.index('<tr id="e3"')]
    assert '<mark class="first mirror">&lt;/script&gt;' in row
    assert re.findall(r'class="chip (\w+)"', row) in (["p_only"] * 3, ["q_only"] * 3)
    void = text[text.index('<tr id="e5"') : text.index('<tr id="e6"')]
    assert "UNKNOWN" in void
    assert "a read is void" in void


def test_text_filters_ids_and_logs(changed: Path, look: Callable[[Path], Look]) -> None:
    cell = studies.hostile(changed)
    see = look(changed)
    rows = re.compile(r"<tr class=")
    assert len(rows.findall(see(f"/runs?q={cell.run_id.upper()}"))) == 1
    assert len(rows.findall(see("/runs?q=window.hacked%3D1//"))) == 0
    assert len(rows.findall(see("/runs?q=window.hacked%3D1//&logs=1"))) == 1


def test_a_log_is_shown_up_to_where_it_can_be_read(
    changed: Path, look: Callable[[Path], Look]
) -> None:
    run_id = api.open(changed).cells()[0].run_id
    path = changed / events_key(run_id, 1)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:6]) + lines[6][:40])
    text = look(changed)(f"/runs/{run_id}")
    assert "This run cannot be read wholly" in text
    assert '<tr id="e3"' in text
    assert '<tr id="e7"' not in text


def test_a_damaged_file_is_named(changed: Path, look: Callable[[Path], Look]) -> None:
    study = api.open(changed)
    evaluator = study.plan().evaluators[0]
    read = next(iter(study.readings().records(evaluator)))
    path = changed / read_key(read.evaluator_id, read.packet_id, read.role)
    path.write_text("{", encoding="utf-8")
    see = look(changed)
    assert path.name in see(f"/reads/{read.packet_id}", 500)
    assert "file damaged" in see("/reads?quality=damaged")
    (changed / "plan.json").write_text("{", encoding="utf-8")
    assert "plan.json" in see("/runs", 500)


def test_reads_are_counted_by_what_they_came_to(
    changed: Path, look: Callable[[Path], Look]
) -> None:
    studies.hostile(changed)
    see = look(changed)
    text = see("/reads?quality=some_void")
    assert text.count("quote is not in the request") == 3
    assert "2 of " in text
    assert "2 of " in see("/reads?reason=quote_not_found")


def test_an_index_without_time_says_what_it_has_not_seen(changed: Path) -> None:
    every = ReadIndex(looked_at(changed)).now()
    assert every.unseen == 0
    none = ReadIndex(looked_at(changed), budget=-1).now()
    assert (none.rows, none.unseen) == ((), len({r.packet_id for r in every.rows}))


def test_new_reads_are_seen(changed: Path) -> None:
    index = ReadIndex(looked_at(changed))
    before = len(index.now().rows)
    row = next(r for r in index.now().rows if r.role == "first")
    key = read_key(row.evaluator_id, row.packet_id, ReadRole.FIRST)
    again = read_key(row.evaluator_id, row.packet_id, ReadRole.RETEST)
    (changed / again).unlink(missing_ok=True)
    data = LocalStore(changed).get(key)
    assert data is not None
    index.now()
    LocalStore(changed).put_if_absent(again, data.replace(b'"first"', b'"retest"'))
    assert len(index.now().rows) >= before


def test_a_pair_shows_both_runs(finished: Path, look: Callable[[Path], Look]) -> None:
    pairs = api.open(finished).table("pairs")
    see = look(finished)
    for pair, p, q in zip(pairs["pair_id"], pairs["run_id_p"], pairs["run_id_q"], strict=True):
        text = see(f"/pairs/{pair}")
        assert f"/runs/{p}" in text
        assert f"/runs/{q}" in text
        assert "data of one pair, not estimates" in text


def test_tables_are_shown_in_pages(finished: Path, look: Callable[[Path], Look]) -> None:
    table = api.open(finished).table("long")
    see = look(finished)
    assert "long" in see("/tables")
    assert see("/tables/long").count("<tr>") - 1 == min(len(table), 200)
    assert "evaluator" in see("/tables/long?page=99")


def test_packets_say_the_same_as_the_tables(finished: Path, look: Callable[[Path], Look]) -> None:
    study = api.open(finished)
    requests, see = study.table("requests"), look(finished)
    swapped = 0
    for unit in study.readings().units:
        if unit.kind != "requests":
            continue
        text = see(f"/reads/{unit.packet_id}")
        assert f"/runs/{unit.run_id}" in text
        rows = requests[requests["run_id"] == unit.run_id].set_index("request_no")
        for number, row in rows.iterrows():
            line = text[text.index(f'<th scope="row" class="num">{number}</th>') :]
            chips = re.findall(r'class="chip (\w+)"', line[: line.index("</tr>")])
            assert [c.upper() for c in chips[:2]] == [row["first"], row["mirror"]]
            swapped += "Q_ONLY" in (row["first"], row["mirror"])
    assert swapped


def test_documents_say_the_same_as_the_tables(finished: Path, look: Callable[[Path], Look]) -> None:
    see, checked = look(finished), 0
    for row in api.open(finished).table("documents").to_dict("records"):
        text = see(f"/runs/{row['run_id']}/documents/{row['seq']}")
        line = text[text.index('class="label-line"') :]
        chips = re.findall(r'class="chip (\w+)"', line[: line.index("</p>")])
        assert chips[2].upper() == row["presence"]
        checked += 1
    assert checked > 4


def test_paging_bars_have_names_of_their_own(
    finished: Path, look: Callable[[Path], Look], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("draligned.view.runs.PAGE", 2)
    names = re.findall(r'<nav class="pages" aria-label="([^"]*)"', look(finished)("/runs"))
    assert names == ["Pages, above the list", "Pages, below the list"]


def test_pairs_are_opened_from_their_table(finished: Path, look: Callable[[Path], Look]) -> None:
    see = look(finished)
    for pair in api.open(finished).table("pairs")["pair_id"]:
        assert f'href="/pairs/{pair}"' in see("/tables/pairs")
        see(f"/pairs/{pair}")


def test_commands_stand_in_code_and_nothing_leads_nowhere(
    drafted: Path, changed: Path, look: Callable[[Path], Look]
) -> None:
    see = look(drafted)
    assert "<code>draligned run</code>" in see("/")
    assert "<form" not in see("/runs")  # nothing to filter
    cell = studies.more(changed, 2)[0]
    waiting = look(changed)(f"/runs/{cell.run_id}")
    assert "Nothing is logged yet." in waiting
    assert f"/runs/{cell.run_id}/log" not in waiting


def test_a_run_that_nobody_was_asked_to_read_is_said_to_be_done(
    changed: Path, look: Callable[[Path], Look]
) -> None:
    plan = api.open(changed).plan()
    (changed / "plan.json").write_text(plan.model_copy(update={"evaluators": ()}).to_json())
    cell = api.open(changed).cells()[0]
    text = look(changed)(f"/pairs/{pair_id(cell)}")
    assert text.count("done, but no evaluator has been asked to read it yet") == 2
    assert 'class="grid"' not in text  # no step to number
