"""Sources for tests of environments: none answers twice alike."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from draligned.schema.retrieval import RetrievalAnswer, ReturnStatus, SearchHit

OK = ReturnStatus.OK


@dataclass
class Fickle:
    """Answers every request otherwise each time; `statuses` come first, in their order."""

    statuses: Sequence[ReturnStatus] = ()
    seconds: float = 0.0
    salt: str = ""
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    under_way: Counter[tuple[str, str]] = field(default_factory=Counter)
    most_at_once: int = 0
    closed: bool = False
    cancelled: int = 0

    @property
    def identity(self) -> str:
        """See `Source.identity`."""
        return "fickle"

    async def search(self, query: str) -> RetrievalAnswer:
        """See `Source.search`."""
        status, no = await self._come("search", query)
        hits = (
            SearchHit(title=f"{query} {no}{self.salt}", url=f"https://a.example/{no}", snippet=""),
        )
        return RetrievalAnswer(
            tool="search", request=query, status=status, hits=hits if status is OK else ()
        )

    async def read(self, url: str) -> RetrievalAnswer:
        """See `Source.read`."""
        status, no = await self._come("read", url)
        text = f"{url} 第 {no} 次{self.salt} " * 300 if status is OK else ""
        return RetrievalAnswer(tool="read", request=url, status=status, text=text, title=str(no))

    async def aclose(self) -> None:
        """See `Source.aclose`."""
        self.closed = True

    async def _come(self, tool: str, request: str) -> tuple[ReturnStatus, int]:
        place = (tool, request)
        self.asked[place] += 1
        number = self.asked[place]
        self.under_way[place] += 1
        self.most_at_once = max(self.most_at_once, self.under_way[place])
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.under_way[place] -= 1
        return self.statuses[number - 1] if number <= len(self.statuses) else OK, number
