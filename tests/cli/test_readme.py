"""The README's commands run as they stand there."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.console import CLI, call

README = Path(__file__).parents[2] / "README.md"
SETS_UP = ("make ", "pip ", "source ")
"""Lines that set up an environment: `make demo` and `make test` are run by .ci/run."""


def _blocks() -> list[list[str]]:
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    lines = [[re.sub(r"\s+#.*", "", line) for line in b.splitlines() if line] for b in blocks]
    return [[line for line in block if not line.startswith(SETS_UP)] for block in lines]


def _inline() -> list[str]:
    return re.findall(r"`(draligned [^`]+)`", README.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("block", [b for b in _blocks() if b], ids=lambda b: b[-1][:20])
def test_the_shell_blocks_run(block: list[str], tmp_path: Path) -> None:
    command = 'draligned() { "$PYTHON" -c "$MAIN" "$@"; }'
    environment = {**os.environ, "PYTHON": CLI[0], "MAIN": CLI[2], "PYTHONUTF8": "1"}
    script = "\n".join(["set -e", command, *block])
    clone = tmp_path / "clone"
    clone.mkdir()
    done = subprocess.run(
        ["bash", "-c", script], cwd=clone, env=environment, capture_output=True, text=True,
        check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "my-study" / "report" / "index.html").is_file()


@pytest.mark.parametrize("line", _inline())
def test_commands_named_in_the_text_exist_with_their_options(line: str) -> None:
    words = [w for w in shlex.split(line.partition(">")[0])[1:] if w != "…"]
    depth, shown = 1, call(words[0], "--help")
    while "Commands:" in shown.out and depth < len(words):
        depth += 1
        shown = call(*words[:depth], "--help")
    assert shown.code == 0, line
    for option in (w for w in words if w.startswith("--")):
        assert option in shown.out, line
