"""Limits of one provider, shared by all its models: calls at once, per minute, tokens per minute.

Time spent here is waiting, and is reported apart from working.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from draligned.models.clock import Clock, SystemClock
from draligned.schema.config import ProviderConfig

WINDOW_SECONDS = 60.0


@dataclass(kw_only=True)
class Slot:
    """A permission to send one call."""

    started: float
    tokens: int
    """Estimated before the call; `correct` puts the reported number in its place."""
    waited_seconds: float = 0.0

    def correct(self, tokens: int) -> None:
        """Replace the estimate by what the provider counted."""
        self.tokens = tokens


@dataclass(kw_only=True)
class Limiter:
    """Holds calls back so that a provider's limits are kept by this process.

    Minutes are sliding windows. A call larger than the whole token limit is let
    through once the window is empty, since it could never be sent otherwise.
    """

    concurrency: int
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    clock: Clock = field(default_factory=SystemClock)
    _window: deque[Slot] = field(default_factory=deque, init=False)
    _held_until: float = field(default=0.0, init=False)
    _running: asyncio.Semaphore = field(init=False)
    _gate: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def __post_init__(self) -> None:
        self._running = asyncio.Semaphore(self.concurrency)

    @classmethod
    def of(cls, provider: ProviderConfig, clock: Clock | None = None) -> "Limiter":
        """The limiter of a provider in study.toml."""
        return cls(
            concurrency=provider.concurrency,
            requests_per_minute=provider.requests_per_minute,
            tokens_per_minute=provider.tokens_per_minute,
            clock=clock or SystemClock(),
        )

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[Slot]:
        """Wait for a permission to send a call of about `tokens` tokens, and hold it."""
        arrived = self.clock.monotonic()
        async with self._running:
            async with self._gate:
                await self._wait_for_window(tokens)
                slot = Slot(started=self.clock.monotonic(), tokens=tokens)
                self._window.append(slot)
            slot.waited_seconds = slot.started - arrived
            yield slot

    def hold(self, seconds: float) -> None:
        """Let nothing through for `seconds`: the provider asked for it."""
        self._held_until = max(self._held_until, self.clock.monotonic() + seconds)

    async def _wait_for_window(self, tokens: int) -> None:
        while (wait := self._wait_needed(tokens)) > 0:
            await self.clock.sleep(wait)

    def _wait_needed(self, tokens: int) -> float:
        now = self.clock.monotonic()
        if self._held_until > now:
            return self._held_until - now
        while self._window and self._window[0].started <= now - WINDOW_SECONDS:
            self._window.popleft()
        if not self._window or self._fits(tokens):
            return 0.0
        return max(self._window[0].started + WINDOW_SECONDS - now, 0.001)

    def _fits(self, tokens: int) -> bool:
        rpm, tpm = self.requests_per_minute, self.tokens_per_minute
        if rpm is not None and len(self._window) >= rpm:
            return False
        return tpm is None or sum(s.tokens for s in self._window) + tokens <= tpm
