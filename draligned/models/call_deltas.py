"""Tool calls of a stream, put together from their pieces.

A piece should carry the index of its call. Servers in use leave it out, give every call
the index 0, repeat id and name in each piece or make up a new id for it. So a piece
begins another call when it names a tool and either has another id or comes after
arguments that are complete; without a name it continues one.
"""

import json
from typing import Any

from draligned.models.content import join_pieces
from draligned.models.returned import AT_CALL
from draligned.models.toolcalls import as_text

_MAX_CHECKS = 64
"""How often the arguments of one call are looked at for being whole."""


class CallDraft:
    """A call under way."""

    def __init__(self) -> None:
        self.call_id: str | None = None
        self.name = ""
        self.extra: Any = None
        """What has to go back with the call, as it came."""
        self._arguments: list[str] = []
        self._checks = 0

    @property
    def arguments(self) -> str:
        """The arguments so far."""
        return join_pieces(self._arguments)

    @property
    def begun(self) -> bool:
        """Whether any of the arguments have come."""
        return bool(self._arguments)

    def add(self, call_id: str | None, name: str, arguments: str) -> None:
        """Take in one piece: an id counts once, a name whole or in pieces."""
        if not self.call_id:
            self.call_id = call_id
        if name and name != self.name and not self.begun:
            self.name = name if name.startswith(self.name) else self.name + name
        if arguments:
            self._arguments.append(arguments)

    def complete(self) -> bool:
        """Whether the arguments are whole."""
        if not self.begun or not self._arguments[-1].rstrip().endswith("}"):
            return False
        self._checks += 1
        if self._checks > _MAX_CHECKS:
            return False
        try:
            return isinstance(json.loads(self.arguments), dict)
        except (ValueError, RecursionError):
            return False

    def payload(self) -> dict[str, Any]:
        """The call as it stands in a reply that is not streamed."""
        function = {"name": self.name, "arguments": self.arguments}
        extra = {} if self.extra is None else {AT_CALL: self.extra}
        return {"id": self.call_id, "type": "function", "function": function, **extra}


class CallAssembler:
    """The calls of one message, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[CallDraft] = []
        self._by_index: dict[int, CallDraft] = {}
        self._by_id: dict[str, CallDraft] = {}

    def add(self, raw: Any, *, beside: bool) -> None:
        """Take in one piece; `beside` another of the same chunk."""
        piece = raw if isinstance(raw, dict) else {"arguments": raw}
        inner = piece.get("function", piece.get("custom", piece))
        inner = inner if isinstance(inner, dict) else {}
        name = inner.get("name")
        name = name if isinstance(name, str) else ""
        arguments = as_text(inner.get("arguments", inner.get("input")))
        index, call_id = piece.get("index"), piece.get("id")
        index = index if type(index) is int else None
        call_id = call_id if isinstance(call_id, str) and call_id else None
        call = self._current(index, call_id, name)
        if call is None or _is_another(call, index, call_id, name, arguments, beside=beside):
            call = CallDraft()
            self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        if call_id:
            self._by_id[call_id] = call
        call.extra = piece.get(AT_CALL) or call.extra
        call.add(call_id, name, arguments)

    def _current(self, index: int | None, call_id: str | None, name: str) -> CallDraft | None:
        """The call that a piece may continue."""
        last = self._calls[-1] if self._calls else None
        if index in self._by_index:
            return self._by_index[index]
        if index is not None:
            return None if name or call_id else last
        if call_id in self._by_id:
            return self._by_id[call_id]
        return None if call_id and name else last

    def payload(self) -> list[dict[str, Any]]:
        """The calls as they stand in a reply that is not streamed."""
        return [call.payload() for call in self._calls]


def _is_another(
    call: CallDraft,
    index: int | None,
    call_id: str | None,
    name: str,
    arguments: str,
    *,
    beside: bool,
) -> bool:
    """Whether a piece begins a call of its own although `call` could take it."""
    if not name:
        return False
    if call_id and call.call_id and call_id != call.call_id:
        return True
    if name != call.name and (call.begun or index is None):
        return True
    return (beside and index is None) or (bool(arguments) and call.complete())
