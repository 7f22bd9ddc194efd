"""The one retry owner: it alone decides whether a call is sent again, and when.

The SDK's own retries are off. Every try is reported by whoever sends it; what
comes back here is a value, `Answered` or `Failed`, never a provider's exception.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from draligned.models.clock import Clock
from draligned.schema.base import unit_draw
from draligned.schema.chat import CallKey, ChatReply
from draligned.schema.config import AttemptPolicy
from draligned.schema.errors import BadResponse, ProviderError, RateLimited, RequestRefused

FailureKind = Literal[
    "connection",
    "timeout",
    "rate_limited",
    "no_credit",
    "server_error",
    "bad_response",
    "refused",
    "cancelled",
]


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A try that brought a reply."""

    reply: ChatReply


@dataclass(frozen=True, kw_only=True)
class Failed:
    """A try that did not."""

    kind: FailureKind
    status: int | None
    detail: str
    told_wait: float | None = None
    """Seconds the provider asked us to wait, where it said so sensibly."""


Try = Callable[[int, float], Awaitable[Answered | Failed]]
"""Sends try number n (from 1), given the seconds already waited for it."""


@dataclass(frozen=True, kw_only=True)
class RetryOwner:
    """Runs one call under a frozen policy."""

    policy: AttemptPolicy
    clock: Clock

    async def run(self, key: CallKey, send: Try) -> ChatReply:
        """Try until answered. Raises the typed error of the last try (see `give_up`)."""
        waited, number = 0.0, 1
        while True:
            result = await send(number, waited)
            if isinstance(result, Answered):
                return result.reply
            if self._is_final(result, number):
                raise self.give_up(result, number)
            waited = self.wait_before(result, key, number)
            await self.clock.sleep(waited)
            number += 1

    def _is_final(self, failed: Failed, number: int) -> bool:
        over_cap = (failed.told_wait or 0.0) > self.policy.retry_after_cap_seconds
        return failed.kind in ("refused", "no_credit") or over_cap or number >= self.policy.tries

    def wait_before(self, failed: Failed, key: CallKey, number: int) -> float:
        """Seconds before the try after `number`: as told, else back-off with jitter by hash."""
        if failed.told_wait is not None:
            return failed.told_wait
        step = min(
            self.policy.backoff_seconds * 2.0 ** min(number - 1, 30),
            self.policy.backoff_cap_seconds,
        )
        return step * (0.5 + 0.5 * unit_draw("backoff", key.model_dump(), number))

    def give_up(self, failed: Failed, number: int) -> ProviderError:
        """The error that ends a call.

        `RateLimited` (the cell stays open) where the provider asks for a longer wait
        than allowed or has no credit left; a 429 that outlives the policy is a plain
        `ProviderError` with status 429.
        """
        told = failed.told_wait
        if told is not None and told > self.policy.retry_after_cap_seconds:
            return RateLimited(
                f"the provider asks to wait {told:.0f} s, over the cap of "
                f"{self.policy.retry_after_cap_seconds:.0f} s (attempts.retry_after_cap_seconds)",
                status=failed.status,
            )
        if failed.kind == "no_credit":
            return RateLimited(failed.detail, status=failed.status)
        if failed.kind == "refused":
            return RequestRefused(failed.detail, status=failed.status)
        kind = BadResponse if failed.kind == "bad_response" else ProviderError
        tries = "1 try" if number == 1 else f"{number} tries"
        return kind(f"{failed.detail} (after {tries})", status=failed.status)
