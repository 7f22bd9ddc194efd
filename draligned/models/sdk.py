"""All that touches the SDK: its client of one provider, and one POST through it.

Imported on the first call, not before: the SDK costs most of a second. Bodies are read
as they arrive, streamed or not, so that a cap on their length holds.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import Any, NamedTuple

import httpx2
import openai

from draligned.models.incoming import Assembler, Incoming
from draligned.models.lanes import lanes
from draligned.models.payload import Payload

TIMEOUTS = (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError)
BREAKS = (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError)
"""What a call that brings no answer may raise, status errors and time-outs apart."""

_ERROR_BYTES = 64 * 1024
_DRAIN_SECONDS = 0.1
"""How long the end of a stream is waited for after its last event, to keep the connection."""


class Answer(NamedTuple):
    """A 2xx; `payload` is None where a stream was cut."""

    response: httpx2.Response
    payload: Payload | None


def connect(key: str, base_url: str, timeout_seconds: float, app: Any | None) -> openai.AsyncOpenAI:
    """A client that takes nothing but the key from the environment; `app` answers in process."""
    hooks: Any = {"response": [_cap_error]}
    if app is None:
        http = openai.DefaultAsyncHttpxClient(transport=lanes(), event_hooks=hooks)
    else:
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        http = openai.DefaultAsyncHttpxClient(transport=transport, event_hooks=hooks)
    omit: Any = openai.Omit()
    return openai.AsyncOpenAI(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout_seconds,
        default_headers={"OpenAI-Organization": omit, "OpenAI-Project": omit},
        http_client=http,
    )


async def send(client: openai.AsyncOpenAI, path: str, body: bytes, assembler: Assembler) -> Answer:
    """POST encoded bytes, once. Raises what the SDK raises, and `BadResponse`.

    Redirects are not followed: what is asked goes to no address that the user has not named.
    """
    response: Any = await client.post(
        path,
        cast_to=httpx2.Response,
        content=body,
        options={
            "headers": {"Content-Type": "application/json"},
            "max_retries": 0,
            "follow_redirects": False,
        },
        stream=True,
        stream_cls=openai.AsyncStream[Any],
    )
    try:
        return Answer(response, await _read(response, assembler))
    finally:
        await response.aclose()


async def _read(response: httpx2.Response, assembler: Assembler) -> Payload | None:
    """The body's object; reading ends with the last event of a stream."""
    incoming = Incoming(assembler, response.headers.get("content-type", ""))
    async with aclosing(response.aiter_bytes()) as chunks:
        async for chunk in chunks:
            incoming.feed(chunk)
            if incoming.done:
                await _drain(chunks)
                break
    return incoming.end()


async def _drain(chunks: AsyncGenerator[bytes, None]) -> None:
    """Read what follows the last event, which should be nothing."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in chunks:
                pass
    except (TimeoutError, httpx2.HTTPError):
        return


def failed_response(error: BaseException) -> httpx2.Response | None:
    """The response whose body could not be read, where that is what failed."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, httpx2.HTTPStatusError):
            return behind.response
        behind = behind.__context__
    return None


async def _cap_error(response: httpx2.Response) -> None:
    """The SDK reads bodies of errors whole: let it see no more than their beginning."""
    stream = response.stream
    if response.status_code >= HTTPStatus.MULTIPLE_CHOICES and isinstance(
        stream, httpx2.AsyncByteStream
    ):
        response.stream = _Beginning(stream)


class _Beginning(httpx2.AsyncByteStream):
    """The first bytes of a body."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = _ERROR_BYTES
        async for chunk in self._inner:
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0:
                break

    async def aclose(self) -> None:
        await self._inner.aclose()
