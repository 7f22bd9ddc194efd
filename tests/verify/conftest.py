"""One whole study for all tests of damage."""

from pathlib import Path

import pytest

from tests.verify.studies import checked, labelled, made


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that is as it should be, read by two evaluators and labelled by a person."""
    root = tmp_path_factory.mktemp("whole") / "study"
    study = made(root, tasks=4, models=["rehearsal-a"])
    study.evaluate(evaluators=["rehearsal-reader-b"])
    study.measure()
    labelled(study, root.parent / "sheet.csv")
    study.measure()
    assert checked(root).ok
    return root
