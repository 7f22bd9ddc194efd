"""The loopback provider, and the study of all hostile agents."""

from collections.abc import Iterator

import pytest

from draligned.api import Study

from .agents import AGENTS
from .loopback import Loopback, serving
from .stage import drafted, ran


@pytest.fixture(scope="session")
def loop() -> Iterator[Loopback]:
    """A provider on loopback."""
    with serving(Loopback()) as app:
        yield app


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory, loop: Loopback) -> Study:
    """One pair of every hostile agent, run to its end."""
    root = tmp_path_factory.mktemp("hostile") / "study"
    study = drafted(root, loop, {name: case.answer for name, case in AGENTS.items()})
    return ran(study, list(AGENTS))
