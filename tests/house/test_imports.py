"""Imports go downward only, and heavy libraries stay out of the way of `--help`."""

import subprocess
import sys
import tomllib

import pytest

from .tree import ROOT, ROOT_ROOMS, imports, sources

LAYERS = (
    ("schema", "bench_data"),
    ("measure", "gates", "store"),
    ("study", "models", "retrieval"),
    ("constructors", "harnesses", "evaluators", "progress"),
    ("rehearsal", "simulate", "report", "view"),
    ("verify",),
    ("api",),
    ("cli",),
)
STRANGERS = ({"measure", "gates", "store"}, {"constructors", "harnesses", "evaluators", "progress"})
"""Rooms side by side that import none of each other."""
ONLY = {
    "schema": set[str](),
    "bench_data": {"schema"},
    "gates": {"schema"},
    "store": {"schema"},
    "verify": {"schema", "store"},
}
"""Rooms that may import these alone."""
HEAVY = ("pandas", "numpy", "langgraph", "openai", "trafilatura", "bm25s", "rjieba", "pyarrow")


def room(module: str) -> str | None:
    """The room a module belongs to; none for the package's own root."""
    parts = module.split(".")
    outside = {"__main__", "__version__", "open", "Study"}
    if parts[0] != "draligned" or len(parts) < 2 or parts[1] in outside:
        return None
    return parts[1]


def allowed(importer: str, imported: str) -> bool:
    """Whether one room may import another."""
    place = {name: (level, i) for level, row in enumerate(LAYERS) for i, name in enumerate(row)}
    if importer == imported:
        return True
    if importer in ONLY:
        return imported in ONLY[importer]
    if any(importer in row and imported in row for row in STRANGERS):
        return False
    return place[imported] < place[importer]


@pytest.mark.parametrize("module", sorted(sources()))
def test_imports_go_downward(module: str) -> None:
    importer = room(module)
    if importer is None:
        return
    wrong = {
        name
        for name in imports(sources()[module])
        if (target := room(name)) is not None and not allowed(importer, target)
    }
    assert not wrong, f"{module} imports upward: {sorted(wrong)}"


def test_the_rule_refuses_what_it_should() -> None:
    assert allowed("cli", "api")
    assert allowed("models", "study")
    assert not allowed("study", "models")
    assert not allowed("harnesses", "evaluators")
    assert not allowed("schema", "store")
    assert not allowed("verify", "measure")
    assert not allowed("gates", "measure")
    assert not allowed("measure", "store")


def test_the_design_page_has_every_room() -> None:
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in row.replace("`", "").replace(" ", "").split(",")}
    rooms = {name for layer in LAYERS for name in layer}
    assert named == rooms == {found for m in sources() if (found := room(m)) is not None}


@pytest.mark.parametrize("module", sorted(sources()))
def test_root_rooms_are_never_imported_by_their_bare_name(module: str) -> None:
    bare = {name for name in imports(sources()[module]) if name.split(".")[0] in ROOT_ROOMS}
    assert not bare


def test_help_does_not_import_heavy_libraries() -> None:
    code = (
        f"import sys; import draligned.cli.main; print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_packages_are_listed_as_the_tree_has_them() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = settings["tool"]["setuptools"]["packages"]
    tree = {m for m, path in sources().items() if path.name == "__init__.py"}
    assert set(listed) == tree
    for name in ROOT_ROOMS:
        link = ROOT / "draligned" / name
        assert settings["tool"]["setuptools"]["package-dir"][f"draligned.{name}"] == name
        assert link.is_symlink()
        assert link.readlink().as_posix() == f"../{name}"
