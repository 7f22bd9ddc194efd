"""Recorded worlds: matched answers while recording, and the same study again without a network."""

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import draligned
from draligned.api import Study, running
from draligned.harnesses.episode import run_episode
from draligned.schema.errors import ReplayError
from draligned.schema.events import Event, RequestExecuted, ToolResult
from draligned.schema.retrieval import ReturnStatus
from draligned.study.attempts import events_key
from draligned.study.log import read_events

from .studies import started, table_bytes
from .web import COMMON, DOWN, MISSING, Web, served, settings

UNRECORDED = shutil.ignore_patterns(
    "runs", "reads", "tables", "report", "ledger", "launches", "claims", "plan.json"
)
AGAIN = """
import socket, sys
from functools import partial
import draligned
from draligned.api import running
from draligned.harnesses.episode import run_episode
running.run_episode = partial(run_episode, retry_waits=(0.0, 0.0))
try:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except ConnectionRefusedError:
    raise SystemExit("there is a network here")
except OSError:
    pass
study = draligned.open(sys.argv[1])
assert study.run(retrieval="replay", models="replay").left_open == 0
assert study.evaluate(models="replay").left_open == 0
study.measure()
"""

MORTAL = """
import os, signal, sys
from functools import partial
import draligned
from draligned.api import running
from draligned.harnesses.episode import run_episode
from draligned.store import local
running.run_episode = partial(run_episode, retry_waits=(0.0, 0.0))
write_all, left, word = local._write_all, [int(sys.argv[2])], sys.argv[3].encode()

def write(handle, data):
    left[0] -= word in data
    if left[0] or word not in data:
        return write_all(handle, data)
    os.write(handle, data[: len(data) // 2])
    os.kill(os.getpid(), signal.SIGKILL)

local._write_all = write
draligned.open(sys.argv[1]).run(concurrency=8)
"""


@pytest.fixture(scope="module", autouse=True)
def _no_waits() -> Iterator[None]:
    """Requests that fail are tried again at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "run_episode", partial(run_episode, retry_waits=(0.0, 0.0)))
        yield


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with served() as found:
        yield found


def begun(root: Path, web: Web, **more: Any) -> Study:
    """A study of that web, constructed."""
    root.mkdir(parents=True)
    (root / "study.toml").write_text(settings(web.url, **more), encoding="utf-8")
    study = draligned.open(root)
    study.construct()
    return study


@pytest.fixture(scope="module")
def recorded(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Sixty-four episodes at once, recorded, read and measured."""
    study = begun(tmp_path_factory.mktemp("recorded") / "study", web, tasks=4, replicates=8)
    web.asked.clear()
    assert study.run().left_open == 0
    assert study.evaluate().left_open == 0
    study.measure()
    return study


def log(study: Study, run_id: str) -> list[Event]:
    """The events of a run's first attempt."""
    return read_events(study.folder.store, events_key(run_id, 1))


def told(study: Study) -> dict[str, list[dict[str, Any]]]:
    """Events of every run as a replay must give them again."""
    out = {}
    for cell in study.cells():
        bodies = [e.body.model_dump(mode="json") for e in log(study, cell.run_id)]
        for body in bodies:
            for key in ("environment_hit", "age_seconds", "first_fetcher"):
                body.pop(key, None)
        out[cell.run_id] = bodies
    return out


def answers(
    study: Study, run_id: str
) -> dict[tuple[str, str, int, int], tuple[str, RequestExecuted]]:
    """What the agent was shown for each request, by tool, request and place."""
    events = [event.body for event in log(study, run_id)]
    shown = {(b.sequence, b.call_index): b for b in events if isinstance(b, ToolResult)}
    return {
        (b.tool, b.request, b.sequence, b.call_index): (
            shown[b.sequence, b.call_index].text_sha256, b,
        )
        for b in events
        if isinstance(b, RequestExecuted)
    }  # fmt: skip


def test_p_and_q_get_the_same_bytes_with_64_episodes_in_flight(recorded: Study, web: Web) -> None:
    pairs = defaultdict(list)
    for cell in recorded.cells():
        pairs[cell.pair].append(cell.run_id)
    assert len(pairs) == 32
    assert web.most_under_way > 8
    matched = 0
    for p, q in pairs.values():
        of_p, of_q = answers(recorded, p), answers(recorded, q)
        for place in of_p.keys() & of_q.keys():
            matched += 1
            assert of_p[place][0] == of_q[place][0]
    assert matched >= 32 * 3
    assert web.asked[COMMON] == 1
    assert web.asked[MISSING] == 1
    assert web.asked[DOWN] > 1


def test_hits_ages_and_first_fetchers_are_logged(recorded: Study) -> None:
    asked = defaultdict(list)
    for cell in recorded.cells():
        for (tool, request, *_), (_, body) in answers(recorded, cell.run_id).items():
            asked[tool, request].append((cell.run_id, body))
    for found in asked.values():
        statuses = {body.return_status for _, body in found}
        if ReturnStatus.ERROR in statuses:
            assert {(b.environment_hit, b.age_seconds, b.first_fetcher) for _, b in found} == {
                (False, None, None)
            }
            continue
        (fetcher,) = {body.first_fetcher for _, body in found}
        assert [run for run, body in found if body.environment_hit is False] == [fetcher]
        assert all(body.age_seconds is not None for _, body in found)


def test_a_whole_study_again_without_any_network(recorded: Study, tmp_path: Path) -> None:
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine gives no network namespace to its users")
    copy = tmp_path / "again"
    shutil.copytree(recorded.folder.root, copy, ignore=UNRECORDED)
    done = subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", AGAIN, str(copy)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    again = draligned.open(copy)
    assert told(again) == told(recorded)
    assert table_bytes(again) == table_bytes(recorded)
    assert len(table_bytes(again)) >= 10


def test_what_is_exported_is_enough_for_a_replay(recorded: Study, tmp_path: Path) -> None:
    members, size = recorded.export_retrieval(tmp_path / "all.tar", replies=True)
    assert recorded.export_retrieval(tmp_path / "again.tar", replies=True) == (members, size)
    assert (tmp_path / "all.tar").read_bytes() == (tmp_path / "again.tar").read_bytes()
    root = tmp_path / "elsewhere"
    root.mkdir()
    for name in ("study.toml", "design"):
        source = recorded.folder.root / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
    study = draligned.open(root)
    with pytest.raises(ReplayError, match=r"call 1 of .* was not recorded"):
        study.run(retrieval="replay", models="replay")
    assert study.import_retrieval(tmp_path / "all.tar") == (members, 0, 0)
    assert study.import_retrieval(tmp_path / "all.tar") == (0, members, 0)
    assert study.run(retrieval="replay", models="replay").left_open == 0
    assert told(study) == told(recorded)


def test_a_miss_ends_the_command_by_name_and_leaves_the_cells_open(
    recorded: Study, tmp_path: Path
) -> None:
    copy = tmp_path / "less"
    shutil.copytree(recorded.folder.root, copy, ignore=UNRECORDED)
    gone = sorted(copy.glob("retrieval/*/study/*.json"))[0]
    gone.unlink()
    study = draligned.open(copy)
    with pytest.raises(ReplayError) as missed:
        study.run(retrieval="replay", models="replay")
    assert missed.value.key == gone.relative_to(copy).as_posix()
    for lost in copy.glob("replay/calls/*/1-2.json"):
        lost.unlink()
    shutil.copy(recorded.folder.root / gone.relative_to(copy), gone)
    with pytest.raises(ReplayError, match=r"call 2 of .* was not recorded"):
        draligned.open(copy).run(retrieval="replay", models="replay")
    assert {s.state for s in draligned.open(copy).readings().states.values()} <= {"open", "done"}


def test_five_replicates_are_five_runs(recorded: Study) -> None:
    groups = defaultdict(list)
    for cell in recorded.cells():
        said = [e.body.to_json() for e in log(recorded, cell.run_id) if e.body.kind == "model_turn"]
        groups[cell.condition_id].append("\n".join(said))
    assert {len(logs) for logs in groups.values()} == {8}
    assert all(len(set(logs)) == 8 for logs in groups.values())


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ('scope = "pair"', 4),
        ('scope = "task"', 2),
        ("", 1),
        ("snapshots = 2", 2),
        ('scope = "pair"\nsnapshots = 2', 8),
        ('mode = "live"', 8),
    ],
)
def test_scopes_and_snapshots(web: Web, tmp_path: Path, source: str, asked: int) -> None:
    study = begun(tmp_path / "study", web, tasks=2, replicates=2, source=source)
    web.asked.clear()
    assert study.run().left_open == 0
    assert web.asked[COMMON] == asked
    snapshots = 2 if "snapshots" in source else 1
    assert len(study.cells()) == 8 * snapshots
    stats = study.retrieval_stats()
    assert len(stats) == snapshots
    assert all(bool(s.stored) is ("live" not in source) for s in stats)
    assert all(s.hits + s.misses + s.live == s.requests == 8 * 6 for s in stats)
    assert all(s.failures == {"error": 8, "not_found": 8} for s in stats)


@pytest.mark.slow
def test_two_processes_record_one_world(web: Web, tmp_path: Path) -> None:
    study = begun(tmp_path / "study", web, tasks=2, replicates=2)
    study.freeze()
    root = study.folder.root
    both = [started("run", str(root), cwd=tmp_path) for _ in range(2)]
    ends = [process.communicate(timeout=300) for process in both]
    assert all(process.returncode in (0, 3) for process in both), ends
    shared = draligned.open(root)
    fetchers = defaultdict(set)
    for cell in shared.cells():
        for (tool, request, *_), (_, body) in answers(shared, cell.run_id).items():
            if body.first_fetcher is not None:
                fetchers[tool, request].add(body.first_fetcher)
    assert fetchers
    assert all(len(found) == 1 for found in fetchers.values())
    copy = tmp_path / "again"
    shutil.copytree(root, copy, ignore=UNRECORDED)
    again = draligned.open(copy)
    assert again.run(retrieval="replay", models="replay").left_open == 0
    assert told(again) == told(shared)


def test_headers_say_what_came_from_where(recorded: Study, tmp_path: Path) -> None:
    header = json.loads(next(recorded.folder.root.glob("runs/*/a1/header.json")).read_text("utf-8"))
    assert (header["retrieval"], header["models"]) == ("record", "live")


@pytest.mark.slow
def test_a_study_killed_again_and_again_is_replayed_as_it_went(web: Web, tmp_path: Path) -> None:
    study = begun(tmp_path / "study", web, tasks=2, replicates=2)
    study.freeze()
    root = study.folder.root
    deaths = [(25, ""), (3, "model_turn"), (2, "request_executed"), (31, ""), (5, "model_turn")]
    for at, word in deaths:
        done = subprocess.run(
            [sys.executable, "-c", MORTAL, str(root), str(at), word],
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == -9, done.stderr
    finished = draligned.open(root)
    assert finished.run().left_open == 0
    copy = tmp_path / "again"
    shutil.copytree(root, copy, ignore=UNRECORDED)
    again = draligned.open(copy)
    assert again.run(retrieval="replay", models="replay").left_open == 0
    assert told(again) == told(finished)
