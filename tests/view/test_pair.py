"""Runs of the controls beside those that they are compared with."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from draligned import api
from draligned.schema.labels import RunSet, Side
from draligned.study.inventory import RunCell
from draligned.view.app import make_app
from draligned.view.guard import Guard
from draligned.view.index import StudyIndex
from draligned.view.readonly import looked_at
from draligned.view.run import stand_beside
from tests.cli.console import SMALL

ClientOf = Callable[[Guard], TestClient]


@pytest.fixture(scope="module")
def controlled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with A/A, neutral and two-factor runs, of which none was read."""
    root = tmp_path_factory.mktemp("controlled") / "controlled"
    root.mkdir()
    asked = re.sub("(aa|neutral)_share = 0", r"\1_share = 1", SMALL)
    (root / "study.toml").write_text(asked, encoding="utf-8")
    study = api.open(root)
    study.construct(two_factor=1)
    study.run()
    return root


def _stands(root: Path, cell: RunCell) -> set[tuple[RunSet, Side]]:
    now = StudyIndex(looked_at(root)).now()
    row = now.row(cell.run_id)
    assert row is not None
    found = stand_beside(now, row)
    assert all(r.cell.model_key == cell.model_key for r in found)
    return {(r.cell.run_set, r.cell.arm) for r in found}


def test_each_control_stands_beside_what_it_is_compared_with(controlled: Path) -> None:
    cells = api.open(controlled).cells()
    of = {s: [c for c in cells if c.run_set is s] for s in RunSet}
    assert _stands(controlled, of[RunSet.AA][0]) == {(RunSet.PANEL, Side.P)}
    both = {(RunSet.PANEL, Side.P), (RunSet.PANEL, Side.Q)}
    assert _stands(controlled, of[RunSet.NEUTRAL][0]) == both
    panel = next(c for c in of[RunSet.PANEL] if c.pair == of[RunSet.AA][0].pair and c.arm == "Q")
    assert _stands(controlled, panel) == {(RunSet.NEUTRAL, Side.P)}
    for cell in of[RunSet.TWO_FACTOR]:
        assert _stands(controlled, cell) == {(RunSet.TWO_FACTOR, cell.arm.other)}


def test_an_aa_run_has_a_page_beside_its_first_run(controlled: Path, client_of: ClientOf) -> None:
    cells = api.open(controlled).cells()
    again = next(c for c in cells if c.run_set is RunSet.AA)
    client = client_of(make_app(controlled, lang="en"))
    text = client.get(f"/runs/{again.run_id}").text
    assert "replicate 0" not in text
    path = re.search(rf'href="(/runs/{again.run_id}/beside/[0-9a-f]+)"', text)
    assert path is not None
    page = client.get(path[1]).text
    assert page.count('<section aria-labelledby="run-') == 2
    assert "This is no pair of P and Q" in page
    assert f"/runs/{again.run_id}?" in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    marks = re.findall(r'<a href="#([ab]\d+)"', page)
    assert {m[0] for m in marks} <= {"a", "b"}
    assert set(marks) <= set(ids)


def test_runs_of_other_facts_do_not_stand_beside_each_other(
    controlled: Path, client_of: ClientOf
) -> None:
    cell = api.open(controlled).cells()[0]
    client = client_of(make_app(controlled))
    for other in (cell.run_id, "0" * 16, "..%2Fplan.json"):
        assert client.get(f"/runs/{cell.run_id}/beside/{other}").status_code == 404
