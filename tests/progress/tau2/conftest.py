"""The installed tau2-bench, where there is one."""

import importlib.util
import os

import pytest

from draligned.progress.tau2.benchmark import Benchmark, load_benchmark


@pytest.fixture(scope="session")
def tau2() -> Benchmark:
    """A real tau2-bench; its absence is a skip, or an error where it is required."""
    if importlib.util.find_spec("tau2") is not None:
        return load_benchmark()
    if os.environ.get("DRALIGNED_REQUIRE_TAU2"):
        pytest.fail("tau2-bench is required here but is not installed")
    pytest.skip("tau2-bench is not installed; `make test-tau2` makes an environment with it")
