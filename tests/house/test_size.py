"""Small and flat: lengths of functions and files."""

import ast
import statistics
from pathlib import Path

import pytest

from .tree import ROOT, parse, sources

FUNCTION = 60
MEDIAN = 12
FILE = 400


def functions(path: Path) -> list[tuple[str, int]]:
    """Names and lengths in lines of all functions of a file."""
    return [
        (node.name, (node.end_lineno or node.lineno) - node.lineno + 1)
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def python_files() -> list[Path]:
    """All Python files of the project, tests and tools too."""
    extra = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "tools").rglob("*.py")]
    return [*sources().values(), *extra]


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_lengths(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= FILE, f"{lines} lines in one file"
    long = [f"{name}: {length}" for name, length in functions(path) if length > FUNCTION]
    assert not long


def test_the_median_function_is_short() -> None:
    lengths = [length for path in sources().values() for _, length in functions(path)]
    assert statistics.median(lengths) <= MEDIAN
