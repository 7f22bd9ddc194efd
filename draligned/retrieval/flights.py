"""One call in flight a key, shared by all who ask for it meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


@dataclass
class _Flight(Generic[T]):
    task: "asyncio.Task[T]"
    passengers: int = 0


class Landed(NamedTuple, Generic[T]):
    """What a flight brought, and whether this asker began it."""

    value: T
    began: bool


class Flights(Generic[T]):
    """Calls under way, by key.

    A flight belongs to nobody: whoever is cancelled leaves it to the others, the one who began
    it too, and with the last of them it is cancelled and waited for. Its error reaches all.
    """

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def share(self, key: str, begin: Callable[[], Awaitable[T]]) -> Landed[T]:
        """Join the flight of `key`, or begin one."""
        flight = self._flights.get(key)
        began = flight is None
        if flight is None:
            flight = _Flight(asyncio.ensure_future(_run(begin)))
            self._flights[key] = flight
            flight.task.add_done_callback(lambda task: self._landed(key, task))
        flight.passengers += 1
        try:
            return Landed(await asyncio.shield(flight.task), began)
        finally:
            flight.passengers -= 1
            if not flight.passengers and not flight.task.done():
                self._drop(key, flight)
                flight.task.cancel()
                await asyncio.wait([flight.task])

    def _landed(self, key: str, task: "asyncio.Task[T]") -> None:
        flight = self._flights.get(key)
        if flight is not None and flight.task is task:
            self._drop(key, flight)
        if not task.cancelled():
            task.exception()  # seen, even where everybody has left

    def _drop(self, key: str, flight: _Flight[T]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


async def _run(begin: Callable[[], Awaitable[T]]) -> T:
    return await begin()
