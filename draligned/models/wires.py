"""The four ways of speaking to a provider: two interfaces, each streamed or not.

Everything but the body's encoding and the reply's form is shared by them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from draligned.models import encode, encode_responses
from draligned.models.chunks import ChatChunks
from draligned.models.incoming import Assembler
from draligned.models.parse import parse_completion
from draligned.models.parse_responses import parse_response
from draligned.models.payload import Payload
from draligned.models.pieces import EncodedRequest
from draligned.models.response_events import ResponseEvents
from draligned.schema.chat import ChatReply, ChatRequest
from draligned.schema.config import ModelConfig, ProviderConfig


class Parse(Protocol):
    """Reads a decoded answer."""

    def __call__(
        self, payload: Payload, *, requested_model: str, request_tokens: int, request_sha256: str
    ) -> ChatReply:
        """Raises `BadResponse`."""
        ...


@dataclass(frozen=True, kw_only=True)
class Wire:
    """One interface as it is spoken to one provider."""

    path: str
    encode: Callable[[ChatRequest, ModelConfig, ProviderConfig], EncodedRequest]
    parse: Parse
    assembler: Callable[[], Assembler]
    reserved: frozenset[str]
    added: dict[str, Any]
    """Parameters that make a call a streamed one."""

    def settings(self, name: str, config: ModelConfig) -> ModelConfig:
        """The settings of model `name` with the wire's own parameters.

        Raises `ConfigError` where its `params` would replace keys that are the client's.
        """
        encode.check_params(name, config.params, self.reserved)
        if not self.added:
            return config
        return config.model_copy(update={"params": {**config.params, **self.added}})


def wire_of(provider: ProviderConfig) -> Wire:
    """The wire that a provider's settings ask for."""
    added: dict[str, Any] = {"stream": True} if provider.stream else {}
    if provider.api == "responses":
        return Wire(
            path="/responses",
            encode=encode_responses.encode_responses_request,
            parse=partial(parse_response, echo=provider.reasoning_content == "echo"),
            assembler=ResponseEvents,
            reserved=encode_responses.RESERVED,
            added=added,
        )
    if provider.stream and provider.stream_usage:
        added["stream_options"] = {"include_usage": True}
    return Wire(
        path="/chat/completions",
        encode=encode.encode_request,
        parse=partial(parse_completion, echo=provider.reasoning_content == "echo"),
        assembler=ChatChunks,
        reserved=encode.RESERVED,
        added=added,
    )
