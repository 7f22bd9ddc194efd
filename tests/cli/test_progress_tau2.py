"""progress tau2 run, score: what they refuse, and what they print; without tau2-bench."""

import importlib.util
import json
from pathlib import Path

import pandas as pd
import pytest

from draligned.progress.tau2 import benchmark
from tests.cli.console import call
from tests.progress.tau2 import toy
from tests.progress.tau2.made import SECRET, results, run
from tests.progress.tau2.test_frame import REPAIR, RIGHT, repair
from tests.progress.tau2.test_launch import DUTY

NONE = importlib.util.find_spec("tau2") is None
absent = pytest.mark.skipif(not NONE, reason="tau2-bench is installed here")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A results file of the stand-in for the benchmark."""
    runs = [run(REPAIR, repair(*RIGHT)), run("[x]unknown", []), {"id": "odd", "messages": SECRET}]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results(toy.PHONE, toy.embedded(toy.REPAIR), runs)))
    return path


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in as if it were installed."""
    monkeypatch.setattr(benchmark, "load_benchmark", toy.benchmark)


def one_line(*arguments: str) -> str:
    """What a refusal says."""
    said = call("progress", "tau2", *arguments)
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert SECRET not in said.err + said.out
    return said.err


@absent
def test_a_broken_file_is_refused_before_tau2_is_asked_for(file: Path) -> None:
    file.write_text(file.read_text()[:500])
    assert "is cut off" in one_line("score", str(file))


@absent
def test_a_whole_file_needs_tau2_and_the_message_says_how_to_get_it(file: Path) -> None:
    said = one_line("score", str(file))
    assert "pip install" in said
    assert "Python 3.12" in said


@absent
def test_running_needs_tau2(tmp_path: Path) -> None:
    said = one_line("run", "a", str(tmp_path), "--agent-llm", "x", "--user-llm", "y",
                    "--agent-args", '{"max_tokens": 9}')  # fmt: skip
    assert "pip install" in said
    assert not list(tmp_path.iterdir())


def test_a_key_among_the_settings_is_refused_and_not_repeated(tmp_path: Path) -> None:
    for held in ({"api_key": SECRET}, {"extra_body": [{"x": {"api_key": SECRET}}]}):
        said = one_line("run", "a", str(tmp_path), "--agent-llm", "x", "--user-llm", "y",
                        "--agent-args", json.dumps(held))  # fmt: skip
        assert "environment" in said
    said = one_line("run", "a", str(tmp_path), "--agent-llm", "x", "--user-llm", "y",
                    "--user-args", "no json")  # fmt: skip
    assert "--user-args" in said


@pytest.mark.usefixtures("installed")
def test_a_score_is_printed_and_kept(file: Path, tmp_path: Path) -> None:
    out, study = tmp_path / "out", tmp_path / "study"
    said = call("progress", "tau2", "score", str(file), "--out", str(out), "--study", str(study),
                "--name", "first", "--as", "my-agent")  # fmt: skip
    assert said.code == 0, said.err
    assert "my-agent" in said.out
    assert "1/1" in said.out
    assert "2 of 3 runs are in no number: 1 unknown_task, 1 unreadable_run." in said.out
    assert json.loads((out / "score.json").read_text())["left_out"] == {
        "unknown_task": 1, "unreadable_run": 1,
    }  # fmt: skip
    assert SECRET not in said.out
    assert (out / "csv" / "stages.csv").is_file()
    assert (study / "progress" / "tau2" / "first" / "tables" / "stages.parquet").is_file()
    for kept in (*out.rglob("*"), *study.rglob("*")):
        assert not kept.is_file() or SECRET.encode() not in kept.read_bytes()


@pytest.mark.usefixtures("installed")
def test_every_row_says_whether_it_was_played(file: Path, tmp_path: Path) -> None:
    other = file.parent / "played.json"
    text = file.read_text().replace("openai/m", "openai/rehearsal-agent")
    other.write_text(text.replace("run-", "played-"))
    said = call("progress", "tau2", "score", str(file), str(other), "--out", str(tmp_path / "out"))
    assert said.code == 0, said.err
    for name in ("lanes", "runs", "base_rates"):
        table = pd.read_parquet(tmp_path / "out" / "tables" / f"{name}.parquet")
        assert set(zip(table["deployment"], table["rehearsal"], strict=True)) == {
            ("openai/m", False), ("openai/rehearsal-agent", True),
        }  # fmt: skip


@pytest.mark.usefixtures("installed")
def test_without_a_place_nothing_is_written(file: Path) -> None:
    before = sorted(file.parent.rglob("*"))
    said = call("progress", "tau2", "score", str(file))
    assert said.code == 0
    assert "Nothing was written" in said.out
    assert sorted(file.parent.rglob("*")) == before


@pytest.mark.usefixtures("installed")
def test_names_simulators_and_files_are_checked(file: Path) -> None:
    assert "give one each" in one_line("score", str(file), "--as", "a", "--as", "b")
    assert "openai/u" in one_line("score", str(file), "--simulator", "someone")
    assert "no name" in one_line("score", str(file), "--name", "../x")
    assert "twice" in one_line("score", str(file), str(file))


@pytest.mark.usefixtures("installed")
def test_a_simulator_that_is_kept_is_kept_everywhere(file: Path, tmp_path: Path) -> None:
    other = [{**m, "raw_data": {"model": "other"}} if m["role"] == "user" else m
             for m in repair(*RIGHT)]  # fmt: skip
    held = json.loads(file.read_text())
    held["simulations"].append(run(REPAIR, other, trial=1))
    file.write_text(json.dumps(held))
    out = tmp_path / "out"
    said = call("progress", "tau2", "score", str(file), "--simulator", "other", "--out", str(out))
    assert "2 runs on another simulator were left out" in said.out
    assert "1 of 2 runs are in no number: 1 unreadable_run" in said.out, (
        "it is on none that is known"
    )
    for name, rows in (("runs", 2), ("checkpoints", 4)):
        assert len((out / "csv" / f"{name}.csv").read_text().splitlines()) == rows + 1
    calls = (out / "csv" / "reasoning.csv").read_text()
    assert sum(m["role"] == "assistant" for m in other[1:]) == int(
        calls.splitlines()[1].split(",")[3]
    )


@pytest.mark.usefixtures("installed")
def test_the_same_file_gives_the_same_bytes(file: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        call("progress", "tau2", "score", str(file), "--out", str(tmp_path / name))
    first, second = (
        {p.relative_to(tmp_path / n): p.read_bytes() for p in (tmp_path / n).rglob("*.*")
         if p.is_file()} for n in ("a", "b")
    )  # fmt: skip
    assert first == second


@pytest.mark.usefixtures("installed")
def test_a_score_has_the_name_of_the_run_that_made_the_file(file: Path, tmp_path: Path) -> None:
    (file.parent / "duty.json").write_text(DUTY.to_json())
    said = call("progress", "tau2", "score", str(file), "--study", str(tmp_path / "study"))
    assert f"progress/tau2/{DUTY.name}/tables" in said.out
