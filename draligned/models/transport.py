"""The SDK's client of one provider, and one POST through it with the SDK's retries off.

The SDK is imported on the first call, not before: it costs most of a second.
"""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from draligned.schema.config import ProviderConfig
from draligned.schema.errors import ConfigError

if TYPE_CHECKING:
    import openai

DEFAULT_BASE_URL = "https://api.openai.com/v1"
IN_PROCESS_BASE_URL = "http://rehearsal/v1"
_NO_KEY = "none"
_SHOWN_BYTES = 4000


@dataclass(frozen=True, kw_only=True)
class Body:
    """What came with a 2xx, unread."""

    raw: bytes
    status: int


@dataclass(frozen=True, kw_only=True)
class Broken:
    """What came with an error status, or why nothing came."""

    kind: Literal["status", "connection", "timeout"]
    text: str
    status: int | None = None
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

    async def post(self, body: bytes) -> Body | Broken:
        """POST one chat completion. Raises `ConfigError` where the key is missing."""
        if self._client is None:
            self._client = self._connect()
        import httpx2
        import openai

        try:
            return await self._send(self._client, body)
        except openai.APIStatusError as error:
            return self._status(error.response)
        except (openai.APITimeoutError, TimeoutError):
            return Broken(kind="timeout", text="no answer in time")
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            cause = error.__cause__ or error
            text = self._redact(f"{type(cause).__name__}: {cause}")
            return Broken(kind="connection", text=text)

    async def aclose(self) -> None:
        """Close the connections; the next call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _send(self, client: "openai.AsyncOpenAI", body: bytes) -> Body:
        import httpx2

        async with asyncio.timeout(self._provider.attempts.timeout_seconds):
            response = await client.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                content=body,
                options={"headers": {"Content-Type": "application/json"}, "max_retries": 0},
            )
        return Body(raw=response.content, status=response.status_code)

    def _status(self, response: Any) -> Broken:
        text = response.content[:_SHOWN_BYTES].decode("utf-8", "replace")
        return Broken(
            kind="status",
            text=self._redact(text),
            status=response.status_code,
            headers={k.lower(): v for k, v in response.headers.items()},
        )

    def _redact(self, text: str) -> str:
        """`text` without the key, should a provider repeat it."""
        return text if self._key == _NO_KEY else text.replace(self._key, "[key]")

    def _connect(self) -> "openai.AsyncOpenAI":
        """A client that takes nothing but the key from the environment."""
        import httpx2
        import openai

        self._key = read_key(self._name, self._provider)
        base_url = self._provider.base_url or DEFAULT_BASE_URL
        http = openai.DefaultAsyncHttpxClient()
        if self._app is not None:
            base_url = IN_PROCESS_BASE_URL
            transport = httpx2.ASGITransport(self._app, raise_app_exceptions=False)
            http = openai.DefaultAsyncHttpxClient(transport=transport)
        omit: Any = openai.Omit()
        return openai.AsyncOpenAI(
            api_key=self._key,
            base_url=base_url,
            max_retries=0,
            timeout=self._provider.attempts.timeout_seconds,
            default_headers={"OpenAI-Organization": omit, "OpenAI-Project": omit},
            http_client=http,
        )
