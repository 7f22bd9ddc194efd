"""Tracing asked for in the environment connects to nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

TRACED = {
    "LANGSMITH_TRACING": "true",
    "LANGCHAIN_TRACING_V2": "true",
    "LANGSMITH_API_KEY": "dummy",
    "LANGCHAIN_API_KEY": "dummy",
    "LANGSMITH_PROJECT": "proof",
    "LANGSMITH_TRACING_BACKGROUND": "true",
}
WATCHED = """
import json, socket, sys
tried = []

def watch(name):
    real = getattr(socket.socket, name)
    def watched(self, address, *rest):
        if self.family != socket.AF_UNIX:
            tried.append([name, repr(address)])
            raise OSError("closed by the test")
        return real(self, address, *rest)
    setattr(socket.socket, name, watched)

for name in ("connect", "connect_ex", "sendto"):
    watch(name)
socket.getaddrinfo = lambda *words, **more: tried.append(["getaddrinfo", repr(words)]) or []

{work}
import time
time.sleep(1.5)
sys.stdout.write(json.dumps(tried))
"""
STUDY = """
import draligned
study = draligned.open(sys.argv[1])
study.construct(tasks=1)
assert study.run().left_open == 0
assert study.evaluate().left_open == 0
study.report()
"""
CONTROL = """
from langsmith import traceable
from langgraph.graph import StateGraph, START, END
graph = StateGraph(dict)
graph.add_node("node", lambda state: state)
graph.add_edge(START, "node")
graph.add_edge("node", END)
graph.compile().invoke({"a": 1})
"""


def connections(work: str, folder: Path) -> list[list[str]]:
    """What `work` tried to reach, with tracing switched on from outside."""
    code = WATCHED.replace("{work}", work)
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder / "study")], cwd=folder, timeout=300,
        capture_output=True, text=True, check=False, env={**os.environ, **TRACED},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tried: list[list[str]] = json.loads(done.stdout)
    return tried


def test_a_whole_study_connects_to_nothing(tmp_path: Path) -> None:
    assert connections(STUDY, tmp_path) == []


def test_a_bare_graph_would_have_connected(tmp_path: Path) -> None:
    assert connections(CONTROL, tmp_path) != []
