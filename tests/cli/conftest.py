"""Small rehearsal studies at each stage; none is evidence about any language model."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.console import SMALL, call

Copy = Callable[[str], Path]


@pytest.fixture(scope="session")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders `empty`, `draft`, `ran` and `read` of the same study."""
    root = tmp_path_factory.mktemp("stages")
    (root / "empty").mkdir()
    (root / "draft").mkdir()
    (root / "draft" / "study.toml").write_text(SMALL, encoding="utf-8")
    steps = {"draft": ("construct",), "ran": ("run",), "read": ("evaluate", "--mirrored")}
    before = "draft"
    for stage, words in steps.items():
        if stage != before:
            shutil.copytree(root / before, root / stage)
        said = call(*words, str(root / stage))
        assert said.code == 0, said
        before = stage
    return root


@pytest.fixture
def study(stages: Path, tmp_path: Path) -> Copy:
    """A copy of the study at a stage, as `study(stage)`."""

    def copy(stage: str) -> Path:
        target = tmp_path / stage
        shutil.copytree(stages / stage, target)
        return target

    return copy
