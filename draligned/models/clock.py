"""Time as the models room sees it, so that tests can put their own in its place."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """A clock and a way to wait."""

    def monotonic(self) -> float:
        """Seconds that never run backwards; durations come from here."""
        ...

    def utc(self) -> datetime:
        """The time of day with its offset, for information and for HTTP dates."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    def utc(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking the loop."""
        await asyncio.sleep(seconds)
