"""A wheel built where symbolic links do not survive holds every room."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .tree import ROOT, sources

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
    for module, path in sources(tree).items():
        name = module.replace(".", "/")
        assert f"{name}{'/__init__' if path.name == '__init__.py' else ''}.py" in names
    data = {n.split("/")[1] for n in names if n.endswith((".toml", ".md", ".html"))}
    assert {"bench_data", "evaluators", "study"} <= data
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
