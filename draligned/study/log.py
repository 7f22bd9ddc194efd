"""The event log of one attempt: plain lines, each holding the hash of the one before."""

import hashlib
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import ValidationError

from draligned.schema.errors import DamageError
from draligned.schema.events import Body, Event
from draligned.store.protocol import Store
from draligned.study.lines import mend_lines

Clock = Callable[[], tuple[str, float]]
GENESIS = "0" * 64


def now() -> tuple[str, float]:
    """UTC as text with offset, and the monotonic clock in seconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds"), round(time.monotonic(), 4)


class EventLog:
    """Appends events to one key. `torn` names the key of a torn tail that was set aside.

    What is appended is not kept in memory: hundreds of episodes run at once.
    """

    def __init__(self, store: Store, key: str, *, clock: Clock = now) -> None:
        self._store = store
        self._key = key
        self._clock = clock
        self.torn = mend_lines(store, key)
        self.last_sha256 = GENESIS
        found: list[Event] = []
        for line, event in _chain(store.get(key) or b"", key):
            found.append(event)
            self.last_sha256 = _sha(line)
        self.found = tuple(found)
        """The events that stood in the log when it was opened."""
        self.n_events = len(found)
        """How many stand in it now."""

    def append(self, *bodies: Body) -> None:
        """Write `bodies` as the next events, in one write; they are events once it succeeds."""
        utc, mono = self._clock()
        lines, prev = list[bytes](), self.last_sha256
        for seq, body in enumerate(bodies, start=self.n_events):
            event = Event(seq=seq, utc=utc, mono=mono, prev=prev, body=body)
            line = event.to_json().encode("utf-8")
            lines.append(line + b"\n")
            prev = _sha(line)
        self._store.append(self._key, b"".join(lines))
        self.n_events += len(lines)
        self.last_sha256 = prev


class WholeLog(NamedTuple):
    """All events of a log, and the hash of its last line."""

    events: list[Event]
    last_sha256: str


def read_log(store: Store, key: str) -> WholeLog:
    """A whole log. Raises `DamageError`, with the line, on any damage."""
    data = store.get(key)
    if data is None:
        raise DamageError(f"{key} is missing")
    lines = list(_chain(data, key))
    return WholeLog([event for _, event in lines], _sha(lines[-1][0]) if lines else GENESIS)


def read_events(store: Store, key: str) -> list[Event]:
    """All events of a log. Raises `DamageError`, with the line, on any damage."""
    return read_log(store, key).events


class LogSoFar(NamedTuple):
    """The events of a log that can be read, and what is wrong after them, if anything."""

    events: list[Event]
    problem: str | None


def read_so_far(store: Store, key: str) -> LogSoFar:
    """A log as it is now, also while it is being written: of a damaged or torn one, what comes
    before the damage. Nothing is set aside or mended; no log is no events."""
    events: list[Event] = []
    try:
        for _, event in _chain(store.get(key) or b"", key):
            events.append(event)
    except DamageError as error:
        return LogSoFar(events, str(error))
    return LogSoFar(events, None)


def _chain(data: bytes, key: str) -> Iterator[tuple[bytes, Event]]:
    prev = GENESIS
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        event = _parse(line, key, number)
        if event.prev != prev or event.seq != number - 1:
            raise DamageError(f"{key}, line {number}: the chain is broken")
        prev = _sha(line)
        yield line, event
    if data and not data.endswith(b"\n"):
        raise DamageError(f"{key}: the last line is torn")


def _parse(line: bytes, key: str, number: int) -> Event:
    try:
        return Event.model_validate_json(line)
    except (ValidationError, ValueError) as error:
        raise DamageError(f"{key}, line {number}: not an event ({type(error).__name__})") from error


def _sha(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()
