"""What stands in code in README and guide, and running it as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from draligned.study.config import parse_config
from tests.cli.console import CLI

ROOT = Path(__file__).parents[2]
README, GUIDE, GUIDE_ZH = (
    ROOT / name for name in ("README.md", "docs/guide.md", "docs/guide.zh.md")
)
SETS_UP = ("make ", "pip ", "source ")
"""Lines that set up an environment: `make demo` and `make test` are run by .ci/run."""
DRALIGNED = 'draligned() { "$PYTHON" -c "$MAIN" "$@"; }'


class Block(NamedTuple):
    """A block of code: its language as the document says, and its text."""

    lang: str
    text: str

    @property
    def commands(self) -> list[str]:
        """Lines of a shell block, remarks and what sets up an environment left out."""
        lines = [re.sub(r"\s+#.*", "", line) for line in self.text.splitlines() if line]
        return [line for line in lines if not line.startswith(SETS_UP)]


def blocks(path: Path) -> list[Block]:
    """The blocks of a document, in order."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)
    return [Block(*one) for one in found]


def inline(path: Path) -> list[str]:
    """Commands that stand in the text."""
    return re.findall(r"`(draligned [^`]+)`", path.read_text(encoding="utf-8"))


def run(block: Block, folder: Path) -> str:
    """What a block prints, run in `folder`; settings are read as a study.toml."""
    if block.lang == "toml":
        return parse_config(block.text.encode()).to_json()
    script = "\n".join(["set -e", DRALIGNED, *block.commands])
    words = {"sh": ["bash", "-c", script], "python": [sys.executable, "-c", block.text]}[block.lang]
    environment = {**os.environ, "PYTHON": CLI[0], "MAIN": CLI[2], "PYTHONUTF8": "1"}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False,
        timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
    return done.stdout
