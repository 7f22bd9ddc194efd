"""A `HarnessSpec` compiled to a LangGraph graph, once per spec (DR-19).

The graph's state says no more than which episode runs. The episode itself travels
by reference as the graph's context: LangGraph would copy and compare whatever stands
in its state at every step, and the history grows. The step after `decide` is named by
a `Command`; a conditional edge costs two thirds more per step (measured).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from draligned.gates.registry import get_gate
from draligned.gates.rule import Gate
from draligned.harnesses.act import act
from draligned.harnesses.context import Episode
from draligned.harnesses.decide import decide
from draligned.harnesses.tools import Tool, tools_of
from draligned.harnesses.untraced import untraced
from draligned.schema.harness import HarnessSpec


class LoopState(TypedDict):
    """The graph's own state; nothing in it changes."""

    run_id: str


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
        with untraced():
            await self.loop.ainvoke(
                {"run_id": episode.header.run_id},
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
    graph.add_edge("act", "decide")
    return graph.compile(name=name)


async def _decide(
    state: LoopState, runtime: Runtime[Episode]
) -> Command[Literal["act", "__end__"]]:
    await decide(runtime.context)
    following: Literal["act", "__end__"] = "act" if runtime.context.stop is None else "__end__"
    return Command(goto=following)


async def _act(state: LoopState, runtime: Runtime[Episode]) -> None:
    await act(runtime.context)
