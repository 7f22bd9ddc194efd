"""Studies killed again and again against a counting server; the figures of tests and proofs."""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .studies import constructed

HERE = Path(__file__).parent
CONCURRENCY = 4
Call = tuple[int, int]
"""Declared seed and number of assistant messages: (run, sequence), or a read."""
LOOPBACK = """
[run]
models = ["agent-a", "agent-b"]
concurrency = {concurrency}

[evaluate]
evaluators = ["reader"]
concurrency = {concurrency}

[providers.loopback]
base_url = "{url}"
api_key_env = "PROOF_LIFE"
send_seed = true

[models]
agent-a = {{ provider = "loopback", model = "rehearsal-agent-a" }}
agent-b = {{ provider = "loopback", model = "rehearsal-agent-b" }}
reader = {{ provider = "loopback", model = "rehearsal-reader" }}
"""


@dataclass(frozen=True)
class Told:
    """What the killed studies and the counting server say."""

    work: Path
    studies: list[dict[str, Any]]
    asked: dict[str, Counter[Call]]
    """Calls that reached the server, by life."""

    @property
    def kills(self) -> list[dict[str, Any]]:
        """All lives that ended by a kill."""
        return [life for s in self.studies for life in s["lives"] if life["killed"]]

    def stage(self, life: dict[str, Any]) -> str:
        """What a life was at: by the calls it had made."""
        asked = self.asked[life["life"]]
        if not asked:
            return "before or after all calls"
        return "run" if all(seed in life["runs"] for seed, _ in asked) else "evaluate"


@contextmanager
def counting_server(log: Path) -> Iterator[str]:
    """A counting rehearsal server on loopback; its base URL."""
    with subprocess.Popen(
        [sys.executable, HERE / "counted_server.py", log], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def tell(work: Path, *, seed: int, kills: int, each: int) -> Told:
    """Make `kills` kills, at most `each` to a study, and let all studies come to their ends."""
    log = work / "asked.jsonl"
    with counting_server(log) as url:
        constructed(work / "drafted", more=LOOPBACK.format(url=url, concurrency=CONCURRENCY))
        words = [work / "drafted", work, seed, kills, each]
        done = subprocess.run(
            [sys.executable, HERE / "mortal.py", *map(str, words)], capture_output=True, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    asked: dict[str, Counter[Call]] = defaultdict(Counter)
    for line in log.read_text("utf-8").splitlines():
        life, declared, turns = json.loads(line)
        asked[life][declared, turns] += 1
    return Told(work, json.loads(done.stdout)["studies"], asked)
