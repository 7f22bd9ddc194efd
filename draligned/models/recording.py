"""A chat model whose calls are recorded, each under its own key, for a replay (DESIGN §6).

Nothing recorded is ever served here: replicates, mirrors and retests are calls of their own.
"""

from collections.abc import Mapping

from draligned.models.calls import BodyHash, CallArchive, body_hash
from draligned.models.factory import REHEARSAL_PROVIDER, Closable, resolve_model, resolve_provider
from draligned.models.protocol import ChatModel
from draligned.schema.chat import ChatReply, ChatRequest, FailureName, RecordedCall, RecordedFailure
from draligned.schema.config import StudyConfig
from draligned.schema.errors import BadResponse, ProviderError, RateLimited, RequestRefused


class RecordingModel:
    """Passes calls on and records what they come to.

    A reply and a failure for good are recorded. What leaves its cell open, such as a wait above
    the cap or a spending limit, is not: the call is still to be made.
    """

    def __init__(self, inner: ChatModel, archive: CallArchive, hash_of: BodyHash) -> None:
        self._inner = inner
        self._archive = archive
        self._hash_of = hash_of

    @property
    def name(self) -> str:
        """See `ChatModel.name`."""
        return self._inner.name

    @property
    def key(self) -> str:
        """See `ChatModel.key`."""
        return self._inner.key

    @property
    def requested_model(self) -> str:
        """See `ChatModel.requested_model`."""
        return self._inner.requested_model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; errors as in `ChatModel.complete`."""
        try:
            reply = await self._inner.complete(request)
        except RateLimited:
            raise
        except ProviderError as error:
            self._archive.put(self._call(request, self._hash_of(request), failed=error))
            raise
        self._archive.put(self._call(request, reply.request_sha256, reply=reply))
        return reply

    async def aclose(self) -> None:
        """Close the connections of the model behind."""
        if isinstance(self._inner, Closable):
            await self._inner.aclose()

    def _call(
        self,
        request: ChatRequest,
        sha256: str,
        *,
        reply: ChatReply | None = None,
        failed: ProviderError | None = None,
    ) -> RecordedCall:
        return RecordedCall(
            key=request.key,
            requested_model=self.requested_model,
            request_sha256=sha256,
            reply=reply,
            failure=None if failed is None else _failure(failed),
        )


def record_models(
    config: StudyConfig, models: Mapping[str, ChatModel], archive: CallArchive
) -> dict[str, ChatModel]:
    """The models of a study, those recording whose provider is to be recorded.

    By default all but the rehearsal app's, whose replies are a function of the request;
    `run.record_models` in study.toml says otherwise.
    """
    return {
        name: RecordingModel(model, archive, _hash_of(config, name))
        if is_recorded(config, name)
        else model
        for name, model in models.items()
    }


def is_recorded(config: StudyConfig, name: str) -> bool:
    """Whether the calls of a model are recorded."""
    if config.run.record_models is not None:
        return config.run.record_models
    provider = resolve_provider(config, resolve_model(config, name).provider)
    return provider.kind != REHEARSAL_PROVIDER


def _hash_of(config: StudyConfig, name: str) -> BodyHash:
    model = resolve_model(config, name)
    return body_hash(name, model, resolve_provider(config, model.provider))


def _failure(error: ProviderError) -> RecordedFailure:
    kind: FailureName = "provider_error"
    if isinstance(error, RequestRefused):
        kind = "request_refused"
    elif isinstance(error, BadResponse):
        kind = "bad_response"
    return RecordedFailure(kind=kind, status=error.status, message=str(error))
