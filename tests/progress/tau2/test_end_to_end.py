"""A scripted model plays agent and customer of a telecom task through `tau2 run` and `score`."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from draligned.progress.tau2.agents import block
from draligned.progress.tau2.benchmark import Benchmark
from draligned.schema.base import sha256_text
from draligned.schema.tau2 import DutyArm, DutyRun
from tests.progress.tau2.scripted import AGENT, CUSTOMER, TASK, Server, serving

pytestmark = [pytest.mark.tau2, pytest.mark.filterwarnings("ignore")]
CLI = (sys.executable, "-c", "from draligned.cli.main import main; main()")
LABELS = [
    (1, "before_acting", "NEEDS_INFO", "correct"), (2, "before_acting", "READY", "correct"),
    (3, "mid_task", "POST_OBS", "correct"), (4, "mid_task", "POST_OBS", "correct"),
    (5, "mid_task", "COMPLETED", "premature"), (6, "completed", "COMPLETED", "correct"),
]  # fmt: skip
"""Of the six messages to the customer; at the fifth the phone was not restarted yet."""
KEY = "sk-only-in-the-environment-0123456789"


@dataclass(frozen=True)
class Ended:
    """A run, what the model was asked, and what was printed."""

    study: Path
    server: Server
    said: str

    @property
    def folder(self) -> Path:
        """Where the run is kept."""
        return self.study / "progress" / "tau2" / "one"


def command(server: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The console command, its model on the loopback."""
    environment = {**os.environ, "OPENAI_API_BASE": server.base, "OPENAI_API_KEY": KEY}
    return subprocess.run(
        [*CLI, "progress", "tau2", *arguments], env=environment, capture_output=True, text=True,
        check=False, timeout=600,
    )  # fmt: skip


def ended(study: Path, arm: DutyArm) -> Iterator[Ended]:
    with serving() as server:
        done = command(
            server, "run", "one", str(study), "--arm", arm, "--task", TASK,
            "--agent-llm", f"openai/{AGENT}", "--user-llm", f"openai/{CUSTOMER}",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        yield Ended(study, server, done.stdout)


def scored(run: Ended) -> pd.DataFrame:
    """Checkpoints of the run, by the console command."""
    done = command(
        run.server, "score", str(run.folder), "--name", "one", "--study", str(run.study),
        "--out", str(run.study / "out"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no evidence about any language model" in " ".join(done.stdout.split())
    assert KEY not in done.stdout + done.stderr
    return pd.read_parquet(run.folder / "tables" / "checkpoints.parquet")


@pytest.fixture(scope="module")
def tag(tau2: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ended]:
    """The arm with a tag that the customer sees."""
    yield from ended(tmp_path_factory.mktemp("tag"), "tag")


@pytest.fixture(scope="module")
def hidden(tau2: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ended]:
    """The arm with a tag that the customer does not see."""
    yield from ended(tmp_path_factory.mktemp("hidden"), "hidden")


@pytest.fixture(scope="module")
def stock(tau2: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ended]:
    """The benchmark's own agent."""
    yield from ended(tmp_path_factory.mktemp("none"), "none")


def labels(rows: pd.DataFrame) -> list[tuple[int, str, str, str]]:
    told = zip(rows["state"], rows["strict_stage"], rows["strict_outcome"], strict=True)
    return [(n, *cells) for n, cells in enumerate(told, 1)]


def test_the_labels_of_every_message(tag: Ended) -> None:
    assert "user_stop" in tag.said
    rows = scored(tag)
    assert labels(rows) == LABELS
    assert list(rows["index"]) == [2, 8, 12, 18, 26, 32]
    reward = pd.read_parquet(tag.folder / "tables" / "rewards.parquet")
    assert list(reward["reward"]) == [1.0]
    assert list(reward["rewarded_but_wrong"]) == [True]


def instructions(server: Server, model: str) -> set[str]:
    """System messages that a model was sent."""
    return {m["content"] for r in server.of(model) for m in r["messages"] if m["role"] == "system"}


def test_the_block_is_all_that_is_added_and_only_to_the_agent(tag: Ended, stock: Ended) -> None:
    (asked,), (plain,) = (instructions(run.server, AGENT) for run in (tag, stock))
    assert asked == f"{plain}\n{block()}"
    assert instructions(tag.server, CUSTOMER) == instructions(stock.server, CUSTOMER)
    assert not any(block() in text for text in instructions(tag.server, CUSTOMER))
    tools = [json.dumps(run.server.of(AGENT)[0]["tools"]) for run in (tag, stock)]
    assert tools[0] == tools[1]


def test_what_was_asked_is_kept_with_its_hash(tag: Ended, stock: Ended) -> None:
    duty = DutyRun.from_json((tag.folder / "duty.json").read_text())
    assert duty.block == block()
    assert duty.block_sha256 == sha256_text(block())
    assert duty.tasks == (TASK,)
    assert DutyRun.from_json((stock.folder / "duty.json").read_text()).block is None


def heard(server: Server) -> str:
    """All that the customer was sent."""
    return json.dumps(server.of(CUSTOMER))


def test_a_hidden_tag_reaches_nobody_and_is_scored_all_the_same(hidden: Ended, tag: Ended) -> None:
    assert "<stage>" in heard(tag.server)
    assert "<stage>" not in heard(hidden.server)
    history = json.dumps(hidden.server.of(AGENT)[-1]["messages"][1:])
    assert history.count("<stage>") >= 5
    rows = scored(hidden)
    assert labels(rows) == LABELS
    assert set(rows["arm"]) == {"hidden"}


def test_no_key_is_in_what_is_kept(tag: Ended) -> None:
    for file in tag.study.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_another_run_of_that_name_is_refused_and_the_same_one_goes_on(tag: Ended) -> None:
    same = ("run", "one", str(tag.study), "--task", TASK, "--agent-llm", f"openai/{AGENT}",
            "--user-llm", f"openai/{CUSTOMER}")  # fmt: skip
    other = command(tag.server, *same, "--trials", "3")
    assert other.returncode == 2
    assert other.stderr.count("\n") == 1
    assert "another name" in other.stderr
    before = len(tag.server.requests)
    again = command(tag.server, *same)
    assert again.returncode == 0, again.stderr
    assert len(tag.server.requests) == before, "a run that is done was run again"
