"""The source tree as the house rules see it."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOT_ROOMS = ("constructors", "harnesses", "evaluators", "bench_data")


def sources(root: Path = ROOT) -> dict[str, Path]:
    """Module name -> file, over all rooms, symbolic links left aside."""
    out = {}
    for path in sorted((root / "draligned").rglob("*.py")):
        relative = path.relative_to(root)
        if relative.parts[1] not in ROOT_ROOMS:
            out[_module(relative)] = path
    for room in ROOT_ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            out[_module(Path("draligned") / path.relative_to(root))] = path
    return out


def _module(relative: Path) -> str:
    name = ".".join(relative.with_suffix("").parts)
    return name.removesuffix(".__init__")


def parse(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    """Every module named by an import anywhere in the file, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found
