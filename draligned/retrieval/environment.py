"""An environment: within its scopes, one request has one answer (DESIGN §6)."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from draligned.retrieval.archive import Archive
from draligned.retrieval.flights import Flights
from draligned.retrieval.place import Place, ToolName, request_key
from draligned.retrieval.protocol import Served, Source
from draligned.schema.config import RetrievalMode
from draligned.schema.errors import ReplayError
from draligned.schema.retrieval import TRANSIENT, RecordedAnswer, RetrievalAnswer

UtcClock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present."""
    return datetime.now(UTC)


class _Fetched(NamedTuple):
    """What a fetch brought: an answer that is recorded now, or a failure of the moment."""

    answer: RetrievalAnswer
    recorded: RecordedAnswer | None = None
    first: bool = False
    """Whether the recorded answer is the one that was fetched."""


class Environment:
    """A source and the record of its answers.

    `live` asks the source each time and records nothing. `record` asks it once a request and
    scope: the first success, empty result or permanent refusal is stored and served to all,
    whoever asks; failures of the moment are passed on and never stored. `replay` has no source.
    """

    def __init__(
        self,
        name: str,
        mode: RetrievalMode,
        *,
        source: Source | None = None,
        archive: Archive | None = None,
        clock: UtcClock = utc_now,
    ) -> None:
        if mode != "replay" and source is None:
            raise ValueError(f"an environment cannot {mode} without a source")
        if mode != "live" and archive is None:
            raise ValueError(f"an environment cannot {mode} without an archive")
        self.name = name
        self.mode = mode
        self._source = source
        self._archive = archive
        self._clock = clock
        self._flights: Flights[_Fetched] = Flights()

    def bound(self, scope: str, run_id: str) -> "BoundRetrieval":
        """Search and read as run `run_id` does, within `scope`."""
        return BoundRetrieval(self, scope, run_id)

    async def answer(self, place: Place, request: str, run_id: str) -> Served:
        """Answer `request`, as sent, whose place is `place`.

        Raises `ReplayError` for what a replay lacks, `DamageError` for a damaged record.
        """
        if self._archive is None or self.mode == "live":
            return Served(await self._fetch(place.tool, request), environment_hit=None)
        known = self._archive.get(place)
        if known is not None:
            return self._served(known, request, hit=True)
        if self.mode == "replay":
            raise _missing(self._archive, place, request)
        archive = self._archive

        async def begin() -> _Fetched:
            return await self._fetch_and_record(archive, place, request, run_id)

        landed = await self._flights.share(place.key, begin)
        fetched = landed.value
        if fetched.recorded is None:
            return Served(_as_asked(fetched.answer, request), environment_hit=False)
        hit = not (landed.began and fetched.first)
        return self._served(fetched.recorded, request, hit=hit)

    def noted_failure(self, run_id: str, number: int) -> RetrievalAnswer | None:
        """In a replay, how a run's request failed for the moment; none where it did not."""
        if self.mode != "replay" or self._archive is None:
            return None
        return self._archive.failure(run_id, number)

    def note(self, run_id: str, number: int, answer: RetrievalAnswer) -> None:
        """While recording, note failures of the moment for a replay of that run."""
        if self.mode == "record" and self._archive is not None:
            self._archive.note(run_id, number, answer)

    async def _fetch(self, tool: ToolName, request: str) -> RetrievalAnswer:
        if self._source is None:
            raise RuntimeError("a replay fetches nothing")
        ask = self._source.search if tool == "search" else self._source.read
        return await ask(request)

    async def _fetch_and_record(
        self, archive: Archive, place: Place, request: str, run_id: str
    ) -> _Fetched:
        answer = await self._fetch(place.tool, request)
        if answer.status in TRANSIENT:
            return _Fetched(answer)
        recorded = RecordedAnswer(
            key=place.request,
            source="" if self._source is None else self._source.identity,
            fetched_utc=self._clock().isoformat(timespec="milliseconds"),
            first_fetcher=run_id,
            answer=answer,
        )
        kept = archive.put(place, recorded)
        return _Fetched(kept.recorded.answer, kept.recorded, kept.first)

    def _served(self, recorded: RecordedAnswer, request: str, *, hit: bool) -> Served:
        age = (self._clock() - datetime.fromisoformat(recorded.fetched_utc)).total_seconds()
        return Served(
            _as_asked(recorded.answer, request),
            environment_hit=hit,
            age_seconds=round(max(age, 0.0), 3),
            first_fetcher=recorded.first_fetcher,
        )


class BoundRetrieval:
    """`Retrieval` for one run of an environment; `number` is that of its request, if told."""

    def __init__(
        self, environment: Environment, scope: str, run_id: str, number: int | None = None
    ) -> None:
        self._environment = environment
        self._scope = scope
        self._run_id = run_id
        self._number = number

    @property
    def environment(self) -> str:
        """Name of the environment."""
        return self._environment.name

    def numbered(self, number: int) -> "BoundRetrieval":
        """See `Numbered.numbered`."""
        return BoundRetrieval(self._environment, self._scope, self._run_id, number)

    async def search(self, query: str) -> Served:
        """See `Retrieval.search`."""
        return await self._ask("search", query)

    async def read(self, url: str) -> Served:
        """See `Retrieval.read`."""
        return await self._ask("read", url)

    async def _ask(self, tool: ToolName, request: str) -> Served:
        place = Place(self.environment, self._scope, tool, request_key(tool, request))
        if self._number is None:
            return await self._environment.answer(place, request, self._run_id)
        noted = self._environment.noted_failure(self._run_id, self._number)
        if noted is not None and (noted.tool, noted.request) == (tool, request):
            return Served(noted, environment_hit=False)
        served = await self._environment.answer(place, request, self._run_id)
        self._environment.note(self._run_id, self._number, served.answer)
        return served


def _as_asked(answer: RetrievalAnswer, request: str) -> RetrievalAnswer:
    """The answer with the asker's own text, which may be another spelling of one address."""
    return answer if answer.request == request else answer.model_copy(update={"request": request})


def _missing(archive: Archive, place: Place, request: str) -> ReplayError:
    """What a replay lacks; where nothing of its environment is there, which ones are."""
    line = f"nothing was recorded for {place.tool} {request!r}"
    there = archive.environments()
    if there and place.environment not in there:
        line += f": recorded is {', '.join(there)}, not {place.environment}, which study.toml names"
    return ReplayError(line, key=place.key)
