"""Pages that several tests look at, rendered once."""

import pytest

from draligned.report.data import ReportData
from draligned.report.page import render_report

from .made import data_of
from .world import READER, World


@pytest.fixture(scope="session")
def small() -> ReportData:
    """Three tasks, two models, one failed P run, two evaluators."""
    return data_of(World(failed=("2/model-a/P",), evaluators=(READER, "other-key")))


@pytest.fixture(scope="session")
def flat() -> ReportData:
    """Every final on its own side, every request NEITHER."""
    return data_of(World(flat=True))


@pytest.fixture(scope="session")
def small_page(small: ReportData) -> str:
    """The small study in English."""
    return render_report(small)


@pytest.fixture(scope="session")
def zh_page() -> str:
    """The small study in Chinese."""
    return render_report(data_of(World(lang="zh", failed=("2/model-a/P",))))
