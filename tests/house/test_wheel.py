"""A wheel built where symbolic links do not survive holds every room."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .tree import ROOT, ROOT_ROOMS

ENTRY = """
import draligned.cli.main, draligned.constructors, draligned.harnesses, draligned.evaluators
from draligned.bench_data.lexicon import find
assert find.__module__ == "draligned.bench_data.lexicon"
print(draligned.__file__)
"""


def checkout_without_links(target: Path) -> Path:
    """A checkout as on a system without symbolic links: each link is a small text file."""
    subprocess.run(
        ["git", "-c", "core.symlinks=false", "clone", "-q", str(ROOT), str(target)], check=True
    )
    assert not (target / "draligned" / "harnesses").is_symlink()
    return target


def shipped(tree: Path) -> set[str]:
    """Every file of every room by its place in a wheel."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "draligned", *ROOT_ROOMS],
        cwd=tree, capture_output=True, text=True, check=True,
    )  # fmt: skip
    links = {f"draligned/{room}" for room in ROOT_ROOMS}
    names = set(done.stdout.split("\0")) - links - {""}
    return {n if n.startswith("draligned/") else f"draligned/{n}" for n in names}


@pytest.mark.slow
def test_a_wheel_from_a_checkout_without_links(tmp_path: Path) -> None:
    tree = checkout_without_links(tmp_path / "tree")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "-o",
            str(tmp_path),
            str(tree),
        ],
        check=True,
        capture_output=True,
    )
    wheel = next(tmp_path.glob("*.whl"))
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {n for n in names if ".dist-info/" not in n} == shipped(tree)
    assert {f"draligned/{room}/__init__.py" for room in ROOT_ROOMS} <= names
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(site)!r})\n{ENTRY}"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    assert done.stdout.strip().startswith(str(site))
