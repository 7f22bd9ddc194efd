"""Every attack fails as it should, as the user who runs the tests and as an ordinary one."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from draligned.harnesses.sandbox.kinds import Kind

from .attack.run import ATTACKS, mount_attack
from .kinds import needed

NOBODY = 65534
ROOT = Path(__file__).parents[3]
PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3")


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("name", list(ATTACKS))
async def test_the_sandbox_holds(name: str, kind: Kind) -> None:
    await mount_attack(name, needed(kind))


@pytest.fixture(scope="module")
def readable_tree() -> Iterator[Path]:
    """The sandbox's sources where every user may read them."""
    root = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        package = root / "draligned"
        for name in ("schema/errors.py", "schema/refusals.py", "harnesses/sandbox"):
            target = package / name
            target.parent.mkdir(parents=True, exist_ok=True)
            source = ROOT / "draligned" / name
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)
        shutil.copytree(Path(__file__).parent / "attack", root / "attack")
        subprocess.run(["chmod", "-R", "a+rX", str(root)], check=True)
        yield root
    finally:
        shutil.rmtree(root)


@cache
def python_for_all() -> str | None:
    """An interpreter that an ordinary user may start and that is new enough."""
    code = "import sys; sys.exit(sys.version_info < (3, 11))"
    for python in PYTHONS:
        if Path(python).exists() and subprocess.run([python, "-c", code]).returncode == 0:
            return python
    return None


@cache
def as_nobody(tree: Path, kind: Kind) -> dict[str, str | None]:
    """All attacks at once, by an ordinary user: attack -> what went wrong."""
    done = subprocess.run(
        [str(python_for_all()), "-m", "attack.run", kind.value],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("name", list(ATTACKS))
def test_it_holds_for_an_ordinary_user(name: str, kind: Kind, readable_tree: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("this is an ordinary user already, whom the test above covers")
    if python_for_all() is None:
        pytest.skip("no Python 3.11 that an ordinary user may start")
    wrong = as_nobody(readable_tree, needed(kind))[name]
    assert wrong is None, wrong
