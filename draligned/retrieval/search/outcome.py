"""What a try of a search brought, and the Protocol of those who search."""

from enum import StrEnum
from typing import NamedTuple, Protocol

from draligned.schema.retrieval import ReturnStatus, SearchHit


class Fault(StrEnum):
    """What the user must mend: no try goes better before."""

    KEY = "key"
    CREDIT = "credit"
    SETTINGS = "settings"
    """An address or a parameter, unless the provider has answered with them before."""


class Outcome(NamedTuple):
    """One try. Only a list that the provider gave and that holds nothing is EMPTY."""

    status: ReturnStatus
    hits: tuple[SearchHit, ...] = ()
    detail: str = ""
    http_status: int | None = None
    told_wait: float | None = None
    """Seconds the provider asks to wait."""
    fault: Fault | None = None
    timed_out: bool = False


class SearchBackend(Protocol):
    """One provider of search results."""

    async def search(self, query: str) -> Outcome:
        """Try once. Failures are values; `ConfigError` where the user must act."""
        ...

    async def aclose(self) -> None:
        """Close connections and processes."""
        ...


class Unreadable(Exception):
    """An answer that holds no list of results; the message says what it holds instead."""


def failed(status: ReturnStatus, detail: str, http_status: int | None = None) -> Outcome:
    """An outcome without results."""
    return Outcome(status, detail=detail, http_status=http_status)
