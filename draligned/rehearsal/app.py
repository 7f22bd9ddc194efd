"""The rehearsal app: a small ASGI app that speaks the OpenAI protocol, both interfaces (DESIGN §9).

Everything it says is planted. It is a stand-in that lets the tool be tried without a key or
a network, and no evidence about any language model.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from draligned.rehearsal.agent import answer_as_agent
from draligned.rehearsal.constructor import answer_as_constructor
from draligned.rehearsal.profiles import presets
from draligned.rehearsal.reader import answer_as_reader
from draligned.rehearsal.responses import events, read_response_request, response
from draligned.rehearsal.reviewer import answer_as_reviewer
from draligned.rehearsal.stages import answer_as_progress
from draligned.rehearsal.wire import Answer, Asked, as_bytes, chunks, completion, read_request
from draligned.schema.errors import ConfigError, InputError

NOTICE = "rehearsal: planted behaviour, no evidence about any language model"

ROLES: Mapping[str, Callable[[Asked], Answer]] = {
    "rehearsal-agent": answer_as_agent,
    "rehearsal-reader": answer_as_reader,
    "rehearsal-constructor": answer_as_constructor,
    "rehearsal-reviewer": answer_as_reviewer,
    "rehearsal-progress": answer_as_progress,
}
"""A model plays the role its name begins with."""


def make_app() -> Starlette:
    """A stateless app: two of them answer the same request with the same bytes."""
    return Starlette(
        routes=[
            Route("/v1/chat/completions", _complete, methods=["POST"]),
            Route("/v1/responses", _respond, methods=["POST"]),
            Route("/v1/models", _models, methods=["GET"]),
        ]
    )


def answer(asked: Asked) -> Answer:
    """The reply of the model asked for. Raises `ConfigError` for a model not of ours."""
    for prefix, role in ROLES.items():
        if asked.model.startswith(prefix):
            return role(asked)
    known = ", ".join(f"{prefix}*" for prefix in ROLES)
    raise ConfigError(f"no model {asked.model!r}; there are {known}")


async def _complete(request: Request) -> Response:
    return await _serve(request, read_request, _as_chat)


async def _respond(request: Request) -> Response:
    return await _serve(request, read_response_request, _as_response)


Form = Callable[[Asked, dict[str, Any], dict[str, Any]], tuple[dict[str, Any], Iterator[bytes]]]
"""What a completion looks like over an interface: whole, and as events."""


async def _serve(request: Request, read: Callable[[bytes], Asked], form: Form) -> Response:
    raw = await request.body()
    try:
        asked = read(raw)
        reply = completion(asked, answer(asked))
    except InputError as error:
        return _refusal(400, str(error), "invalid_request_error")
    except ConfigError as error:
        return _refusal(404, str(error), "model_not_found")
    delivery = json.loads(raw)
    whole, pieces = form(asked, reply, delivery)
    if delivery.get("stream"):
        return StreamingResponse(_async(pieces), media_type="text/event-stream")
    return Response(as_bytes(whole), media_type="application/json")


def _as_chat(
    _asked: Asked, reply: dict[str, Any], delivery: dict[str, Any]
) -> tuple[dict[str, Any], Iterator[bytes]]:
    options = delivery.get("stream_options")
    wanted = isinstance(options, dict) and bool(options.get("include_usage"))
    return reply, chunks(reply, with_usage=wanted)


def _as_response(
    asked: Asked, reply: dict[str, Any], _delivery: dict[str, Any]
) -> tuple[dict[str, Any], Iterator[bytes]]:
    whole = response(asked, reply)
    return whole, events(whole)


async def _async(events: Iterator[bytes]) -> AsyncIterator[bytes]:
    for event in events:
        yield event


async def _models(_request: Request) -> Response:
    names = sorted({*ROLES, *presets()})
    data = [{"id": n, "object": "model", "created": 0, "owned_by": NOTICE} for n in names]
    return JSONResponse({"object": "list", "data": data})


def _refusal(status: int, message: str, code: str) -> JSONResponse:
    return JSONResponse({"error": {"message": message, "code": code}}, status_code=status)
