"""The graph of a compiled harness as Mermaid text: its own nodes and edges, nothing added."""

from collections.abc import Iterable

from langgraph.graph import END, START

from draligned.harnesses.graph import compile_harness
from draligned.schema.harness import HarnessSpec

_SHAPES = {START: "start([start])", END: "stop([end])"}
_LABELS = {"act": "act, then decide"}
"""What a node does, where that is more than its name says."""


def mermaid(spec: HarnessSpec) -> str:
    """Nodes and edges that LangGraph holds for `spec`; dotted edges are taken by decision.

    The text is the same in every process, and can be pasted into any Mermaid viewer.
    """
    graph = compile_harness(spec).loop.get_graph()
    edges = sorted((e.source, e.target, e.conditional) for e in graph.edges)
    lines = [
        f"    {_SHAPES.get(node, f'{node}[{_LABELS.get(node, node)}]')}"
        for node in _ordered(graph.nodes)
    ]
    for source, target, conditional in edges:
        arrow = "-.->" if conditional else "-->"
        lines.append(f"    {_id(source)} {arrow} {_id(target)}")
    return "\n".join(["flowchart TD", *lines])


def _ordered(nodes: Iterable[str]) -> list[str]:
    """The start first, the end last."""
    return sorted(nodes, key=lambda node: (node == END, node != START, node))


def _id(node: str) -> str:
    return _SHAPES[node].partition("(")[0] if node in _SHAPES else node
