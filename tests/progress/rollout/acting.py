"""Scripted agents for rollouts: a turn a list entry, said in order, the last one for ever."""

from collections.abc import Callable, Sequence

from draligned.progress.rollout.arms import ARMS
from draligned.progress.rollout.play import planned
from draligned.progress.rollout.world import World
from draligned.progress.scenarios import ToolUse, load_scenarios
from draligned.schema.chat import ChatReply, ChatRequest, Message, StopReason, ToolCall, Usage
from draligned.schema.progress import Lane
from draligned.schema.rollout import RolloutCell, RolloutPart
from draligned.schema.strictjson import dumps

SCENARIO = load_scenarios("main", "zh")[0]
LANE = Lane(
    design="rollout", deployment="m", model_key="model-1", requested_model="m-1", provider="p",
    params={}, rehearsal=False, probes=(), needed=18,
)  # fmt: skip
Turn = str | Sequence[ToolUse | tuple[str, str]] | Exception
"""Words, calls (a use of the script, or a name and raw arguments), or a failure."""


def cell_of(arm: str, repetition: int = 1) -> tuple[RolloutCell, World]:
    """The first scenario under an arm."""
    part = RolloutPart(arm=ARMS[arm], lang="zh", repetitions=6)
    return next(
        (cell, here)
        for cell, here in planned(LANE, [part]).values()
        if cell.scenario_id == SCENARIO.scenario_id and cell.repetition == repetition
    )


def reply(
    turn: Turn, number: int = 1, *, echo: str | None = "m-1", stop: StopReason | None = None
) -> ChatReply:
    """What a turn looks like as a reply; a failure is raised."""
    if isinstance(turn, Exception):
        raise turn
    text, calls = (turn, ()) if isinstance(turn, str) else (None, turn)
    made = tuple(
        ToolCall(call_id=f"c{number}_{n}", name=name, arguments=arguments)
        for n, (name, arguments) in enumerate(_named(c) for c in calls)
    )
    return ChatReply(
        message=Message(role="assistant", text=text, tool_calls=made),
        stop=stop or (StopReason.TOOL_CALLS if made else StopReason.STOP),
        usage=Usage(input_tokens=1, output_tokens=1), requested_model="m-1", echoed_model=echo,
        request_sha256="0" * 64,
    )  # fmt: skip


def _named(call: ToolUse | tuple[str, str]) -> tuple[str, str]:
    return (call.tool, dumps(call.args)) if isinstance(call, ToolUse) else call


class Scripted:
    """A model that says its turns by the number of replies it can see, and notes who asked."""

    name, key, requested_model = "m", "model-1", "m-1"

    def __init__(self, turns: Sequence[Turn] | Callable[[ChatRequest], Turn]) -> None:
        self.turns = turns
        self.asked: list[tuple[str, int]] = []
        self.shown: list[ChatRequest] = []
        self.echo: str | None = "m-1"

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append((request.key.owner, request.key.sequence))
        self.shown.append(request)
        number = sum(m.role == "assistant" for m in request.messages)
        if callable(self.turns):
            turn = self.turns(request)
        else:
            turn = self.turns[min(number, len(self.turns) - 1)]
        return reply(turn, number + 1, echo=self.echo)


def tag(value: str, words: str = "好。") -> str:
    """Words with a marker behind them."""
    return f"{words}\n<stage>{value}</stage>"


LOOK, CHECK, ONE, TWO = ([u] for u in (SCENARIO.lookup, SCENARIO.check, SCENARIO.one, SCENARIO.two))
"""The calls of the script, a turn each."""
