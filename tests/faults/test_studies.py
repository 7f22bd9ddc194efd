"""`Study.run` through everything that fails: claims, launches and retries of the API too."""

import logging
from pathlib import Path

import pytest

from draligned.harnesses.sandbox.find import available

from .company import OPEN, Found, specs
from .stage import KEY, KEY_NAME, provider
from .studies import bring_the_weather, check_study, ran, written
from .weather import let_disks_fill

SEED = 20261105


def run(root: Path, tasks: int, patch: pytest.MonkeyPatch, *, full: float) -> Found:
    """A study of all harnesses, one model a wire, checked."""
    patch.setenv(KEY_NAME, KEY)
    let_disks_fill(patch)
    bring_the_weather(patch, SEED, full)
    patch.setattr(logging.getLogger("draligned.harnesses"), "disabled", True)
    with provider(SEED, root / "notes.jsonl") as url:
        study, why = ran(
            root / "study", written(url, SEED, tasks), specs(sandbox=bool(available()))
        )
    found = check_study(study, root / "notes.jsonl")
    found.left_open = why
    return found


def test_a_study_comes_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(tmp_path, 1, monkeypatch, full=0.004)
    assert found.outcomes.total() == 2 * 4 * len(specs(sandbox=bool(available())))
    assert found.left_open["OSError"]
    assert found.outcomes[OPEN] <= 3
