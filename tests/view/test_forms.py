"""Forms as they arrive."""

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from draligned.view.app import make_app
from draligned.view.forms import MAX_BYTES, MAX_FIELDS, form_of
from draligned.view.guard import Guard

from .conftest import BASE


async def _echo(request: Request) -> Response:
    return JSONResponse(await form_of(request))


@pytest.fixture
def client(drafted: Path, client_of: Callable[[Guard], TestClient]) -> TestClient:
    extra = [Route("/echo", _echo, methods=["POST"])]
    return client_of(make_app(drafted, extra=extra, writes=("/echo",)))


def _send(client: TestClient, body: bytes) -> tuple[int, str]:
    answer = client.post("/echo", content=body, headers={"origin": BASE})
    return answer.status_code, answer.text


def test_fields_are_text(client: TestClient) -> None:
    assert _send(client, b"a=1&b=%E6%9D%AD+%3Cb%3E&c=") == (200, '{"a":"1","b":"杭 <b>","c":""}')


def test_what_is_no_form_or_too_much_is_refused(client: TestClient) -> None:
    assert _send(client, b"a=\xff")[0] == 400
    assert _send(client, b"a=%ff")[0] == 400
    assert _send(client, b"&".join([b"a=1"] * (MAX_FIELDS + 1)))[0] == 400
    assert _send(client, b"a=" + b"x" * MAX_BYTES)[0] == 413
