"""Public names say what they are; the repository speaks of the project alone."""

import ast
import re
import subprocess

import pytest

from .tree import ROOT, parse, sources

OUTSIDE = re.compile(
    r"/root/|/home/\w|/work/\w|pypi\.org|files\.pythonhosted|api[_-]key *= *['\"]\w{8}"
)


def undocumented(module: str) -> list[str]:
    """Public functions and classes at the top of a module without a docstring."""
    tree = parse(sources()[module])
    public = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
    ]
    return [node.name for node in public if ast.get_docstring(node) is None]


@pytest.mark.parametrize("module", sorted(sources()))
def test_public_names_have_docstrings(module: str) -> None:
    assert undocumented(module) == []


def tracked() -> list[str]:
    """Files that git tracks; all files where there is no git."""
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [name for name in done.stdout.split("\0") if name]


def test_nothing_names_a_machine_or_a_registry() -> None:
    found = []
    for name in tracked():
        path = ROOT / name
        if not path.is_file() or path.is_symlink() or name == "tests/house/test_docs.py":
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{name}: {m.group(0)}" for m in OUTSIDE.finditer(text)]
    assert found == []


@pytest.mark.parametrize("page", ["docs/design.md", "CONTRIBUTING.md"])
def test_modules_that_a_page_names_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+\.py)`", text))
    there = [f"/{name}" for name in tracked()]
    assert named
    assert [n for n in sorted(named) if not any(name.endswith(f"/{n}") for name in there)] == []
