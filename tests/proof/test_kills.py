"""Killed anywhere and resumed, a study gives the same tables and asks nothing twice."""

import pytest

import draligned

from .killing import CONCURRENCY, Call, Told, tell
from .studies import table_bytes

KILLS, EACH = 50, 5
Calls = set[Call]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """50 kills over ten studies or more, all of them resumed to their end."""
    return tell(tmp_path_factory.mktemp("mortal"), seed=20260929, kills=KILLS, each=EACH)


pytestmark = pytest.mark.slow


def test_the_kills_fall_everywhere(told: Told) -> None:
    assert len(told.kills) == KILLS
    assert {life["how"] for life in told.kills} == {"before", "amid", "after", "request", "time"}
    stages = {told.stage(life) for life in told.kills}
    assert {"run", "evaluate"} <= stages


def test_every_study_comes_to_its_end(told: Told) -> None:
    ends = [s["lives"][-1] for s in told.studies]
    assert {e["code"] for e in ends} == {0}, _errors(told)
    assert not any(list(told.work.glob("*/runs/*/a2")))


def test_the_tables_are_those_of_an_uninterrupted_study(told: Told) -> None:
    whole = table_bytes(draligned.open(told.work / "whole"))
    assert len(whole) >= 10
    for study in told.studies:
        assert table_bytes(draligned.open(study["root"])) == whole, study["root"]


def test_nothing_is_asked_twice_but_what_was_in_flight_at_a_kill(told: Told) -> None:
    again = 0
    for study in told.studies:
        asked: Calls = set()
        stored: Calls = set()
        lost: Calls = set()
        for life in study["lives"]:
            counts = told.asked[life["life"]]
            assert set(counts.values()) <= {1}, "asked twice in one life"
            now = set(counts)
            assert not now & stored, "asked although its answer was stored"
            repeated = now & asked
            assert repeated <= lost, "asked again although no kill met it in flight"
            assert len(repeated) <= CONCURRENCY
            stored = _calls(life["stored"])
            asked, lost = asked | now, (lost | now) - stored
            flying = {call for call in now - stored if call[0] in life["runs"]}
            assert flying <= _calls(life["flying"]), "asked for, and no log says so"
            again += len(repeated)
    assert 0 < again <= CONCURRENCY * len(told.kills)


def test_all_studies_ask_for_the_same_and_no_more(told: Told) -> None:
    whole = set(told.asked["whole"])
    assert set(told.asked["whole"].values()) == {1}
    for study in told.studies:
        calls = {call for life in study["lives"] for call in told.asked[life["life"]]}
        assert calls == whole


def _calls(listed: list[list[int]]) -> Calls:
    return {(seed, turns) for seed, turns in listed}


def _errors(told: Told) -> str:
    return "".join(p.read_text("utf-8")[-3000:] for p in told.work.glob("*.err"))
