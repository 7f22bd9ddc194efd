"""One POST to a provider as a value: what came, or what broke. No exception of the SDK leaves.

The SDK is imported on the first call, not before.
"""

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from draligned.models.incoming import Assembler
from draligned.models.payload import Payload, told_status
from draligned.schema.chat import ChatReply
from draligned.schema.config import ProviderConfig
from draligned.schema.errors import ConfigError

if TYPE_CHECKING:
    import httpx2
    import openai

    from draligned.models.sdk import Answer

DEFAULT_BASE_URL = "https://api.openai.com/v1"
IN_PROCESS_BASE_URL = "http://rehearsal/v1"
_NO_KEY = "none"
_SHOWN_CHARS = 4000
_REDACTED = "[key]"
_SHORTEST_BEGINNING = 6
_SHORTEST_SECRET = 16
"""A shorter key, such as a local server's placeholder, may be a word that a model says."""
_UNREADABLE = "(its body cannot be read)"
_CUT = "the stream ended before the reply was complete"


@dataclass(frozen=True, kw_only=True)
class Body:
    """What came with a 2xx: its JSON object, or the one that its events make."""

    payload: Payload
    status: int


@dataclass(frozen=True, kw_only=True)
class Broken:
    """What came with an error status, or why nothing came."""

    kind: Literal["status", "connection", "timeout"]
    text: str
    status: int | None = None
    told_status: int | None = None
    """The status that an error inside a 2xx names."""
    headers: Mapping[str, str] = field(default_factory=dict)


def read_key(provider_name: str, provider: ProviderConfig) -> str:
    """The key of a provider from its environment variable, read at use.

    Raises `ConfigError` that names the variable where it is not set.
    """
    if provider.kind == "rehearsal" or provider.api_key_env is None:
        return _NO_KEY
    key = os.environ.get(provider.api_key_env, "").strip()
    if not key:
        raise ConfigError(
            f"provider {provider_name} needs its key in the environment variable "
            f"{provider.api_key_env}: set it and run again"
        )
    return key


class Transport:
    """Sends encoded bodies to one provider; `app` is an ASGI app that answers in process."""

    def __init__(self, provider_name: str, provider: ProviderConfig, app: Any | None) -> None:
        in_process = provider.kind == "rehearsal" and provider.base_url is None
        if in_process and app is None:
            raise ConfigError(
                f"provider {provider_name} needs a base_url: no rehearsal app answers in process"
            )
        self._name = provider_name
        self._provider = provider
        self._app = app if in_process else None
        self._client: openai.AsyncOpenAI | None = None
        self._key = _NO_KEY

    async def post(self, path: str, body: bytes, assembler: Assembler) -> Body | Broken:
        """POST one call; `assembler` makes a payload of events, should they come.

        Raises `ConfigError` where the key is missing, `BadResponse` for a 2xx that cannot
        be read.
        """
        from draligned.models import sdk

        if self._client is None:
            self._client = self._connect()
        try:
            async with asyncio.timeout(self._provider.attempts.timeout_seconds):
                return self._answered(await sdk.send(self._client, path, body, assembler))
        except sdk.TIMEOUTS:
            return Broken(kind="timeout", text="no answer in time")
        except sdk.BREAKS as error:
            return self._failed(error)

    async def aclose(self) -> None:
        """Close the connections; the next call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _answered(self, answer: "Answer") -> Body | Broken:
        if answer.payload is None:
            return Broken(kind="connection", text=_CUT)
        told = told_status(answer.payload)
        if told is None:
            return Body(payload=answer.payload, status=answer.response.status_code)
        text = json.dumps({"error": answer.payload["error"]}, ensure_ascii=False)
        return self._status(answer.response, text, told)

    def _failed(self, error: Exception) -> Broken:
        """What an exception of the SDK says."""
        import openai

        from draligned.models.sdk import failed_response

        if isinstance(error, openai.APIStatusError):
            return self._status(error.response, error.response.text)
        response = failed_response(error)
        if response is not None:
            return self._status(response, _UNREADABLE)
        cause = error.__cause__ or error
        return Broken(kind="connection", text=self.redact(f"{type(cause).__name__}: {cause}"))

    def _status(self, response: "httpx2.Response", text: str, told: int | None = None) -> Broken:
        return Broken(
            kind="status",
            text=self.redact(text)[:_SHOWN_CHARS],
            status=response.status_code,
            told_status=told,
            headers={k.lower(): self.redact(v) for k, v in response.headers.items()},
        )

    def redact(self, text: str) -> str:
        """`text` without the key, should a provider repeat it, nor its beginning at a cut."""
        if self._key == _NO_KEY:
            return text
        text = text.replace(self._key, _REDACTED)
        kept = text.removesuffix("…")
        for length in range(len(self._key) - 1, _SHORTEST_BEGINNING - 1, -1):
            if kept.endswith(self._key[:length]):
                return f"{kept[:-length]}{_REDACTED}"
        return text

    def redact_reply(self, reply: ChatReply) -> ChatReply:
        """`reply` without the key, should a server put the headers it got into what it says."""
        if len(self._key) < _SHORTEST_SECRET or all(self._key not in t for t in _texts(reply)):
            return reply
        written = json.dumps(self._key)[1:-1]
        clean = ChatReply.from_json(reply.to_json().replace(written, _REDACTED))
        return clean.model_copy(update={"sanitised": True})

    def _connect(self) -> "openai.AsyncOpenAI":
        from draligned.models.sdk import connect

        self._key = read_key(self._name, self._provider)
        base_url = self._provider.base_url or DEFAULT_BASE_URL
        if self._app is not None:
            base_url = IN_PROCESS_BASE_URL
        return connect(self._key, base_url, self._provider.attempts.timeout_seconds, self._app)


def _texts(reply: ChatReply) -> Iterator[str]:
    """All that a provider may have written into a reply."""
    said = reply.message
    for text in (said.text, said.reasoning, said.reasoning_state, reply.echoed_model):
        yield text or ""
    for call in said.tool_calls:
        yield from (call.call_id, call.name, call.arguments)
