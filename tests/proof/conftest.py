"""Studies that several proofs look at; whoever changes one copies it first."""

from pathlib import Path

import pytest

from draligned.api import Study

from .studies import constructed, copied, finish


@pytest.fixture(scope="session")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draft design of two tasks."""
    root = tmp_path_factory.mktemp("drafted") / "study"
    constructed(root)
    return root


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Eight tasks and two models, run, read and measured."""
    return finish(constructed(tmp_path_factory.mktemp("whole") / "study", tasks=8), 16)


@pytest.fixture(scope="session")
def small(drafted: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two tasks and two models, run, read and measured."""
    return finish(copied(drafted, tmp_path_factory.mktemp("small") / "study"))
