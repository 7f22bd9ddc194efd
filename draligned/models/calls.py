"""Recorded model calls in a study's store: `replay/calls/<owner>/<attempt>-<sequence>.json`."""

from collections.abc import Callable

from draligned.models.wires import wire_of
from draligned.schema.chat import CallKey, ChatReply, ChatRequest, RecordedCall
from draligned.schema.config import ModelConfig, ProviderConfig
from draligned.schema.errors import DamageError
from draligned.store.blobs import Blobs
from draligned.store.protocol import Store
from draligned.study.stored import stored

INLINE_BYTES = 4_000
"""Longer replies are blobs."""
BodyHash = Callable[[ChatRequest], str]


def body_hash(name: str, config: ModelConfig, provider: ProviderConfig) -> BodyHash:
    """The hash of the body that a request of model `name` would be sent as."""
    wire = wire_of(provider)
    sent = wire.settings(name, config)
    return lambda request: wire.encode(request, sent, provider).sha256


def call_key(key: CallKey) -> str:
    """Where a call is recorded."""
    return f"replay/calls/{key.owner}/{key.attempt}-{key.sequence}.json"


class CallArchive:
    """Reads and writes recorded calls.

    A call that was in flight when its process ended is asked again, and what then came is what
    the log holds: the later record takes the place of the earlier one. One process at a time
    works on an owner (see `Claims`).
    """

    def __init__(self, store: Store, blobs: Blobs) -> None:
        self._store = store
        self._blobs = blobs

    def put(self, call: RecordedCall) -> None:
        """Record a call; a long reply goes first, into a blob."""
        if call.reply is not None:
            text = call.reply.to_json()
            if len(text) > INLINE_BYTES:
                update = {"reply": None, "reply_sha256": self._blobs.put(text)}
                call = call.model_copy(update=update)
        self._store.replace(call_key(call.key), call.to_json().encode())

    def get(self, key: CallKey) -> RecordedCall | None:
        """A recorded call, its reply in it. Raises `DamageError` with the key."""
        name = call_key(key)
        data = self._store.get(name)
        if data is None:
            return None
        found = stored(RecordedCall, data, name)
        if found.key != key:
            raise DamageError(f"{name}: holds another call")
        if found.reply_sha256 is not None:
            found = found.model_copy(update={"reply": self._long(found.reply_sha256, name)})
        if (found.reply is None) == (found.failure is None):
            raise DamageError(f"{name}: a call has either a reply or a failure")
        return found

    def _long(self, sha256: str, name: str) -> ChatReply:
        try:
            text = self._blobs.get(sha256)
        except DamageError as error:
            raise DamageError(f"{name}: {error}") from error
        return stored(ChatReply, text.encode(), name)
