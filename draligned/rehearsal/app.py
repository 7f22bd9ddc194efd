"""The rehearsal app: a small ASGI app that speaks the OpenAI chat protocol (DESIGN §9).

Everything it says is planted. It is a stand-in that lets the tool be tried without a key or
a network, and no evidence about any language model.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from draligned.rehearsal.agent import answer_as_agent
from draligned.rehearsal.constructor import answer_as_constructor
from draligned.rehearsal.profiles import presets
from draligned.rehearsal.reader import answer_as_reader
from draligned.rehearsal.reviewer import answer_as_reviewer
from draligned.rehearsal.wire import Answer, Asked, chunks, completion, read_request
from draligned.schema.errors import ConfigError, InputError

NOTICE = "rehearsal: planted behaviour, no evidence about any language model"

ROLES: Mapping[str, Callable[[Asked], Answer]] = {
    "rehearsal-agent": answer_as_agent,
    "rehearsal-reader": answer_as_reader,
    "rehearsal-constructor": answer_as_constructor,
    "rehearsal-reviewer": answer_as_reviewer,
}
"""A model plays the role its name begins with."""


def make_app() -> Starlette:
    """A stateless app: two of them answer the same request with the same bytes."""
    return Starlette(
        routes=[
            Route("/v1/chat/completions", _complete, methods=["POST"]),
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
    try:
        asked = read_request(await request.body())
        reply = completion(asked, answer(asked))
    except InputError as error:
        return _refusal(400, str(error), "invalid_request_error")
    except ConfigError as error:
        return _refusal(404, str(error), "model_not_found")
    if asked.body.get("stream"):
        options = asked.body.get("stream_options") or {}
        events = chunks(reply, with_usage=bool(options.get("include_usage")))
        return StreamingResponse(_async(events), media_type="text/event-stream")
    payload = json.dumps(reply, ensure_ascii=False).encode()
    return Response(payload, media_type="application/json")


async def _async(events: Iterator[bytes]) -> AsyncIterator[bytes]:
    for event in events:
        yield event


async def _models(_request: Request) -> Response:
    names = sorted({*ROLES, *presets()})
    data = [{"id": n, "object": "model", "created": 0, "owned_by": NOTICE} for n in names]
    return JSONResponse({"object": "list", "data": data})


def _refusal(status: int, message: str, code: str) -> JSONResponse:
    return JSONResponse({"error": {"message": message, "code": code}}, status_code=status)
