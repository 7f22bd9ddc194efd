"""From a packet back to the runs that it is of."""

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from draligned import api
from draligned.schema.observed import ObservedRun
from draligned.view import owners
from draligned.view.app import make_app
from draligned.view.guard import Guard

ClientOf = Callable[[Guard], TestClient]


def _texts(run: ObservedRun) -> set[str]:
    return {d.text_sha256 for d in (*run.drafts, *([run.final] if run.final else []))}


def test_every_packet_leads_back_to_its_runs(finished: Path, client_of: ClientOf) -> None:
    study = api.open(finished)
    client = client_of(make_app(finished))
    for unit in study.readings().units:
        text = client.get(f"/reads/{unit.packet_id}").text
        wanted = {r.run_id for r in study.observed() if unit.run_id == r.run_id}
        wanted |= {r.run_id for r in study.observed() if unit.text_sha256 in _texts(r)}
        assert wanted
        for run in study.observed():
            assert (f'href="/runs/{run.run_id}?' in text) == (run.run_id in wanted)


def test_a_run_that_is_named_is_believed_only_if_it_has_the_text(
    finished: Path, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = api.open(finished)
    run = next(r for r in study.observed() if r.final)
    unit = next(
        u for u in study.readings().units if run.final and u.text_sha256 == run.final.text_sha256
    )
    client = client_of(make_app(finished))
    wrong = next(r for r in study.observed() if r.run_id != run.run_id)
    text = client.get(f"/reads/{unit.packet_id}?run={wrong.run_id}").text
    assert f'href="/runs/{run.run_id}?' in text
    named = client.get(f"/reads/{unit.packet_id}?run={run.run_id}").text
    assert f'href="/runs/{run.run_id}?' in named
    monkeypatch.setattr(owners, "MOST", 0)
    assert 'href="/runs/' not in client.get(f"/reads/{unit.packet_id}").text
