"""What a chat completion wants back beside its text, opaque and in its place.

Signatures of thoughts stand at the calls they led to (`extra_content`), reasoning in blocks
beside the message (`reasoning_details`). Some providers refuse a history that lacks them.
"""

from typing import Any

from draligned.models.content import Cleaner, join_pieces
from draligned.schema.chat import Message
from draligned.schema.strictjson import dumps, loads

AT_CALL = "extra_content"
AT_MESSAGE = "reasoning_details"
_TEXTS = ("text", "summary", "data")


def chat_state(raw: dict[str, Any], cleaner: Cleaner) -> str | None:
    """`Message.reasoning_state` of a message as it came; None where nothing has to go back."""
    calls = raw.get("tool_calls")
    extras = {
        str(number): call[AT_CALL]
        for number, call in enumerate(calls if isinstance(calls, list) else ())
        if isinstance(call, dict) and isinstance(call.get(AT_CALL), dict)
    }
    details = raw.get(AT_MESSAGE)
    kept: dict[str, Any] = {AT_CALL: extras} if extras else {}
    if isinstance(details, list) and details and all(isinstance(d, dict) for d in details):
        kept[AT_MESSAGE] = details
    try:
        return cleaner.text(dumps(kept)) if kept else None
    except ValueError:
        return None


def add_state(out: dict[str, Any], message: Message) -> None:
    """Put what is kept of `message` into its form `out`, where it stood."""
    try:
        kept = loads(message.reasoning_state or "{}")
    except ValueError:
        return
    if not isinstance(kept, dict):
        return
    if kept.get(AT_MESSAGE):
        out[AT_MESSAGE] = kept[AT_MESSAGE]
    extras = kept.get(AT_CALL) or {}
    for number, call in enumerate(out.get("tool_calls", ())):
        if str(number) in extras:
            call[AT_CALL] = extras[str(number)]


class BlockDraft:
    """One block under way: texts come in pieces, of all else the last that says something."""

    def __init__(self) -> None:
        self._rest: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}

    def add(self, piece: dict[str, Any]) -> None:
        """Take in one piece."""
        for name, value in piece.items():
            if name in _TEXTS and isinstance(value, str):
                self._texts.setdefault(name, []).append(value)
                self._rest.setdefault(name, None)
            elif value is not None:
                self._rest[name] = value

    def payload(self) -> dict[str, Any]:
        """The block as it stands in a completion that is not streamed."""
        return {**self._rest, **{name: join_pieces(t) for name, t in self._texts.items()}}


class DetailsDraft:
    """The blocks of a streamed message: pieces of one kind and index are one block."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[str, str], BlockDraft] = {}

    def add(self, pieces: Any) -> None:
        """Take in the blocks of one chunk; what is none is passed over."""
        for piece in pieces if isinstance(pieces, list) else ():
            if isinstance(piece, dict):
                place = str(piece.get("type")), str(piece.get("index"))
                self._blocks.setdefault(place, BlockDraft()).add(piece)

    def payload(self) -> list[dict[str, Any]]:
        """The blocks as they stand in a completion that is not streamed."""
        return [block.payload() for block in self._blocks.values()]
