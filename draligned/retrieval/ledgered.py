"""Tries of retrieval as lines of the attempt ledger, beside those of models."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from draligned.models.clock import Clock, SystemClock
from draligned.retrieval.place import ToolName
from draligned.schema.base import short_id
from draligned.schema.chat import AttemptRecord, CallKey
from draligned.schema.errors import ConfigError
from draligned.schema.retrieval import TRANSIENT, ReturnStatus

Recorder = Callable[[AttemptRecord], None]


@dataclass(kw_only=True)
class Try:
    """One try under way; whoever makes it says how it went."""

    waited: float = 0.0
    """Seconds, before it began."""
    outcome: str = "error"
    http_status: int | None = None
    cost: float | None = None
    detail: str = ""

    def ended(self, status: ReturnStatus, detail: str, *, timed_out: bool = False) -> None:
        """A failure of the moment is one here too; what the web answers, even no, is a success."""
        broken = status in TRANSIENT
        self.outcome = ("timeout" if timed_out else status.value) if broken else "ok"
        self.detail = detail if broken else ("" if status is ReturnStatus.OK else status.value)


@dataclass(kw_only=True)
class TryLog:
    """Writes the tries of one source.

    Usage is none. Reading a page costs nothing; of a search the cost is unknown without a price.
    """

    name: str
    """The source's name in study.toml."""
    kind: str
    record: Recorder
    currency: str | None = None
    clock: Clock = field(default_factory=SystemClock)
    _number: int = field(default=0, init=False)

    @asynccontextmanager
    async def trying(self, tool: ToolName, request: str) -> AsyncIterator[Try]:
        """Record what happens inside as one try, whatever ends it."""
        self._number += 1
        key = CallKey(
            owner=short_id("retrieval", self.name, tool, request), attempt=1, sequence=self._number
        )
        one = Try(cost=0.0 if tool == "read" else None)
        started, utc = self.clock.monotonic(), self.clock.utc().isoformat()
        try:
            yield one
        except asyncio.CancelledError:
            one.outcome, one.detail = "cancelled", "cancelled in flight"
            raise
        except ConfigError as error:
            one.outcome, one.detail = "refused", str(error)
            raise
        finally:
            seconds = self.clock.monotonic() - started
            self.record(self._line(tool, key, one, utc, seconds))

    def _line(
        self, tool: ToolName, key: CallKey, one: Try, utc: str, seconds: float
    ) -> AttemptRecord:
        return AttemptRecord(
            key=key,
            purpose="retrieval",
            provider=self.kind,
            requested_model=f"{self.name}: {tool}",
            echoed_model=None,
            try_no=1,
            started_utc=utc,
            seconds=seconds,
            waited_seconds=one.waited,
            outcome=one.outcome,
            http_status=one.http_status,
            usage=None,
            cost=one.cost,
            currency=None if one.cost is None else self.currency,
            detail=one.detail,
        )
