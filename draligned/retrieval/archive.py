"""Recorded answers in a study's store: the first one stored is everybody's (DESIGN §6).

`retrieval/<environment>/<scope>/<request>.json`, long texts as blobs. What failed for the
moment is no answer; that it did is noted a run (`replay/failures/`), since a replay of that run
must meet the same failure.
"""

import re
from typing import NamedTuple

from draligned.retrieval.place import Place
from draligned.schema.errors import DamageError
from draligned.schema.retrieval import TRANSIENT, RecordedAnswer, RetrievalAnswer
from draligned.store.blobs import Blobs
from draligned.store.protocol import Store
from draligned.study.stored import stored

INLINE_CHARS = 2_000
"""Longer page texts are blobs, so that equal pages are stored once."""


class Kept(NamedTuple):
    """What a place holds once an answer was put there, and whether it is that answer."""

    recorded: RecordedAnswer
    first: bool


class Archive:
    """Reads and writes recorded answers. Safe for several processes on one study."""

    def __init__(self, store: Store, blobs: Blobs) -> None:
        self._store = store
        self._blobs = blobs

    def get(self, place: Place) -> RecordedAnswer | None:
        """The answer recorded at `place`, its text in it. Raises `DamageError` with the key."""
        data = self._store.get(place.key)
        if data is None:
            return None
        found = stored(RecordedAnswer, data, place.key)
        if (found.answer.tool, found.key) != (place.tool, place.request):
            raise DamageError(f"{place.key}: holds the answer to another request")
        return self._whole(found, place.key)

    def environments(self) -> tuple[str, ...]:
        """Names of those of which something is recorded."""
        return self._store.folders("retrieval")

    def put(self, place: Place, recorded: RecordedAnswer) -> Kept:
        """Record an answer unless there is one; what is there then.

        Blobs first, so that a kill leaves no answer without its text.
        """
        if recorded.answer.status in TRANSIENT:
            raise ValueError(f"{recorded.answer.status} is no answer to be recorded")
        if self._store.put_if_absent(place.key, self._folded(recorded).to_json().encode()):
            return Kept(recorded, first=True)
        found = self.get(place)
        if found is None:
            raise DamageError(f"{place.key}: vanished while it was read")
        return Kept(found, first=False)

    def note(self, run_id: str, number: int, answer: RetrievalAnswer) -> None:
        """Note that a run's request failed for the moment, or that it no longer does.

        The last try of a request is what its run was told, also where a kill came between.
        """
        key = failure_key(run_id, number)
        if answer.status in TRANSIENT:
            self._store.replace(key, answer.to_json().encode())
        elif self._store.exists(key):
            healed = RetrievalAnswer(tool=answer.tool, request=answer.request, status=answer.status)
            self._store.replace(key, healed.to_json().encode())

    def failure(self, run_id: str, number: int) -> RetrievalAnswer | None:
        """How a run's request failed for the moment; none where it did not."""
        key = failure_key(run_id, number)
        data = self._store.get(key)
        found = None if data is None else stored(RetrievalAnswer, data, key)
        return found if found is not None and found.status in TRANSIENT else None

    def _folded(self, recorded: RecordedAnswer) -> RecordedAnswer:
        text = recorded.answer.text
        if len(text) <= INLINE_CHARS:
            return recorded
        bare = recorded.answer.model_copy(update={"text": ""})
        return recorded.model_copy(update={"answer": bare, "text_sha256": self._blobs.put(text)})

    def _whole(self, found: RecordedAnswer, key: str) -> RecordedAnswer:
        if found.text_sha256 is None:
            return found
        try:
            text = self._blobs.get(found.text_sha256)
        except DamageError as error:
            raise DamageError(f"{key}: {error}") from error
        answer = found.answer.model_copy(update={"text": text})
        return found.model_copy(update={"answer": answer, "text_sha256": None})


def failure_key(run_id: str, number: int) -> str:
    """Where the failure of a run's request is noted."""
    return f"replay/failures/{run_id}/{number}.json"


def is_failure_key(key: str) -> bool:
    """Whether a key is one of those."""
    return _FAILURE.fullmatch(key) is not None


_FAILURE = re.compile(r"replay/failures/[0-9A-Za-z]+/[1-9][0-9]*\.json")
