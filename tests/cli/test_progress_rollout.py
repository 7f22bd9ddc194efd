"""progress rollout: what it says, and how it ends."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest

import draligned
from tests.cli.console import CLI, call, snapshot


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with two arms run by one deployment."""
    root = tmp_path_factory.mktemp("rollout")
    said = call("progress", "rollout", str(root), "--gate", "B1,B2", "--model", "table20-h")
    assert said.code == 0, said
    return root


def rows(out: str, begins: str) -> list[list[str]]:
    return [line.split() for line in out.splitlines() if line.startswith(begins)]


def test_a_rollout_says_how_it_stands_and_that_it_is_no_evidence(whole: Path) -> None:
    said = call("progress", "rollout", str(whole), "--gate", "B1", "--model", "table20-h")
    assert said.code == 0
    assert "0 done, 0 left open." in said.out
    assert rows(said.out, "table20-h ") == [
        ["table20-h", "B1", "zh", "72", "72", "0", "1", "0", "yes"],
        ["table20-h", "B2", "zh", "72", "72", "0", "0", "0", "yes"],
    ]
    assert "no evidence about any language model" in said.out


def test_measure_prints_outcomes_and_what_they_do_not_show(whole: Path) -> None:
    said = call("progress", "measure", "rollout", str(whole))
    assert said.code == 0
    (b1,) = rows(said.out, "A      B1 ")
    assert b1[2:9] == ["49", "11", "2", "9", "0", "1", "72"]
    (contrast,) = rows(said.out, "B2 - B1")
    assert contrast[3] == "15.278"
    assert "Configurations, not gates, are compared" in said.out


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    said = call("progress", "rollout", str(tmp_path), "--dry-run")
    assert said.code == 0
    assert rows(said.out, "rehearsal ")[0][1] == "288"
    assert snapshot(tmp_path) == {}


def test_a_limit_leaves_the_rest_open(tmp_path: Path) -> None:
    said = call("progress", "rollout", str(tmp_path), "--gate", "B2", "--limit", "2")
    assert said.code == 3
    assert "2 done, 70 left open." in said.out
    assert "incomplete: under 95 %" in call("progress", "status", str(tmp_path)).out
    refused = call("progress", "measure", "rollout", str(tmp_path))
    assert (refused.code, len(refused.err.splitlines())) == (2, 1)
    assert "no rollout is admitted and complete" in refused.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--gate", "B9"], "there is no gate 'B9'; there are B1, B2, A, "),
        (["--gate", "B1", "--repetitions", "5"], "go on with `--repetitions 6`"),
        (["--model", "nobody"], "unknown model 'nobody'"),
    ],
)
def test_mistakes_are_one_line(whole: Path, options: list[str], said: str) -> None:
    found = call("progress", "rollout", str(whole), *options)
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert said in found.err


def test_an_audit_names_what_is_suspect(tmp_path: Path) -> None:
    said = call("progress", "rollout", str(tmp_path), "--gate", "A1", "--model", "rehearsal-hasty")
    assert said.code == 0
    found = call("progress", "audit", str(tmp_path))
    assert found.code == 0
    assert "336 calls of the audit set come to what is known of them." in found.out
    assert "12 recorded refusals, 12 suspect:" in found.out
    assert rows(found.out, "A1 ")[0] == [
        "A1",
        "rehearsal-hasty",
        "value_not_accepted",
        "True",
        "12",
    ]


def test_regate_says_what_it_cannot_show(whole: Path) -> None:
    said = call("progress", "regate", str(whole), "--gate", "marker,typed_state")
    assert said.code == 0
    counted = {(r[1], r[3]): r[4:13] for r in rows(said.out, "rollout ")}
    assert counted["B1", "marker"][:5] == ["72", "49", "2", "0", "20"]
    assert counted["B2", "marker"][:5] == ["72", "0", "0", "60", "12"]
    assert counted["B1", "typed_state"][:5] == ["72", "49", "0", "0", "22"]
    assert "not_asked: what this gate reads was never asked for here." in said.out
    assert "would have done after another answer" in said.out.replace("\n", " ")


def test_regate_without_records_or_with_another_name_is_one_line(tmp_path: Path) -> None:
    for words in ([str(tmp_path)], [str(tmp_path), "--gate", "B1"], [str(tmp_path / "none")]):
        found = call("progress", "regate", *words)
        assert (found.code, len(found.err.splitlines())) == (2, 1)


def test_a_trajectory_is_shown_turn_by_turn(whole: Path) -> None:
    frame = draligned.open(whole).rollouts.frame()
    chosen = frame[(frame["arm"] == "B1") & (frame["outcome"] == "dead_end")].iloc[0]
    said = call("progress", "show", chosen["trajectory_id"][:12], str(whole))
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == f"trajectory {chosen['trajectory_id']}: gate B1, table20-h"
    assert lines[2] == "1. true: needs_information, not on a tool result"
    assert "2. true: needs_information" in lines
    assert lines[-1] == "outcome: dead_end (stopped by unmarked); both steps done: no"
    several = call("progress", "show", chosen["trajectory_id"][:1], str(whole))
    assert "trajectories have an id that begins with" in several.err
    nothing = call("progress", "show", "zzzz", str(whole))
    assert (nothing.code, len(nothing.err.splitlines())) == (2, 1)


def _written(root: Path) -> int:
    """Bytes of steps so far."""
    return sum(p.stat().st_size for p in root.glob("progress/rollout/lanes/*/steps.jsonl"))


@pytest.mark.slow
def test_a_rollout_killed_again_and_again_comes_to_the_same_steps(
    whole: Path, tmp_path: Path
) -> None:
    """Processes killed outright in mid-work; then the same steps as of one that was not."""
    words = ["progress", "rollout", str(tmp_path), "--gate", "B1,B2", "--model", "table20-h"]
    kills = 0
    for _ in range(5):
        work = subprocess.Popen(
            [*CLI, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        begun = _written(tmp_path)
        while work.poll() is None and _written(tmp_path) < begun + 20_000:
            time.sleep(0.002)
        kills += work.poll() is None
        work.kill()
        work.wait()
    assert call(*words).code == 0
    assert kills > 1
    (calm,) = (whole / "progress/rollout/lanes").glob("*/steps.jsonl")
    (killed,) = (tmp_path / "progress/rollout/lanes").glob("*/steps.jsonl")
    assert sorted(killed.read_bytes().splitlines()) == sorted(calm.read_bytes().splitlines())


def test_a_replay_of_recorded_calls_comes_to_the_same_steps(tmp_path: Path) -> None:
    """Losses among them; `--models replay` reaches no provider."""
    (tmp_path / "study.toml").write_text("[run]\nrecord_models = true\n", encoding="utf-8")
    words = ["progress", "rollout", str(tmp_path), "--gate", "B1", "--model", "table20-e"]
    assert call(*words).code == 0
    (first,) = (tmp_path / "progress/rollout/lanes").glob("*/steps.jsonl")
    wanted = sorted(first.read_bytes().splitlines())
    shutil.rmtree(tmp_path / "progress/rollout/lanes")
    assert call(*words, "--models", "replay").code == 0
    assert sorted(first.read_bytes().splitlines()) == wanted
    assert any(b'"outcome":"transport"' in line for line in wanted)
