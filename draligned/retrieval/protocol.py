"""The one interface between the project and any source of pages."""

from typing import NamedTuple, Protocol

from draligned.schema.retrieval import RetrievalAnswer


class Served(NamedTuple):
    """An answer and whether it was stored before."""

    answer: RetrievalAnswer
    environment_hit: bool | None


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
