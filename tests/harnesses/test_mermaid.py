"""The graph that is shown is the graph that runs."""

import re
import subprocess
import sys

import pytest

from draligned.harnesses.graph import compile_harness
from draligned.harnesses.mermaid import mermaid
from draligned.harnesses.registry import HARNESSES

COUPLED = """\
flowchart TD
    start([start])
    act[act, then decide]
    decide[decide]
    stop([end])
    start --> decide
    act -.-> stop
    act -.-> act
    decide -.-> stop
    decide -.-> act"""


def test_the_coupled_loop_by_hand() -> None:
    assert mermaid(HARNESSES["coupled"]) == COUPLED


@pytest.mark.parametrize(
    ("name", "move"),
    [
        ("H-D", "close_delegation"),
        ("initial", "speak_as_user"),
        ("handoff-aw", "hand_over"),
    ],
)
def test_a_move_is_shown_where_the_harness_can_make_it(name: str, move: str) -> None:
    with_it = {n for n in HARNESSES if f"decide -.-> {move}" in mermaid(HARNESSES[n])}
    assert name in with_it
    assert "coupled" not in with_it


@pytest.mark.parametrize("name", HARNESSES)
def test_nodes_and_edges_are_those_of_the_compiled_graph(name: str) -> None:
    graph = compile_harness(HARNESSES[name]).loop.get_graph()
    text = mermaid(HARNESSES[name])
    assert len(re.findall(r"--> ", text)) == sum(not e.conditional for e in graph.edges)
    assert len(re.findall(r"-.-> ", text)) == sum(e.conditional for e in graph.edges)
    drawn = set(re.findall(r"^    (\w+)[\[(]", text, re.MULTILINE))
    assert drawn == {{"__start__": "start", "__end__": "stop"}.get(n, n) for n in graph.nodes}


def test_the_text_is_the_same_in_every_process() -> None:
    code = (
        "from draligned.harnesses.mermaid import mermaid\n"
        "from draligned.harnesses.registry import HARNESSES\n"
        "print(*map(mermaid, HARNESSES.values()))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
