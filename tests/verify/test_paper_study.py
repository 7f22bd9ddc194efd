"""A study of the paper's shape on files, small: agents and evaluators by hash, none of a model."""

import subprocess
import sys
from pathlib import Path

import pytest

import draligned
from tests.verify.studies import checked, named

TOOL = Path(__file__).resolve().parents[2] / "tools" / "paper_study.py"
SMALL = ("--tasks", "10", "--models", "1", "--replicates", "1", "--more", "1", "--requests", "6",
         "--draws", "200")  # fmt: skip


@pytest.mark.slow
def test_a_study_of_the_papers_shape_matches(tmp_path: Path) -> None:
    root = tmp_path / "study"
    subprocess.run([sys.executable, str(TOOL), str(root), *SMALL], check=True, capture_output=True)
    draligned.open(root).measure()
    found = checked(root)
    assert named(found) == []
    assert found.matched > 100_000
