"""Sources of study.toml: a search provider and a reader of pages as one `Source`."""

from collections.abc import Callable, Iterable
from typing import Protocol

from draligned.models.limits import Limiter
from draligned.models.spend import SpendGuard
from draligned.retrieval.benchmark import BenchmarkPages
from draligned.retrieval.embedded import EmbeddedRetrieval
from draligned.retrieval.identity import source_identity
from draligned.retrieval.ledgered import Recorder, Try, TryLog
from draligned.retrieval.protocol import Source
from draligned.retrieval.reader import PageRead
from draligned.retrieval.search.backends import backend_for
from draligned.retrieval.search.outcome import Outcome, SearchBackend
from draligned.retrieval.suspicion import flags_of
from draligned.retrieval.web import web_reader
from draligned.schema.config import SourceConfig
from draligned.schema.design import Lang
from draligned.schema.errors import RateLimited
from draligned.schema.retrieval import (
    TRANSIENT,
    Flag,
    RetrievalAnswer,
    ReturnStatus,
    SearchHit,
)
from draligned.schema.strictjson import clean_text

Keep = Callable[[bytes], str]
"""Stores the bytes of a page; gives their SHA-256."""


class Reader(Protocol):
    """Reads pages."""

    async def read_page(self, request: str) -> PageRead:
        """The answer and the page's bytes."""
        ...

    async def aclose(self) -> None:
        """Close connections and processes."""
        ...


def source_for(
    name: str,
    config: SourceConfig,
    lang: Lang,
    *,
    record: Recorder,
    tasks: Iterable[str] = (),
    keep: Keep | None = None,
    spend: SpendGuard | None = None,
) -> Source:
    """The source `[retrieval.NAME]`.

    `record` takes a line for each try; `tasks` are the study's task texts, by which pages of the
    benchmark are known; `keep` stores the bytes of pages; `spend` stops searches with a price at
    the command's limit of cost. No key is needed before the first search. Raises `ConfigError`
    for settings that cannot work.
    """
    if config.kind == "embedded":
        return EmbeddedSource(lang)
    pages = BenchmarkPages(tasks)
    return LiveSource(
        name,
        config,
        lang,
        backend=backend_for(name, config, lang),
        reader=web_reader(config.reading, benchmark=pages),
        pages=pages,
        log=TryLog(name=name, kind=config.kind, record=record, currency=config.currency),
        keep=keep,
        spend=spend,
    )


class EmbeddedSource:
    """The bundled corpus. It costs nothing and fails never, so nothing goes to the ledger."""

    def __init__(self, lang: Lang) -> None:
        self._inner = EmbeddedRetrieval(lang)

    @property
    def identity(self) -> str:
        """See `Source.identity`."""
        return self._inner.environment

    async def search(self, query: str) -> RetrievalAnswer:
        """See `Source.search`."""
        return (await self._inner.search(query)).answer

    async def read(self, url: str) -> RetrievalAnswer:
        """See `Source.read`."""
        return (await self._inner.read(url)).answer

    async def aclose(self) -> None:
        """There is nothing to close."""


class LiveSource:
    """A search provider and the pages of the web. One for all episodes of a command."""

    def __init__(
        self,
        name: str,
        config: SourceConfig,
        lang: Lang,
        *,
        backend: SearchBackend,
        reader: Reader,
        pages: BenchmarkPages,
        log: TryLog,
        keep: Keep | None = None,
        spend: SpendGuard | None = None,
    ) -> None:
        self._config = config
        self._identity = source_identity(config, lang)
        self._backend = backend
        self._reader = reader
        self._pages = pages
        self._log = log
        self._keep = keep
        self._spend = spend or SpendGuard()
        self._closed_until = 0.0
        self._limiter = Limiter(
            concurrency=config.concurrency,
            requests_per_minute=config.requests_per_minute,
            clock=log.clock,
        )

    @property
    def identity(self) -> str:
        """Kind, language and all settings that answers depend on."""
        return self._identity

    async def search(self, query: str) -> RetrievalAnswer:
        """See `Source.search`. Raises `ConfigError` where the user must act, `SpendLimit` before
        a search that the user's limit of cost forbids, and `RateLimited` while the provider
        wants more of a pause than the cap: the cell stays open."""
        asked = clean_text(query).text
        if not asked.strip():
            return _answer(query, Outcome(ReturnStatus.REFUSED, detail="the query is empty"))
        self._admit()
        async with self._limiter.slot(0) as slot:
            self._admit()
            outcome = await self._tried(asked, slot.waited_seconds)
        return self._without_benchmark(_answer(query, outcome))

    async def read(self, url: str) -> RetrievalAnswer:
        """See `Source.read`."""
        async with self._log.trying("read", url) as one:
            page = await self._reader.read_page(url)
            one.ended(page.answer.status, page.answer.detail)
        if self._keep is not None and page.raw and page.answer.status not in TRANSIENT:
            self._keep(page.raw)
        return page.answer

    async def aclose(self) -> None:
        """See `Source.aclose`."""
        try:
            await self._backend.aclose()
        finally:
            await self._reader.aclose()

    def _admit(self) -> None:
        """Whether a search may begin, after the rest of a pause that was asked for."""
        self._spend.check_search(self._config)
        left, cap = self._closed_until - self._log.clock.monotonic(), self._cap
        if 0 < left <= cap:
            self._limiter.hold(left)
        if left > cap:
            name = self._log.name
            raise RateLimited(
                f"retrieval.{name} asks to wait {left:.0f} s, over the cap of {cap:.0f} s "
                f"(retrieval.{name}.retry_after_cap_seconds)"
            )

    @property
    def _cap(self) -> float:
        return self._config.retry_after_cap_seconds

    async def _tried(self, asked: str, waited: float) -> Outcome:
        async with self._log.trying("search", asked) as one:
            one.waited = waited
            outcome = await self._backend.search(asked)
            self._account(one, outcome)
        return outcome

    def _account(self, one: Try, outcome: Outcome) -> None:
        one.ended(outcome.status, outcome.detail, timed_out=outcome.timed_out)
        one.http_status = outcome.http_status
        if outcome.status not in TRANSIENT:
            one.cost = self._spend.add_search(self._config)
        if outcome.told_wait is not None:
            until = self._log.clock.monotonic() + outcome.told_wait
            self._closed_until = max(self._closed_until, until)
            if outcome.told_wait <= self._cap:
                self._limiter.hold(outcome.told_wait)

    def _without_benchmark(self, answer: RetrievalAnswer) -> RetrievalAnswer:
        """`answer` flagged where it shows the benchmark; its hits left out where that is asked."""
        own = [hit for hit in answer.hits if self._is_benchmark(hit)]
        if not own:
            return answer
        flags = (*answer.flags, Flag.BENCHMARK)
        if not self._config.reading.block_benchmark:
            return answer.model_copy(update={"flags": flags})
        kept = tuple(hit for hit in answer.hits if hit not in own)
        status = ReturnStatus.OK if kept else ReturnStatus.BENCHMARK
        return answer.model_copy(update={"flags": flags, "hits": kept, "status": status})

    def _is_benchmark(self, hit: SearchHit) -> bool:
        return self._pages(hit.url, f"{hit.title}\n{hit.snippet}")


def _answer(query: str, outcome: Outcome) -> RetrievalAnswer:
    return RetrievalAnswer(
        tool="search",
        request=query,
        status=outcome.status,
        hits=outcome.hits,
        flags=flags_of(*(text for hit in outcome.hits for text in (hit.title, hit.snippet))),
        detail=outcome.detail,
    )
