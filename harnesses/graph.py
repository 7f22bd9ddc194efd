"""A `HarnessSpec` compiled to a LangGraph graph, once per spec (DR-19).

The graph's state is one word. The episode travels by reference as the graph's
context: LangGraph would copy and compare whatever stands in its state at every
step, and the history grows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langsmith import tracing_context

from draligned.gates.registry import get_gate
from draligned.gates.rule import Gate
from draligned.harnesses.act import act
from draligned.harnesses.context import Episode
from draligned.harnesses.decide import decide
from draligned.harnesses.tools import Tool, tools_of
from draligned.schema.harness import HarnessSpec

Step = Literal["decide", "act", "end"]


class LoopState(TypedDict):
    """Where the loop stands."""

    step: Step


Loop = CompiledStateGraph[LoopState, Episode, LoopState, LoopState]


@dataclass(frozen=True, kw_only=True)
class CompiledHarness:
    """A harness ready to run any number of episodes at once."""

    spec: HarnessSpec
    gate: Gate
    tools: Mapping[str, Tool]
    loop: Loop

    async def run(self, episode: Episode) -> None:
        """Run the loop until `episode.stop` is set. Tracing stays off whatever the
        environment says: episodes are never uploaded."""
        with tracing_context(enabled=False):
            await self.loop.ainvoke(
                {"step": "decide"},
                {"recursion_limit": self.spec.recursion_limit},
                context=episode,
            )


def compile_harness(spec: HarnessSpec) -> CompiledHarness:
    """The compiled form of `spec`; the same spec gives the same object."""
    return _compiled(spec.to_json())


@lru_cache(maxsize=32)
def _compiled(spec_json: str) -> CompiledHarness:
    spec = HarnessSpec.from_json(spec_json)
    return CompiledHarness(
        spec=spec, gate=get_gate(spec.gate), tools=tools_of(spec), loop=_loop(spec.name)
    )


def _loop(name: str) -> Loop:
    graph = StateGraph(LoopState, context_schema=Episode)
    graph.add_node("decide", _decide)
    graph.add_node("act", _act)
    graph.add_edge(START, "decide")
    graph.add_conditional_edges("decide", _where, {"act": "act", "end": END})
    graph.add_edge("act", "decide")
    return graph.compile(name=name)


async def _decide(state: LoopState, runtime: Runtime[Episode]) -> LoopState:
    await decide(runtime.context)
    return {"step": "act" if runtime.context.stop is None else "end"}


async def _act(state: LoopState, runtime: Runtime[Episode]) -> LoopState:
    await act(runtime.context)
    return {"step": "decide"}


def _where(state: LoopState) -> Step:
    return state["step"]
