"""The embedded environment: bundled pages, found by BM25, read over HTTP inside the process."""

from functools import cache

import httpx

from draligned.retrieval.corpus import Page, load_pages
from draligned.retrieval.fetch import ReadingClient
from draligned.retrieval.index import PageIndex
from draligned.retrieval.protocol import Served
from draligned.retrieval.reader import PageReader
from draligned.retrieval.site import build_site, host_of, url_of
from draligned.retrieval.snippets import snippet
from draligned.schema.base import short_id
from draligned.schema.retrieval import RetrievalAnswer, ReturnStatus, SearchHit

TOP_HITS = 6
_RANKING = ("bm25-lucene", 1.2, 0.75, "title*3", TOP_HITS)
"""Named in the environment, since another ranking would answer otherwise."""


class EmbeddedRetrieval:
    """`Retrieval` over the bundled pages of one language; no socket is ever opened.

    Answers depend on the request alone, and every one was there before, so `environment_hit`
    is True.
    """

    def __init__(self, lang: str) -> None:
        self._pages = load_pages(lang)
        self._index = _index(lang)
        self._environment = f"embedded-{lang}-{content_hash(self._pages)}"
        app = build_site(lang, self._pages)
        self._reader = PageReader(ReadingClient(OneHostTransport(host_of(lang), app)))

    @property
    def environment(self) -> str:
        """`embedded-<lang>-<hash>`; the hash covers pages and ranking."""
        return self._environment

    async def search(self, query: str) -> Served:
        """The six best pages; EMPTY when no word of the query is in any page."""
        found = self._index.search(query, TOP_HITS)
        hits = tuple(
            SearchHit(title=page.title, url=url_of(page), snippet=snippet(page, query))
            for page, _score in found
        )
        status = ReturnStatus.OK if hits else ReturnStatus.EMPTY
        answer = RetrievalAnswer(tool="search", request=query, status=status, hits=hits)
        return Served(answer, environment_hit=True)

    async def read(self, url: str) -> Served:
        """The page at `url`; NOT_FOUND for any address outside the corpus."""
        return Served(await self._reader.read(url), environment_hit=True)


class OneHostTransport(httpx.AsyncBaseTransport):
    """Hands requests for one host to an app in the process and answers 404 for all others."""

    def __init__(self, host: str, app: object) -> None:
        self._host = host
        self._inner = httpx.ASGITransport(app=app)  # type: ignore[arg-type]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer `request` without a network."""
        if request.url.host != self._host or request.url.port is not None:
            return httpx.Response(404, request=request)
        return await self._inner.handle_async_request(request)


def content_hash(pages: tuple[Page, ...]) -> str:
    """Eight hex digits that change with any page and with the ranking."""
    return short_id(_RANKING, [page.model_dump(mode="json") for page in pages])[:8]


@cache
def _index(lang: str) -> PageIndex:
    return PageIndex(load_pages(lang))
