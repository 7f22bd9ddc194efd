"""Runs of tau2-bench under a name of a study; the process that runs is stood in for."""

import json
import subprocess
from pathlib import Path

import pytest

from draligned.api.tau2_run import run_duty
from draligned.schema.errors import ConfigError, InputError
from draligned.study.folder import StudyFolder
from tests.progress.tau2.test_launch import DUTY


def test_a_name_is_bound_by_the_first_run_that_began(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stopped = subprocess.CompletedProcess[str]([], 1)
    monkeypatch.setattr("draligned.api.tau2_run.subprocess.run", lambda *_, **__: stopped)
    folder, other = StudyFolder.at(tmp_path), DUTY.model_copy(update={"domain": "retail"})
    with pytest.raises(ConfigError, match="nothing was run"):
        run_duty(folder, DUTY)
    with pytest.raises(ConfigError, match="nothing was run"):
        run_duty(folder, other)
    place = tmp_path / "progress" / "tau2" / DUTY.name
    assert json.loads((place / "duty.json").read_text())["domain"] == "retail"
    (place / "results.json").write_text("{}")
    with pytest.raises(ConfigError, match="what is done stays"):
        run_duty(folder, other)
    with pytest.raises(InputError, match="choose another name"):
        run_duty(folder, DUTY)
