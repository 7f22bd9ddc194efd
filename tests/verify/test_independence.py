"""The second path shares no code with the first: it imports schema and store, and libraries."""

import subprocess
import sys

from tests.house.tree import imports, sources

OWN = {"schema", "store", "verify"}


def test_verify_imports_nothing_of_the_first_path() -> None:
    found = {
        name.split(".")[1]
        for module, path in sources().items()
        if module.startswith("draligned.verify")
        for name in imports(path)
        if name.startswith("draligned.")
    }
    assert found <= OWN


def test_verify_loads_nothing_of_the_first_path() -> None:
    code = (
        "import sys, draligned.verify.check\n"
        "print(sorted({m.split('.')[1] for m in sys.modules if m.startswith('draligned.')}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(eval(done.stdout)) <= OWN


def test_of_schema_only_records_of_settings_are_used() -> None:
    """Rules of labels, ids and strict JSON are written out anew."""
    found = {
        name
        for module, path in sources().items()
        if module.startswith("draligned.verify")
        for name in imports(path)
        if name.startswith("draligned.schema")
    }
    assert {name.split(".")[2] for name in found} == {"config"}
