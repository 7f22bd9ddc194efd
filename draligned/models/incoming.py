"""A 2xx body as it arrives: one JSON object, or server-sent events that make one.

Which of them came is seen from the body, not from what was asked for: some servers
stream although nobody asked, others answer in one piece although a stream was wanted.
"""

import re
from typing import Protocol

from draligned.models.payload import Payload, load_json, load_payload, unexpected
from draligned.models.sse import BOM, SseDecoder, SseEvent
from draligned.schema.errors import BadResponse

MAX_BODY_BYTES = 64 * 1024 * 1024
"""Longer answers are refused; the longest report streamed in tokens has a tenth of that."""

_FIELD = re.compile(rb"(?:data|event|id|retry)?:")
_LONGEST_FIELD = len(b"event:")
_DONE = b"[DONE]"


class Assembler(Protocol):
    """Makes one payload of the events of a stream."""

    done: bool
    """Whether nothing of interest follows."""

    def add(self, name: str, chunk: Payload) -> None:
        """Take in the payload of one event. Raises `BadResponse`."""
        ...

    def close(self) -> None:
        """The provider has said that the stream is over."""
        ...

    def payload(self) -> Payload | None:
        """What the stream held; None where it was cut."""
        ...


class Incoming:
    """Fed with the chunks of a body, however they are cut."""

    def __init__(self, assembler: Assembler, content_type: str = "") -> None:
        self._assembler = assembler
        self._declared = content_type.lower().startswith("text/event-stream")
        self._size = 0
        self._raw: list[bytes] = []
        self._decoder: SseDecoder | None = None
        self._head: bytes | None = b""

    @property
    def done(self) -> bool:
        """Whether the rest need not be read."""
        return self._assembler.done

    def feed(self, chunk: bytes) -> None:
        """Take in a chunk. Raises `BadResponse` for events that are none, and over the cap."""
        self._size += len(chunk)
        if self._size > MAX_BODY_BYTES:
            raise BadResponse(f"the answer is longer than {MAX_BODY_BYTES} bytes", status=200)
        if self._head is not None:
            chunk = self._look(self._head + chunk, ended=False)
        if self._decoder is None:
            self._raw.append(chunk)
            return
        self._take(self._decoder.feed(chunk))

    def end(self) -> Payload | None:
        """The object; None where a stream was cut. Raises `BadResponse`."""
        if self._head is not None:
            self._raw.append(self._look(self._head, ended=True))
        if self._decoder is None:
            return load_payload(b"".join(self._raw))
        if not self.done and (last := self._decoder.end()) is not None:
            self._take_last(last)
        return self._assembler.payload()

    def _look(self, head: bytes, *, ended: bool) -> bytes:
        """Decide what `head` begins, once it is long enough; what of it is to be read now."""
        start = head.removeprefix(BOM).lstrip()
        if not ended and (
            BOM.startswith(head) or (len(start) < _LONGEST_FIELD and b"\n" not in start)
        ):
            self._head = head
            return b""
        self._head = None
        if _FIELD.match(start) or (self._declared and not start.startswith((b"{", b"[", b"<"))):
            self._decoder = SseDecoder()
        return start

    def _take_last(self, event: SseEvent) -> None:
        """The event that lacks its end: where it cannot be read, the stream was cut in it."""
        try:
            self._take([event])
        except BadResponse:
            return

    def _take(self, events: list[SseEvent]) -> None:
        for event in events:
            for data in _payloads(event):
                if self._assembler.done:
                    return
                self._one(event.name, data)

    def _one(self, name: str, data: bytes) -> None:
        if data.strip() == _DONE:
            self._assembler.close()
            return
        if not data.strip():
            return
        chunk = load_json(data)
        if not isinstance(chunk, dict):
            raise unexpected("an event that is not a JSON object", chunk)
        try:
            self._assembler.add(name, chunk)
        except RecursionError:
            raise BadResponse("an event is nested too deeply", status=200) from None


def _payloads(event: SseEvent) -> tuple[bytes, ...]:
    """The data of an event; one each where a server leaves out the blank lines between events."""
    if len(event.data) == 1 or not all(_stands_alone(line) for line in event.data):
        return (b"\n".join(event.data),)
    return event.data


def _stands_alone(line: bytes) -> bool:
    text = line.strip()
    return text in (b"", _DONE) or (text.startswith(b"{") and text.endswith(b"}"))
