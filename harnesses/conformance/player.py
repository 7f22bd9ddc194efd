"""A model that plays a story: it makes the next call where its tool is offered, and where it
is not, it speaks, which ends the context it is in."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from draligned.schema.chat import (
    ChatReply,
    ChatRequest,
    Message,
    StopReason,
    ToolCall,
    Usage,
)

QUESTION = "你更看重什么？"
PASSING = "这一部分完成了。"
"""Said to leave a context."""
CLOSING = "完成。"
"""Said when the story is over."""


@dataclass(frozen=True)
class Act:
    """One call of a story."""

    tool: str
    args: Mapping[str, str] = field(default_factory=dict)
    raw: str | None = None
    """Arguments as sent, where they are to be broken."""
    call_id: str = ""


@dataclass(frozen=True)
class Turn:
    """Calls of one turn. They wait until the first is offered, unless `anywhere`."""

    acts: tuple[Act, ...]
    anywhere: bool = False


@dataclass(frozen=True)
class Say:
    """A reply without a call."""

    text: str | None
    stop: StopReason = StopReason.STOP


@dataclass(frozen=True)
class Cut:
    """A turn whose calls are void, for the provider cut or filtered it."""

    turn: Turn
    stop: StopReason


@dataclass(frozen=True)
class Busy:
    """Calls of whatever is offered, `width` a turn, never the same twice, without an end."""

    width: int = 2


Move = Turn | Say | Cut | Busy | BaseException
TOKENS = 10
"""Output tokens of a reply."""


@dataclass
class Player:
    """See `ChatModel`. `known` are replies by sequence number, for a resumed episode."""

    story: Sequence[Move]
    marker: str = ""
    """Added to whatever it says, for gates that read a marker."""
    tokens: int = TOKENS
    known: dict[int, ChatReply | BaseException] = field(default_factory=dict)
    requests: list[ChatRequest] = field(default_factory=list)
    place: int = 0
    name: str = "scripted"
    key: str = "0" * 16
    requested_model: str = "scripted"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        self.requests.append(request)
        sequence = request.key.sequence
        if sequence not in self.known:
            self.known[sequence] = self._next(request)
        reply = self.known[sequence]
        if isinstance(reply, BaseException):
            raise reply
        return reply

    def _next(self, request: ChatRequest) -> ChatReply | BaseException:
        offered = {tool.name for tool in request.tools}
        if not offered:
            return self._says(QUESTION)
        move = self.story[self.place] if self.place < len(self.story) else Say(CLOSING)
        if isinstance(move, Busy):
            return self._calls(_anything(offered, request.key.sequence, move.width))
        turn = move.turn if isinstance(move, Cut) else move
        if isinstance(turn, Turn) and not turn.anywhere and turn.acts[0].tool not in offered:
            return self._says(PASSING)
        self.place += 1
        return self._plays(move)

    def _plays(self, move: Turn | Say | Cut | BaseException) -> ChatReply | BaseException:
        match move:
            case Turn():
                return self._calls(move.acts)
            case Say(text=str() as text) if move.stop is StopReason.STOP:
                return self._says(text)
            case Say():
                return self._reply(Message(role="assistant", text=move.text), move.stop)
            case Cut():
                calls = tuple(_call(a) for a in move.turn.acts)
                return self._reply(Message(role="assistant", tool_calls=calls), move.stop)
            case _:
                return move

    def _says(self, text: str) -> ChatReply:
        return self._reply(Message(role="assistant", text=text + self.marker), StopReason.STOP)

    def _calls(self, acts: Sequence[Act]) -> ChatReply:
        message = Message(role="assistant", tool_calls=tuple(_call(a) for a in acts))
        return self._reply(message, StopReason.TOOL_CALLS)

    def _reply(self, message: Message, stop: StopReason) -> ChatReply:
        return ChatReply(
            message=message,
            stop=stop,
            usage=Usage(input_tokens=1, output_tokens=self.tokens),
            requested_model="scripted",
            echoed_model="scripted",
            request_sha256="0" * 64,
        )


def _call(act: Act) -> ToolCall:
    arguments = json.dumps(dict(act.args), ensure_ascii=False) if act.raw is None else act.raw
    return ToolCall(call_id=act.call_id, name=act.tool, arguments=arguments)


_ANYTHING = (
    ("search", "query"),
    ("read", "url"),
    ("write_report", "content"),
    ("write_file", "content"),
    ("submit_report", "content"),
)
"""Tools that can be called again and again, the last only for want of others, and the
argument that makes each call new."""


def _anything(offered: set[str], sequence: int, width: int) -> list[Act]:
    usable = [pair for pair in _ANYTHING if pair[0] in offered]
    others = [pair for pair in usable if pair[0] != "submit_report"] or usable
    tool, argument = others[sequence % len(others)]
    path = {"path": "notes.md"} if tool == "write_file" else {}
    return [Act(tool, {**path, argument: f"# {word}"}) for word in _words(sequence, width)]


def _words(sequence: int, width: int) -> list[str]:
    """Words of letters alone, so that no number stands in them."""
    return [
        "".join(chr(ord("a") + int(digit)) for digit in str(sequence)) + chr(ord("k") + n)
        for n in range(width)
    ]
