"""The one interface between the project and any source of pages."""

from typing import NamedTuple, Protocol, runtime_checkable

from draligned.schema.retrieval import RetrievalAnswer


class Served(NamedTuple):
    """An answer, whether it was stored before, and by whom and when."""

    answer: RetrievalAnswer
    environment_hit: bool | None
    age_seconds: float | None = None
    first_fetcher: str | None = None


class Source(Protocol):
    """Where answers come from, before any recording."""

    @property
    def identity(self) -> str:
        """Name and content of the source: what a recording of it is kept under."""
        ...

    async def search(self, query: str) -> RetrievalAnswer:
        """Answer a query. Failures are statuses of the answer, never exceptions."""
        ...

    async def read(self, url: str) -> RetrievalAnswer:
        """Read a page. Failures are statuses of the answer, never exceptions."""
        ...

    async def aclose(self) -> None:
        """Close connections and processes."""
        ...


class Retrieval(Protocol):
    """Search and read inside one environment (DESIGN §6)."""

    @property
    def environment(self) -> str:
        """Name of the environment; part of the run's identity."""
        ...

    async def search(self, query: str) -> Served:
        """Answer a query. Failures are statuses of the answer, never exceptions."""
        ...

    async def read(self, url: str) -> Served:
        """Read a page. Failures are statuses of the answer, never exceptions."""
        ...


@runtime_checkable
class Numbered(Protocol):
    """A `Retrieval` that wants to know which of its run's requests is being answered."""

    def numbered(self, number: int) -> Retrieval:
        """Search and read as the run's request `number`, however often it is tried."""
        ...
