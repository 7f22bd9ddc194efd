"""Killed anywhere and resumed, a study gives the same tables and asks nothing twice."""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import draligned

from .studies import constructed, table_bytes

HERE = Path(__file__).parent
STUDIES, KILLS = 10, 5
CONCURRENCY = 4
Calls = set[tuple[int, int]]
"""Declared seed and number of assistant messages: (run, sequence), or a read."""
LOOPBACK = """
[run]
models = ["agent-a", "agent-b"]
concurrency = {concurrency}

[evaluate]
evaluators = ["reader"]
concurrency = {concurrency}

[providers.loopback]
base_url = "{url}"
api_key_env = "PROOF_LIFE"
send_seed = true

[models]
agent-a = {{ provider = "loopback", model = "rehearsal-agent-a" }}
agent-b = {{ provider = "loopback", model = "rehearsal-agent-b" }}
reader = {{ provider = "loopback", model = "rehearsal-reader" }}
"""


@dataclass(frozen=True)
class Told:
    """What the killed studies and the counting server say."""

    work: Path
    studies: list[dict[str, Any]]
    asked: dict[str, Counter[tuple[int, int]]]
    """Calls that reached the server, by life."""

    @property
    def kills(self) -> list[dict[str, Any]]:
        return [life for s in self.studies for life in s["lives"] if life["killed"]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A counting rehearsal server: its base URL and its log."""
    log = tmp_path_factory.mktemp("server") / "asked.jsonl"
    with subprocess.Popen(
        [sys.executable, HERE / "counted_server.py", log], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), log
        process.kill()


@pytest.fixture(scope="module")
def told(server: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Told:
    """50 kills over ten studies, all of them resumed to their end."""
    work = tmp_path_factory.mktemp("mortal")
    more = LOOPBACK.format(url=server[0], concurrency=CONCURRENCY)
    constructed(work / "drafted", more=more)
    words = [work / "drafted", work, 20260929, STUDIES, KILLS]
    done = subprocess.run(
        [sys.executable, HERE / "mortal.py", *map(str, words)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    asked: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    for line in server[1].read_text("utf-8").splitlines():
        life, seed, turns = json.loads(line)
        asked[life][seed, turns] += 1
    return Told(work, json.loads(done.stdout)["studies"], asked)


pytestmark = pytest.mark.slow


def test_the_kills_fall_everywhere(told: Told) -> None:
    assert len(told.kills) >= 0.8 * STUDIES * KILLS
    assert {life["how"] for life in told.kills} == {"before", "amid", "after", "request", "time"}
    stages = {_stage(told, life["life"]) for life in told.kills}
    assert {"run", "evaluate"} <= stages


def test_every_study_comes_to_its_end(told: Told) -> None:
    ends = [s["lives"][-1] for s in told.studies]
    assert [e["code"] for e in ends] == [0] * STUDIES, _errors(told)
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


def _stage(told: Told, life: str) -> str:
    asked = told.asked[life]
    return "evaluate" if asked and all(turns == 0 for _, turns in asked) else "run"


def _errors(told: Told) -> str:
    return "".join(p.read_text("utf-8")[-3000:] for p in told.work.glob("*.err"))
