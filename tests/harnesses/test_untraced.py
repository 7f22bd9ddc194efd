"""Nothing of an episode reaches a tracing service; any other graph would."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


class _Count(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_PATCH = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def collector() -> Iterator[ThreadingHTTPServer]:
    """A server in the place of the tracing service; `asked` lists what reached it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Count)
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


EPISODE = """
import asyncio, sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from doubles import World, call, says, script
lines = [says(None, call("search", "q", "a")), says("done")]
with tempfile.TemporaryDirectory() as folder:
    end = asyncio.run(World(Path(folder)).run(script(*lines)))
assert end.outcome == "text_reply", end
"""
INSIDE = (
    "from langchain_core.tracers.context import tracing_v2_enabled\n"
    "block = tracing_v2_enabled()\nblock.__enter__()\n" + EPISODE
)
CONTROL = """
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
class S(TypedDict):
    n: int
graph = StateGraph(S)
graph.add_node("a", lambda s: {"n": 1})
graph.add_edge(START, "a")
graph.add_edge("a", END)
graph.compile().invoke({"n": 0})
"""
FLUSH = """
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


ON = ("TRACING_V2", "TRACING")


@pytest.mark.parametrize(
    ("code", "switches", "traced"),
    [(EPISODE, ON, False), (EPISODE, ON[1:], False), (INSIDE, ON, False), (CONTROL, ON[:1], True)],
    ids=["episode", "old switch", "inside a traced block", "any other graph"],
)
def test_nothing_is_uploaded_whatever_the_environment_says(
    collector: ThreadingHTTPServer, code: str, switches: tuple[str, ...], traced: bool
) -> None:
    address = f"http://127.0.0.1:{collector.server_port}"
    tracing = {
        f"{prefix}_{name}": value
        for prefix in ("LANGSMITH", "LANGCHAIN")
        for name, value in (
            *((switch, "true") for switch in switches),
            ("API_KEY", "dummy"),
            ("ENDPOINT", address),
        )
    }
    done = subprocess.run(
        [sys.executable, "-c", code + FLUSH, str(Path(__file__).parent)],
        env={**os.environ, **tracing},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    asked = set(collector.asked)  # type: ignore[attr-defined]
    if code is INSIDE:
        asked -= {"/info"}  # the block itself introduces its client
    assert bool(asked) is traced
