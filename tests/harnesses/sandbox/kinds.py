"""Which kinds the tests use: absent ones are skipped, or are an error where they are required."""

import os

import pytest

from draligned.harnesses.sandbox.find import problem
from draligned.harnesses.sandbox.kinds import Kind

REQUIRED = "DRALIGNED_REQUIRE_SANDBOX"
"""Kinds, with commas between them, whose absence is an error."""


def needed(kind: Kind) -> Kind:
    """The kind, if it works here."""
    why = problem(kind)
    if why is None:
        return kind
    if kind.value in os.environ.get(REQUIRED, "").split(","):
        pytest.fail(f"{kind.value} is required here: {why}")
    pytest.skip(f"{kind.value} does not work here: {why}")
