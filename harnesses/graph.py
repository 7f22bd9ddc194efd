"""A `HarnessSpec` compiled to a LangGraph graph, once per spec (DR-19).

The graph's state says no more than which episode runs. The episode itself travels
by reference as the graph's context: LangGraph would copy and compare whatever stands
in its state at every step, and the history grows. The next node is named by a `Command`;
a conditional edge costs two thirds more per step (measured). `act` decides too, once the
calls have run, so that a decision takes one step of LangGraph and not two.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from draligned.harnesses.act import act
from draligned.harnesses.compiled import Rules, rules_of
from draligned.harnesses.context import Episode, Step
from draligned.harnesses.decide import decide
from draligned.harnesses.moves import close_delegation, hand_over, speak_as_user
from draligned.harnesses.untraced import untraced
from draligned.schema.harness import HarnessSpec


class LoopState(TypedDict):
    """The graph's own state; nothing in it changes."""

    run_id: str


Loop = CompiledStateGraph[LoopState, Episode, LoopState, LoopState]
Work = Callable[[Episode], Awaitable[None]]
MOVES: dict[Step, Work] = {
    "close_delegation": close_delegation,
    "hand_over": hand_over,
    "speak_as_user": speak_as_user,
}


@dataclass(frozen=True, kw_only=True)
class CompiledHarness:
    """A harness ready to run any number of episodes at once."""

    rules: Rules
    loop: Loop

    @property
    def spec(self) -> HarnessSpec:
        """What was compiled."""
        return self.rules.spec

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
    rules = rules_of(HarnessSpec.from_json(spec_json))
    return CompiledHarness(rules=rules, loop=_loop(rules))


def moves_of(rules: Rules) -> tuple[Step, ...]:
    """The nodes beside `decide` that this harness can come to, `act` first."""
    moves: list[Step] = ["act"]
    if rules.delegation.tools:
        moves.append("close_delegation")
    if len(rules.stages) > 1:
        moves.append("hand_over")
    if rules.spec.scripted_turns or rules.gate.injects_user_turns:
        moves.append("speak_as_user")
    return tuple(moves)


def _loop(rules: Rules) -> Loop:
    graph = StateGraph(LoopState, context_schema=Episode)
    moves = moves_of(rules)
    graph.add_edge(START, "decide")
    graph.add_node("decide", _deciding(None), destinations=(*moves, END))
    graph.add_node("act", _deciding(act), destinations=(*moves, END))
    for move in moves[1:]:
        graph.add_node(move, _node(MOVES[move]))
        graph.add_edge(move, "decide")
    return graph.compile(name=rules.spec.name)


def _deciding(work: Work | None) -> Any:
    """A node that says what comes next, after its work, if it has any."""

    async def node(state: LoopState, runtime: Runtime[Episode]) -> Command[str]:
        if work is not None:
            await work(runtime.context)
        step = await decide(runtime.context)
        return Command(goto=END if step == "end" else step)

    return node


def _node(work: Work) -> Any:
    """A node as LangGraph calls it; its own types cannot name a made function."""

    async def node(state: LoopState, runtime: Runtime[Episode]) -> None:
        await work(runtime.context)

    return node
