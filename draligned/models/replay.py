"""A chat model that only repeats: it serves recorded calls and reaches nothing (DESIGN §6)."""

from collections.abc import Iterable

from draligned.models.calls import BodyHash, CallArchive, body_hash, call_key
from draligned.models.factory import resolve_model, resolve_provider
from draligned.models.protocol import ChatModel
from draligned.schema.chat import ChatReply, ChatRequest, RecordedCall, RecordedFailure
from draligned.schema.config import ModelConfig, StudyConfig
from draligned.schema.errors import (
    BadResponse,
    DamageError,
    ProviderError,
    ReplayError,
    RequestRefused,
)
from draligned.schema.ids import model_key

_ERRORS: dict[str, type[ProviderError]] = {
    "request_refused": RequestRefused,
    "bad_response": BadResponse,
    "provider_error": ProviderError,
}


class ReplayModel:
    """Serves the recorded calls of one model.

    A call that was not recorded, or whose body would now be another one, is refused by name.
    """

    def __init__(
        self, name: str, config: ModelConfig, archive: CallArchive, hash_of: BodyHash
    ) -> None:
        self._name = name
        self._config = config
        self._archive = archive
        self._hash_of = hash_of

    @property
    def name(self) -> str:
        """See `ChatModel.name`."""
        return self._name

    @property
    def key(self) -> str:
        """See `ChatModel.key`."""
        return model_key(self._config.model, self._config.provider, self._config.params)

    @property
    def requested_model(self) -> str:
        """See `ChatModel.requested_model`."""
        return self._config.model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The recorded reply, or the recorded failure raised again. Raises `ReplayError`."""
        call = self._recorded(request)
        if call.failure is not None:
            raise _error(call.failure)
        if call.reply is None:
            raise DamageError(f"{call_key(request.key)}: a call has either a reply or a failure")
        return call.reply

    def _recorded(self, request: ChatRequest) -> RecordedCall:
        call, key = self._archive.get(request.key), call_key(request.key)
        which = f"call {request.key.sequence} of {request.key.owner} to model {self._name!r}"
        if call is None:
            raise ReplayError(f"{which} was not recorded", key=key)
        if call.request_sha256 != self._hash_of(request):
            raise ReplayError(
                f"{which} was recorded for another request than the one it would be now", key=key
            )
        return call


def replay_models(
    config: StudyConfig, names: Iterable[str], archive: CallArchive
) -> dict[str, ChatModel]:
    """Models by name that serve recorded calls alone. Raises `ConfigError` for unknown names."""
    out: dict[str, ChatModel] = {}
    for name in dict.fromkeys(names):
        model = resolve_model(config, name)
        hash_of = body_hash(name, model, resolve_provider(config, model.provider))
        out[name] = ReplayModel(name, model, archive, hash_of)
    return out


def _error(failure: RecordedFailure) -> ProviderError:
    return _ERRORS[failure.kind](failure.message, status=failure.status)
