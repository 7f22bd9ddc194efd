"""One turn: call a model, and say what its reply asks for (DESIGN §6).

Used by the loop of every harness and by validating rollouts, so that a length cut,
an empty reply or a broken call means the same everywhere (HARD_CASES 1, 2).
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from draligned.models.protocol import ChatModel
from draligned.schema.chat import ChatReply, ChatRequest, StopReason, ToolCall, ToolSpec
from draligned.schema.strictjson import clean_text, loads, visible

MAX_ARGUMENT_CHARS = 1_000_000
"""Longer arguments of one call are refused; a long report has a tenth of that."""


class TurnKind(StrEnum):
    """What a reply amounts to."""

    CALLS = "calls"
    TEXT = "text"
    EMPTY = "empty"
    LENGTH_CUT = "length_cut"
    FILTERED = "filtered"


@dataclass(frozen=True, kw_only=True)
class ValidCall:
    """A call that can be executed; `index` is its place among the turn's calls, from 0."""

    index: int
    call_id: str
    name: str
    args: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class InvalidCall:
    """A call that cannot; its text is kept raw and `problem` can be told to the model."""

    index: int
    call_id: str
    name: str
    arguments: str
    problem: str


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A reply and what it asks for. A length cut or a filter voids all calls of its turn."""

    reply: ChatReply
    kind: TurnKind
    valid: tuple[ValidCall, ...] = ()
    invalid: tuple[InvalidCall, ...] = ()


async def take_turn(
    model: ChatModel, request: ChatRequest, tools: tuple[ToolSpec, ...] | None = None
) -> Turn:
    """Call `model` once and read its reply against `tools` (default: those `request` offers).

    Raises what `ChatModel.complete` raises. A turn of invalid calls only is still
    `calls`: the model gets an error for each and goes on.
    """
    offered = request.tools if tools is None else tools
    return read_turn(await model.complete(request), offered)


def read_turn(reply: ChatReply, tools: tuple[ToolSpec, ...]) -> Turn:
    """What a reply asks for."""
    kind = _kind(reply)
    if kind is not TurnKind.CALLS:
        return Turn(reply=reply, kind=kind)
    offered = {t.name: t for t in tools}
    read = [validate_call(c, i, offered) for i, c in enumerate(reply.message.tool_calls)]
    return Turn(
        reply=reply,
        kind=kind,
        valid=tuple(c for c in read if isinstance(c, ValidCall)),
        invalid=tuple(c for c in read if isinstance(c, InvalidCall)),
    )


def _kind(reply: ChatReply) -> TurnKind:
    if reply.stop is StopReason.LENGTH:
        return TurnKind.LENGTH_CUT
    if reply.stop is StopReason.CONTENT_FILTER:
        return TurnKind.FILTERED
    if reply.message.tool_calls:
        return TurnKind.CALLS
    text = reply.message.text
    return TurnKind.TEXT if text is not None and not is_blank(text) else TurnKind.EMPTY


def is_blank(text: str) -> bool:
    """Whether nothing can be seen of `text`: spaces, controls, what the boundary put for them."""
    return not any(_shows(char) for char in text)


def _shows(char: str) -> bool:
    if char.isspace() or char == "\ufffd":
        return False
    return unicodedata.category(char) not in ("Cc", "Cf")


def validate_call(
    call: ToolCall, index: int, offered: Mapping[str, ToolSpec]
) -> ValidCall | InvalidCall:
    """A call checked against the tools offered: name, strict JSON, string parameters."""
    problem, args = _read_arguments(call, offered)
    if problem is not None:
        return InvalidCall(
            index=index,
            call_id=call.call_id,
            name=call.name,
            arguments=call.arguments,
            problem=problem,
        )
    return ValidCall(index=index, call_id=call.call_id, name=call.name, args=args)


def _read_arguments(
    call: ToolCall, offered: Mapping[str, ToolSpec]
) -> tuple[str | None, dict[str, str]]:
    tool = offered.get(call.name)
    if tool is None:
        known = ", ".join(offered) or "none"
        return f"there is no tool {visible(call.name, 60)!r}; the tools are: {known}", {}
    if _says_nothing(call.arguments) and not tool.parameters.get("properties"):
        return None, {}
    if len(call.arguments) > MAX_ARGUMENT_CHARS:
        return f"the arguments are longer than {MAX_ARGUMENT_CHARS} characters", {}
    try:
        args = loads(call.arguments)
    except ValueError as error:
        return f"the arguments are not valid JSON: {visible(str(error), 120)}", {}
    if not isinstance(args, dict):
        return "the arguments are not a JSON object", {}
    problem = _mismatch(args, tool.parameters)
    return problem, {} if problem else {k: clean_text(v).text for k, v in args.items()}


def _says_nothing(arguments: str) -> bool:
    """How some providers write the arguments of a tool that has no parameters."""
    return arguments.strip() in ("", "null", "[]")


def _mismatch(args: dict[str, Any], schema: Mapping[str, Any]) -> str | None:
    """The first way in which `args` do not fit a schema of string parameters."""
    allowed = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in args:
            return f"the parameter {name!r} is missing"
    for name, value in args.items():
        if name not in allowed:
            return f"there is no parameter {visible(name, 60)!r}"
        if not isinstance(value, str):
            return f"the parameter {name!r} must be a string"
    return None
