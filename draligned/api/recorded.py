"""retrieval stats, export and import: what was recorded of the world, counted and moved."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from draligned.models.calls import call_key
from draligned.retrieval.archive import is_failure_key
from draligned.retrieval.bundle import Taken, take_bundle, write_bundle
from draligned.retrieval.place import Place
from draligned.schema.base import Record
from draligned.schema.chat import RecordedCall
from draligned.schema.errors import DamageError, InputError
from draligned.schema.events import Event, RequestExecuted
from draligned.schema.retrieval import TRANSIENT, RecordedAnswer, RetrievalAnswer, ReturnStatus
from draligned.store.blobs import blob_key
from draligned.store.protocol import Store
from draligned.study.attempts import attempts_of, events_key, read_header
from draligned.study.lines import whole_lines
from draligned.study.stored import stored

_FINE = (ReturnStatus.OK, ReturnStatus.EMPTY)


class EnvironmentStats(Record):
    """One environment: requests of all its runs, and what is recorded of it."""

    environment: str
    requests: int
    hits: int
    """Answered with what had been recorded."""
    misses: int
    """Fetched, or failed, while recording."""
    live: int
    """Answered afresh, with nothing recorded."""
    stored: int
    """Recorded answers."""
    bytes: int
    """Of their records and texts, and of the pages kept beside them, as stored."""
    failures: dict[str, int]
    """Requests of runs that brought neither results nor a page, by their status."""


def retrieval_stats(store: Store) -> tuple[EnvironmentStats, ...]:
    """Every environment that runs asked or that is recorded, in alphabetical order.

    Raises `DamageError` with the key of a damaged record.
    """
    asked: dict[str, list[RequestExecuted]] = {}
    for environment, body in _requests(store):
        asked.setdefault(environment, []).append(body)
    names = sorted({*asked, *store.folders("retrieval")})
    return tuple(_stats(store, name, asked.get(name, [])) for name in names)


def _stats(store: Store, name: str, asked: list[RequestExecuted]) -> EnvironmentStats:
    hits = Counter(body.environment_hit for body in asked)
    failed = Counter(b.return_status.value for b in asked if b.return_status not in _FINE)
    keys = store.list(f"retrieval/{name}")
    blobs = {blob for key in keys for blob in _blobs_of(store, key)}
    return EnvironmentStats(
        environment=name,
        requests=len(asked),
        hits=hits[True],
        misses=hits[False],
        live=hits[None],
        stored=len(keys),
        bytes=sum(len(store.get(key) or b"") for key in (*keys, *blobs)),
        failures=dict(sorted(failed.items())),
    )


def _requests(store: Store) -> Iterator[tuple[str, RequestExecuted]]:
    """Requests of every attempt on disk; a line that is being written is not looked at."""
    for run_id in store.folders("runs"):
        for attempt in attempts_of(store, run_id):
            header = read_header(store, run_id, attempt)
            key = events_key(run_id, attempt)
            for line in whole_lines(store, key):
                if header is None or b'"request_executed"' not in line:
                    continue
                body = stored(Event, line, key).body
                if isinstance(body, RequestExecuted):
                    yield header.environment, body


def export_recordings(store: Store, path: Path, *, replies: bool) -> tuple[int, int]:
    """Write all recorded answers, and `replies` of models, to a file: its members and bytes.

    Raises `InputError` where nothing is recorded or the file exists.
    """
    keys = [*store.list("retrieval"), *store.list("replay/failures")]
    if replies:
        keys += store.list("replay/calls")
    if not keys:
        raise InputError(
            "nothing is recorded in this study; `draligned run --retrieval record` records"
        )
    keys += {blob for key in keys for blob in _blobs_of(store, key)}
    return len(keys), write_bundle(path, store, keys)


def import_recordings(store: Store, path: Path) -> Taken:
    """Take the recorded answers and replies of a file into a study that lacks them."""
    return take_bundle(path, store, _check)


def _check(key: str, data: bytes) -> None:
    """Raise `DamageError` for a member that is not what its key says."""
    if is_failure_key(key):
        stored(RetrievalAnswer, data, key)
        return
    if key.startswith("retrieval/"):
        found = stored(RecordedAnswer, data, key)
        if found.answer.status in TRANSIENT:
            raise DamageError(f"{key}: a failure of the moment is no recorded answer")
        environment, _, scope = key.removeprefix("retrieval/").rpartition("/")[0].partition("/")
        proper = Place(environment, scope, found.answer.tool, found.key).key
    else:
        proper = call_key(stored(RecordedCall, data, key).key)
    if key != proper:
        raise DamageError(f"{key}: holds the record of something else")


def _blobs_of(store: Store, key: str) -> list[str]:
    """Keys of the blobs that a record names: its text, and the bytes of the page if kept."""
    data = store.get(key)
    if data is None or is_failure_key(key):
        return []
    if key.startswith("replay/"):
        reply = stored(RecordedCall, data, key).reply_sha256
        return [] if reply is None else [blob_key(reply)]
    found = stored(RecordedAnswer, data, key)
    out = [] if found.text_sha256 is None else [blob_key(found.text_sha256)]
    raw = found.answer.raw_sha256
    if raw is not None and store.exists(blob_key(raw)):
        out.append(blob_key(raw))
    return out
