"""The unanswered calls of a turn, each with its tool or with what is wrong with it."""

from collections.abc import Iterator
from dataclasses import dataclass

from draligned.harnesses.context import Episode
from draligned.harnesses.outcomes import CallOutcome
from draligned.harnesses.tools import Args, Tool
from draligned.models.turn import InvalidCall, ValidCall, is_blank
from draligned.schema.chat import ToolCall
from draligned.schema.events import AccessDenied, ToolCallInvalid


@dataclass(frozen=True, kw_only=True)
class Job:
    """One unanswered call of the turn. `logged` is its event, if a kill came after that."""

    index: int
    sequence: int
    call: ToolCall
    tool: Tool | None
    args: Args
    fault: ToolCallInvalid | AccessDenied | None
    """Why the call cannot be executed."""
    logged: CallOutcome | None

    @property
    def to_admit(self) -> bool:
        """Whether the call still needs a place in the budget."""
        return self.tool is not None and self.logged is None

    @property
    def acquires(self) -> bool:
        """Whether it is a request, which spends the acquisition budget too."""
        return self.tool is not None and self.tool.acquires


def jobs_of(episode: Episode) -> Iterator[Job]:
    """The calls that have no result yet, in call order."""
    turn, context = episode.turn, episode.state.top
    if turn is None or context.pending is None:
        raise RuntimeError("there is no turn to act on")
    read: dict[int, ValidCall | InvalidCall] = {call.index: call for call in turn.valid}
    read.update({call.index: call for call in turn.invalid})
    for index, call in enumerate(context.pending.message.tool_calls):
        if index >= context.answered:
            yield _job(episode, call, read[index])


def _job(episode: Episode, call: ToolCall, read: ValidCall | InvalidCall) -> Job:
    context = episode.state.top
    sequence = context.pending.sequence if context.pending else 0
    fault, tool, args = _checked(episode, call, read, sequence)
    return Job(
        index=read.index,
        sequence=sequence,
        call=call,
        tool=tool,
        args=args,
        fault=fault,
        logged=context.outcomes.get(read.index),
    )


def _checked(
    episode: Episode, call: ToolCall, read: ValidCall | InvalidCall, sequence: int
) -> tuple[ToolCallInvalid | AccessDenied | None, Tool | None, Args]:
    """Tool and arguments of a call that can be executed, else its fault."""
    lacks = _lacks(episode, call.name)
    if lacks is not None:
        denied = AccessDenied(
            sequence=sequence,
            call_index=read.index,
            tool=call.name,
            context=episode.stage.name,
            lacks=lacks,
        )
        return denied, None, {}
    if isinstance(read, InvalidCall):
        return _invalid(call, read.index, sequence, read.problem), None, {}
    tool = episode.stage.tools[call.name]
    args = tool.clean(read.args)
    blank = [n for n, v in args.items() if is_blank(v) and n not in tool.may_be_blank]
    if blank:
        problem = f"the parameter {blank[0]!r} is empty"
        return _invalid(call, read.index, sequence, problem), None, {}
    return None, tool, args


def _lacks(episode: Episode, name: str) -> str | None:
    """What the context lacks for a tool of the harness (DR-26); none for tools of no harness."""
    offered = {} if episode.awaits_script else episode.stage.tools
    if name not in offered:
        return "tool" if name in episode.rules.names else None
    missing = sorted(offered[name].needs - episode.stage.reads)
    return missing[0] if missing else None


def _invalid(call: ToolCall, index: int, sequence: int, problem: str) -> ToolCallInvalid:
    return ToolCallInvalid(
        sequence=sequence,
        call_index=index,
        name=call.name,
        arguments=call.arguments,
        problem=problem,
    )
