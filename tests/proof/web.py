"""A small web, its search and a model on loopback; none of them says the same thing twice.

None of it is evidence about any language model.
"""

import asyncio
import itertools
import json
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from draligned.rehearsal.app import make_app

COMMON, DOWN, MISSING = "what everybody asks", "/page/down", "/page/missing"
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/page/[\w.-]+")
TOML = """\
seed = 7

[construction]
lang = "en"
tasks = {tasks}

[providers.far]
base_url = "{url}/v1"
concurrency = 128

[models.fickle]
provider = "far"
model = "fickle-agent"

[models.reader]
provider = "far"
model = "rehearsal-reader"

[retrieval.web]
kind = "searxng"
base_url = "{url}"
concurrency = 128
{source}
reading = {{ allow = ["127.0.0.1"], delay_seconds = 0.0, per_host = 64, seconds = 60.0 }}

[run]
models = ["fickle"]
retrieval = "web"
replicates = {replicates}
concurrency = 64

[evaluate]
evaluators = ["reader"]

[controls]
aa_share = 0
neutral_share = 0

[measure]
draws = 100
"""


def settings(url: str, *, tasks: int = 1, replicates: int = 1, source: str = "") -> str:
    """study.toml."""
    return TOML.format(url=url, tasks=tasks, replicates=replicates, source=source)


class Web:
    """Search, pages, an agent's model; evaluators are the rehearsal app's."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: Counter[str] = Counter()
        self.under_way = self.most_under_way = 0
        self._number = itertools.count(1)
        self.app = Starlette(
            routes=[
                Route("/robots.txt", lambda _: PlainTextResponse("no such file", 404)),
                Route("/search", self.search),
                Route("/page/{name}", self.page),
                Route("/v1/chat/completions", self.chat, methods=["POST"]),
            ]
        )
        self._rehearsal = make_app()

    async def search(self, request: Request) -> Response:
        """Two results, other ones each time."""
        query = request.query_params["q"]
        self.asked[query] += 1
        await asyncio.sleep(0.05)
        n = next(self._number)
        results = [
            {
                "title": f"{n}.{k} on {query}",
                "url": f"{self.url}/page/{n}-{k}",
                "content": f"nr {n}",
            }
            for k in (1, 2)
        ]
        return JSONResponse({"results": results})

    async def page(self, request: Request) -> Response:
        """A page, another one each time; one that is always down, one that is not there."""
        path = request.url.path
        self.asked[path] += 1
        if path == DOWN:
            return PlainTextResponse("come again", 503)
        if path == MISSING:
            return PlainTextResponse("no such page", 404)
        body = f"Visitor {next(self._number)} of {path} reads this. " * 90
        return HTMLResponse(f"<html><body><main><h1>Page</h1><p>{body}</p></main></body></html>")

    async def chat(self, request: Request) -> Response:
        """The agent, or whatever the rehearsal app plays."""
        body = await request.json()
        if body["model"] != "fickle-agent":
            return _Handed(self._rehearsal, await request.body())
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0.05)
        self.under_way -= 1
        return JSONResponse(self._turn(body))

    def _turn(self, body: dict[str, Any]) -> dict[str, Any]:
        messages = body["messages"]
        turn = sum(m["role"] == "assistant" for m in messages)
        n = next(self._number)
        return _completion(n, self._calls(turn, n, messages))

    def _calls(self, turn: int, n: int, messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
        told = messages[-1 if turn == 0 else 1]["content"].splitlines()[-1]
        if turn == 0:
            return [("search", COMMON), ("search", f"{told} {n}"), ("search", told)]
        if turn == 1:
            found = _ADDRESS.findall(messages[-3]["content"])
            return [("read", found[0]), ("read", f"{self.url}{DOWN}"), ("read", self.url + MISSING)]
        text = f"I recommend {told} ({n})"
        return [[("write_report", text)], [("submit_report", text)], []][min(turn - 2, 2)]


class _Handed(Response):
    """The answer of another app to the same request."""

    def __init__(self, app: Any, body: bytes) -> None:
        super().__init__()
        self._app, self._body = app, body

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer as that app does."""

        async def again() -> dict[str, Any]:
            return {"type": "http.request", "body": self._body, "more_body": False}

        await self._app(scope, again, send)


_ARGUMENT = {"search": "query", "read": "url"}


def _completion(n: int, calls: list[tuple[str, str]]) -> dict[str, Any]:
    named = [
        {
            "id": f"c{n}-{k}",
            "type": "function",
            "function": {
                "name": name, "arguments": json.dumps({_ARGUMENT.get(name, "content"): value})
            },
        }
        for k, (name, value) in enumerate(calls)
    ]  # fmt: skip
    message: dict[str, Any] = {"role": "assistant", "content": f"Thought {n}."}
    if named:
        message["tool_calls"] = named
    return {
        "model": f"fickle-{n}",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": n},
    }


@contextmanager
def served() -> Iterator[Web]:
    """The web on a free port, in a thread."""
    web = Web()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        web.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(web.app, log_level="critical", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield web
        finally:
            server.should_exit = True
            thread.join(timeout=10)
