"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
"""A machine at work on other things is no failure of what is tested."""


@pytest.fixture(scope="session")
def pdr_bench() -> Path:
    """The real PDR-Bench folder; its absence is a skip, or an error where it is required."""
    named = os.environ.get("DRALIGNED_PDR_BENCH", "")
    if named and Path(named, "data").is_dir():
        return Path(named)
    if os.environ.get("DRALIGNED_REQUIRE_PDR_BENCH"):
        pytest.fail("DRALIGNED_PDR_BENCH is required here but names no PDR-Bench folder")
    pytest.skip("DRALIGNED_PDR_BENCH is not set: the real PDR-Bench data is not here")
