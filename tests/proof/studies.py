"""Small rehearsal studies for the proofs: none is evidence about any language model."""

import shutil
import subprocess
import sys
from pathlib import Path

import draligned
from draligned.api import Study
from draligned.schema.chat import AttemptRecord
from draligned.study.ledger import read_ledger

CLI = [sys.executable, "-c", "from draligned.cli.main import main; main()"]
"""The console command, of whatever interpreter runs the tests."""

TOML = """\
seed = {seed}

[construction]
lang = "{lang}"
tasks = {tasks}

[measure]
draws = {draws}
{more}"""


def constructed(
    root: Path,
    *,
    tasks: int = 2,
    lang: str = "zh",
    seed: int = 20260929,
    draws: int = 200,
    more: str = "",
    pdr_bench: Path | None = None,
) -> Study:
    """A new study with a draft design."""
    root.mkdir(parents=True)
    text = TOML.format(seed=seed, lang=lang, tasks=tasks, draws=draws, more=more)
    (root / "study.toml").write_text(text, encoding="utf-8")
    study = draligned.open(root)
    study.construct(pdr_bench=pdr_bench)
    return study


def copied(source: Path, target: Path) -> Study:
    """A study folder copied elsewhere."""
    shutil.copytree(source, target)
    return draligned.open(target)


def finish(study: Study, concurrency: int | None = None) -> Study:
    """Run, read and measure all of a study."""
    assert study.run(concurrency=concurrency).left_open == 0
    assert study.evaluate(concurrency=concurrency).left_open == 0
    study.measure()
    return study


def table_bytes(study: Study) -> dict[str, bytes]:
    """The bytes of all tables, by file name."""
    found = sorted((study.folder.root / "tables").glob("*.parquet"))
    return {path.name: path.read_bytes() for path in found}


def answered(study: Study) -> dict[tuple[str, int, int], int]:
    """How often each call of the ledger was answered, by owner, attempt and sequence."""
    counts: dict[tuple[str, int, int], int] = {}
    for attempt in ledger(study):
        if attempt.outcome == "ok":
            key = (attempt.key.owner, attempt.key.attempt, attempt.key.sequence)
            counts[key] = counts.get(key, 0) + 1
    return counts


def ledger(study: Study) -> list[AttemptRecord]:
    """Every try of every call."""
    return read_ledger(study.folder.store)


def command(*words: str, cwd: Path, **options: str) -> subprocess.CompletedProcess[str]:
    """Run the console command to its end; `options` are set in its environment."""
    return subprocess.run(
        [*CLI, *words], cwd=cwd, capture_output=True, text=True, check=False, timeout=300,
        env=_environment(options),
    )  # fmt: skip


def started(*words: str, cwd: Path) -> "subprocess.Popen[str]":
    """Start the console command."""
    return subprocess.Popen(
        [*CLI, *words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=_environment({}),
    )  # fmt: skip


def _environment(options: dict[str, str]) -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "200", **options}
