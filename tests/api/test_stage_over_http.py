"""Printed counts over HTTP: a served rehearsal, a run, its tables; then from the record alone."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import draligned
from draligned.api import Study
from draligned.progress import lanes
from draligned.progress.designs import design
from draligned.schema.errors import ReplayError
from draligned.schema.progress import Arm, Point

CLI = [sys.executable, "-c", "from draligned.cli.main import main; main()"]
TOML = """\
[measure]
draws = 200

[providers.served]
base_url = "{url}"
send_seed = true

[models."gpt-5.5"]
provider = "served"
model = "rehearsal-progress-table2-d"
"""
NAME = "gpt-5.5"
TABLE_2 = {"wait": (277, 480), "ready": (279, 479), "step": (165, 478), "done": (261, 480)}
"""Clean and scored replies that give 57.7, 58.2, 34.5 and 54.4 %; one and two were refused."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The base URL of `draligned rehearsal serve`, a process of its own."""
    with subprocess.Popen(
        [*CLI, "rehearsal", "serve"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def study(url: str, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The baseline arm of the stage study, asked over HTTP."""
    root = tmp_path_factory.mktemp("served")
    (root / "study.toml").write_text(TOML.format(url=url), encoding="utf-8")
    found = draligned.open(root)
    whole = design("stage")
    kept = tuple(s for s in whole.stimuli if s.arm is Arm.BASELINE and s.point is not Point.CALL)
    lanes.freeze_design(found.folder.store, whole.model_copy(update={"stimuli": kept}))
    summary = found.progress.run("stage", [NAME])[NAME]
    assert summary is not None
    assert (summary.done, summary.left_open) == (1_920, 0)
    found.progress.measure("stage")
    return found


def shares(study: Study) -> pd.DataFrame:
    table = study.progress.table("stage", "shares")
    rows = table[(table["encoding"] == "both") & (table["metric"] == "theta")]
    return rows.set_index("group")


def test_printed_shares_come_back_over_http(study: Study) -> None:
    """SI-23, SI-30, SI-33: refusals reach the client as HTTP errors and enter no denominator."""
    (lane,) = study.progress.status("stage")
    assert (lane.replied, lane.transport, lane.good, lane.counts) == (1_920, 3, 20, True)
    found = shares(study)
    assert {p: tuple(found.loc[p, ["k", "n"]]) for p in TABLE_2} == TABLE_2
    printed = [round(100 * found.loc[p, "share"], 1) for p in TABLE_2]
    assert printed == pytest.approx([57.7, 58.2, 34.5, 54.4], abs=0.051)
    made = study.progress.table("stage", "contrasts")
    gap = made[(made["encoding"] == "both") & (made["metric"] == "theta")]["value"]
    assert [round(100 * value, 1) for value in gap] == [-4.2]


def test_a_replay_asks_nobody_and_says_the_same(study: Study, tmp_path: Path) -> None:
    """The record alone, at an address where nobody listens: the same replies and tables."""
    root = tmp_path / "again"
    skipped = shutil.ignore_patterns("lanes", "tables", "ledger", "claims")
    shutil.copytree(study.folder.root, root, ignore=skipped)
    file = root / "study.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(text.split('"')[1], "http://127.0.0.1:9/v1"), encoding="utf-8")
    again = draligned.open(root)
    done = again.progress.run("stage", [NAME], models="replay")[NAME]
    assert done is not None
    assert (done.done, done.left_open) == (1_920, 0)
    again.progress.measure("stage")
    for table in ("shares", "layers", "confusion", "contrasts"):
        key = f"progress/stage/tables/{table}.parquet"
        assert again.folder.store.get(key) == study.folder.store.get(key)
    assert not (root / "ledger").exists()


def test_a_replay_refuses_a_body_that_changed_and_a_call_that_is_not_there(
    study: Study, tmp_path: Path
) -> None:
    root = tmp_path / "changed"
    shutil.copytree(
        study.folder.root, root, ignore=shutil.ignore_patterns("lanes", "tables", "claims")
    )
    again = draligned.open(root)
    calls = sorted((root / "replay" / "calls").glob("precheck-*/1-*.json"))
    assert len(calls) == 20
    data = calls[0].read_text(encoding="utf-8")
    (sent,) = [part for part in data.split('"') if len(part) == 64][:1]
    calls[0].write_text(data.replace(sent, "0" * 64), encoding="utf-8")
    with pytest.raises(ReplayError, match="was recorded for another request"):
        again.progress.run("stage", [NAME], models="replay")
    calls[0].unlink()
    with pytest.raises(ReplayError, match="was not recorded"):
        again.progress.run("stage", [NAME], models="replay")
    assert again.progress.status("stage") == ()
