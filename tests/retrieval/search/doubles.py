"""Providers on loopback, written by hand after the shapes that their documentation shows."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from draligned.retrieval.search.backends import backend_for
from draligned.retrieval.search.outcome import SearchBackend
from draligned.schema.config import SourceConfig
from draligned.schema.design import Lang

KEY = "tvly-0123456789abcdef0123456789"
VARIABLE = "DRALIGNED_TEST_SEARCH_KEY"
KEYED = ("tavily", "exa", "brave", "serper")
KINDS = (*KEYED, "searxng")


class Asked(NamedTuple):
    """One request as it came."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


def http(
    body: bytes | str | Any = b"", status: int = 200, length: int = -1, **headers: str
) -> bytes:
    """One answer; anything but text is sent as JSON. `_` in names of headers stands for `-`."""
    if not isinstance(body, bytes | str):
        body = json.dumps(body, ensure_ascii=True)
        headers = {"Content_Type": "application/json", **headers}
    raw = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(raw) if length < 0 else length}"]
    lines += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + raw


@dataclass
class Double:
    """Gives its answers in order, the last one for ever; None hangs."""

    script: list[bytes | None]
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and hang up."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {k.lower(): v.strip() for k, _, v in (h.partition(":") for h in head[1:])}
            raw = await reader.readexactly(int(headers.get("content-length", "0")))
            method, target, _ = head[0].split()
            path, _, query = target.partition("?")
            body = json.loads(raw) if raw else None
            self.asked.append(Asked(method, unquote(path), dict(parse_qsl(query)), headers, body))
            said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            if said is None:
                await reader.read()
            else:
                writer.write(said)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def double(*script: bytes | None) -> AsyncIterator[Double]:
    """A server on loopback."""
    one = Double(list(script))
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield one
    finally:
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def searching(
    kind: str, *script: bytes | None, lang: Lang = "zh", **settings: Any
) -> AsyncIterator[tuple[SearchBackend, Double]]:
    """The real client of a provider over its double."""
    async with double(*script) as server:
        config = source(kind, server.url, **settings)
        backend = backend_for("web", config, lang)
        try:
            yield backend, server
        finally:
            await backend.aclose()


def source(kind: str, url: str | None, **settings: Any) -> SourceConfig:
    """Settings of a source at `url`."""
    keyed = {"api_key_env": VARIABLE} if kind in KEYED else {}
    return SourceConfig.model_validate(
        {"kind": kind, "base_url": url, "timeout_seconds": 5.0, **keyed, **settings}
    )


def found(kind: str, *hits: tuple[Any, Any, Any]) -> dict[str, Any]:
    """A sound answer of a provider; hits are (title, url, snippet)."""
    shape = {
        "tavily": ("title", "url", "content"),
        "exa": ("title", "url", "highlights"),
        "brave": ("title", "url", "description"),
        "serper": ("title", "link", "snippet"),
        "searxng": ("title", "url", "content"),
    }[kind]
    items = [dict(zip(shape, hit, strict=True)) for hit in hits]
    return around(kind, _listed(kind, items))


def _listed(kind: str, items: Sequence[dict[str, Any]]) -> Any:
    if kind == "exa":
        return [{**i, "highlights": [i["highlights"]], "id": i["url"]} for i in items]
    return [{**i, "score": 0.5, "position": n} for n, i in enumerate(items)]


def around(kind: str, results: Any) -> dict[str, Any]:
    """What stands around the list of results."""
    return {
        "tavily": {"query": "q", "answer": None, "images": [], "results": results,
                   "response_time": 0.4, "request_id": "1"},
        "exa": {"requestId": "1", "resolvedSearchType": "neural", "results": results,
                "costDollars": {"total": 0.005}},
        "brave": {"type": "search", "query": {"original": "q"},
                  "web": {"type": "search", "results": results, "family_friendly": True}},
        "serper": {"searchParameters": {"q": "q", "type": "search"}, "organic": results,
                   "credits": 1},
        "searxng": {"query": "q", "number_of_results": 0, "results": results, "answers": [],
                    "unresponsive_engines": []},
    }[kind]  # fmt: skip
