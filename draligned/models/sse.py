"""Server-sent events out of bytes, however they were cut on the way.

The SDK's decoder is not public, joins no event that lacks its last blank line, and has
no way to say that a line was the last; so this small one is ours. Lines end with LF,
CR or CRLF and with nothing else: U+2028 inside JSON ends none.
"""

from typing import NamedTuple

BOM = b"\xef\xbb\xbf"


class SseEvent(NamedTuple):
    """One event; `data` holds its data lines as bytes, since characters may be cut anywhere."""

    name: str
    data: tuple[bytes, ...]


class SseDecoder:
    """Fed with chunks, gives events. What it gives does not depend on where chunks end."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._after_cr = False
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that `chunk` completes."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        events: list[SseEvent] = []
        for piece in chunk.splitlines(keepends=True):
            self._line += piece
            if piece.endswith((b"\n", b"\r")):
                self._take_line(events)
        return events

    def end(self) -> SseEvent | None:
        """The event that the end of the stream left without its blank line."""
        events: list[SseEvent] = []
        if self._line:
            self._take_line(events)
        self._dispatch(events)
        return events[0] if events else None

    def _take_line(self, events: list[SseEvent]) -> None:
        line = bytes(self._line).rstrip(b"\r\n")
        self._line.clear()
        if not line:
            self._dispatch(events)
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")

    def _dispatch(self, events: list[SseEvent]) -> None:
        if self._data:
            events.append(SseEvent(self._name, tuple(self._data)))
        self._name, self._data = "", []
