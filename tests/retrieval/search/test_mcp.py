"""MCP servers over standard streams and over HTTP, in both forms of the protocol."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from draligned.retrieval.search.mcp import McpSearch, find_tool
from draligned.retrieval.search.outcome import SearchBackend
from draligned.schema.config import SourceConfig
from draligned.schema.errors import ConfigError
from draligned.schema.retrieval import ReturnStatus

from .doubles import KEY, VARIABLE, Double, http, source
from .mcp_server import SEARCH, answer

SERVER = str(Path(__file__).with_name("mcp_server.py"))
RESULTS = [{"title": "T", "url": "https://example.org/", "snippet": "S"}]
GOOD = {"content": [], "structuredContent": {"results": RESULTS}}


def text(*parts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": part} for part in parts], **more}


@asynccontextmanager
async def started(plan: dict[str, Any], **settings: Any) -> AsyncIterator[SearchBackend]:
    command = (sys.executable, "-S", SERVER, json.dumps(plan))
    config = source("mcp", None, command=command, timeout_seconds=20.0, **settings)
    backend = McpSearch("web", config)
    try:
        yield backend
    finally:
        await backend.aclose()


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_a_server_started_here_is_asked_as_it_wants(era: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with started({"era": era, "result": GOOD, "log": str(log)}, results=3) as backend:
        outcomes = [await backend.search("咖啡"), await backend.search("茶")]
    assert [o.status for o in outcomes] == [ReturnStatus.OK] * 2
    assert outcomes[0].hits[0].url == "https://example.org/"
    messages = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    begun = ["initialize", "notifications/initialized"] if era == "handshake" else ["initialize"]
    assert [m["method"] for m in messages] == [*begun, "tools/list", "tools/call", "tools/call"]
    call = messages[-1]["params"]
    assert (call["name"], call["arguments"]) == ("web_search", {"query": "茶", "max_results": 3})
    assert ("_meta" in call) == (era == "stateless")


async def test_only_the_named_key_of_the_environment_reaches_the_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    monkeypatch.setenv("SOME_OTHER_KEY", "never")
    log = tmp_path / "names"
    show = "import json,os,sys;json.dump(sorted(os.environ), open(sys.argv[1],'w'))"
    command = (sys.executable, "-S", "-c", show, str(log))
    backend = McpSearch("web", source("mcp", None, command=command, api_key_env=VARIABLE))
    assert (await backend.search("x")).status is ReturnStatus.ERROR
    await backend.aclose()
    names = json.loads(log.read_text("utf-8"))
    assert VARIABLE in names
    assert "SOME_OTHER_KEY" not in names


async def test_many_at_once_get_their_own_answers() -> None:
    async with started({"result": GOOD}) as backend:
        outcomes = await asyncio.gather(*(backend.search(str(n)) for n in range(20)))
    assert {o.status for o in outcomes} == {ReturnStatus.OK}


async def test_noise_and_a_servers_own_requests_do_no_harm() -> None:
    say = [
        "starting…", "[1, 2]", '{"jsonrpc": "2.0", "method": "notifications/message"}',
        '{"jsonrpc": "2.0", "id": 3, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": "x", "method": "roots/list"}', '{"id": 99, "result": {}}',
    ]  # fmt: skip
    async with started({"result": GOOD, "say": say}) as backend:
        assert (await backend.search("x")).status is ReturnStatus.OK


async def test_a_server_that_dies_is_started_again() -> None:
    async with started({"result": GOOD, "die": 1}) as backend:
        found = [(await backend.search("x")).status for _ in range(3)]
    assert found == [ReturnStatus.OK, ReturnStatus.ERROR, ReturnStatus.OK]


async def test_an_answer_without_end_is_cut() -> None:
    async with started({"result": {}, "long": 5_000_000}) as backend:
        outcome = await backend.search("x")
    assert (outcome.status, outcome.detail) == (
        ReturnStatus.ERROR, "the answer exceeds the size limit",
    )  # fmt: skip


async def test_a_command_that_is_not_there_is_the_users_to_mend() -> None:
    backend = McpSearch("web", source("mcp", None, command=("/no/such/server",)))
    with pytest.raises(ConfigError, match="/no/such/server cannot be started"):
        await backend.search("x")


ONE = [("T", "https://example.org/", "S")]
SHAPES: list[tuple[dict[str, Any], list[tuple[str, str, str]] | None]] = [
    (GOOD, ONE),
    ({"content": [], "structuredContent": {"result": RESULTS}}, ONE),
    ({"content": [], "structuredContent": {"web": {"results": RESULTS}}}, ONE),
    (text(json.dumps(RESULTS)), ONE),
    (text(json.dumps({"organic": [{"title": "T", "link": "https://example.org/", "body": "S"}]})),
     ONE),
    (text(json.dumps(RESULTS[0])), ONE),
    (text("Title: T\nDescription: S\nURL: https://example.org/"), ONE),
    (text("**Title:** T\n**URL:** https://example.org/\n**Content:** S"), ONE),
    (text("Title: T\nURL: https://example.org/\nText: S\nmore\n\nTitle: U\nURL: http://b.example/"),
     [("T", "https://example.org/", "S more"), ("U", "http://b.example/", "")]),
    (text("1. [T](https://example.org/)\n   S"), ONE),
    (text("- [T](https://example.org/) - S"), ONE),
    ({"content": [{"type": "resource_link", "name": "T", "uri": "https://example.org/",
                   "description": "S"}]}, ONE),
    (text("[]"), []),
    (text('{"results": []}'), []),
    ({"content": [], "structuredContent": {"results": []}}, []),
    (text("No results found."), []),
    (text("No results found for xyz"), []),
    (text("No results were found for your search query. This could be due to bots."), None),
    (text("No results found for x: rate limited, try again later"), None),
    (text("I looked and here is what I think: coffee is fine."), None),
    (text(""), None),
    ({"content": []}, None),
    ({}, None),
    ({"content": "text"}, None),
    ({"content": [{"type": "image", "data": "aaaa"}]}, None),
    (text('{"results": null}'), None),
    (text('{"results": [{"title": "no address"}]}'), None),
    (text('{"error": "quota", "results": []}'), None),
    (text('{"answer": "42"}'), None),
    (text("null"), None),
    ({"content": [], "structuredContent": {"results": "many"}}, None),
]  # fmt: skip


@pytest.mark.parametrize(("result", "hits"), SHAPES)
async def test_known_shapes_are_read_and_others_are_errors(
    result: dict[str, Any], hits: list[tuple[str, str, str]] | None
) -> None:
    async with served({"result": result}) as (backend, _):
        outcome = await backend.search("x")
    if hits is None:
        assert outcome.status is ReturnStatus.ERROR
        assert outcome.detail
        return
    assert outcome.status is (ReturnStatus.OK if hits else ReturnStatus.EMPTY)
    assert [(h.title, h.url, h.snippet) for h in outcome.hits] == hits


@pytest.mark.parametrize(
    ("said", "status"),
    [("429 Too Many Requests", ReturnStatus.RATE_LIMITED), ("exploded", ReturnStatus.ERROR)],
)
async def test_an_error_of_the_tool_is_none_of_results(said: str, status: ReturnStatus) -> None:
    for plan in ({"result": text(said, isError=True)}, {"rpc_error": said}):
        async with served(plan) as (backend, _):
            outcome = await backend.search("x")
        assert (outcome.status, said in outcome.detail) == (status, True)


class HttpDouble(Double):
    """The same server over HTTP: sessions and headers of the form it speaks."""

    def __init__(self, plan: dict[str, Any]) -> None:
        super().__init__([b""])
        self.plan = plan
        self.fails: dict[str, bytes] = {}
        """What is said at once to a query, while the others wait until that was said."""
        self.failed = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (h.partition(":") for h in head[1:])}
        message = json.loads(await reader.readexactly(int(headers["content-length"])))
        query = message.get("params", {}).get("arguments", {}).get("query")
        if query in self.fails:
            writer.write(self.fails[query])
            asyncio.get_running_loop().call_later(0.2, self.failed.set)
        else:
            if self.fails:
                await self.failed.wait()
            writer.write(self.reply(message, headers))
        await writer.drain()
        writer.close()

    def reply(self, message: dict[str, Any], headers: dict[str, str]) -> bytes:
        method, plan = message["method"], self.plan
        if KEY not in headers.get("authorization", KEY):
            return http({"error": "unauthorized"}, 401)
        if "status" in plan:
            return http(*plan["status"])
        stateless = plan.get("era") == "stateless"
        if method != "initialize" and not stateless:
            if headers.get("mcp-session-id") != "s1":
                return http(b"", 404)
            assert headers["mcp-protocol-version"] == "2025-06-18"
        if stateless and method == "initialize":
            return http({"jsonrpc": "2.0", "error": {"code": -32022, "message": "version"}}, 400)
        if stateless:
            assert headers["mcp-protocol-version"] == "2026-07-28"
            assert headers["mcp-method"] == method
            assert headers.get("mcp-name") == message["params"].get("name")
        said = answer(message, plan)
        if said is None:
            return http(b"", 202)
        if plan.get("stream"):
            note = {"jsonrpc": "2.0", "method": "notifications/progress"}
            body = f": hi\r\n\r\ndata: {json.dumps(note)}\r\n\r\nevent: message\r\n"
            body += f"id: 1\r\ndata: {json.dumps(said)}\r\n\r\n"
            return http(body, Content_Type="text/event-stream", Mcp_Session_Id="s1")
        return http(said, Mcp_Session_Id="s1")


@asynccontextmanager
async def served(
    plan: dict[str, Any], **settings: Any
) -> AsyncIterator[tuple[SearchBackend, HttpDouble]]:
    one = HttpDouble(plan)
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    backend = McpSearch("web", source("mcp", url, **settings))
    try:
        yield backend, one
    finally:
        await backend.aclose()
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("era", ["handshake", "stateless"])
@pytest.mark.parametrize("stream", [False, True])
async def test_a_server_at_an_address(
    era: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    plan = {"era": era, "stream": stream, "result": GOOD}
    async with served(plan, api_key_env=VARIABLE) as (backend, _):
        assert [(await backend.search("x")).status for _ in range(2)] == [ReturnStatus.OK] * 2


async def test_a_session_that_ended_is_begun_again() -> None:
    async with served({"result": GOOD}) as (backend, one):
        assert (await backend.search("x")).status is ReturnStatus.OK
        one.plan = {"result": GOOD, "status": (b"", 404)}
        assert (await backend.search("x")).status is ReturnStatus.ERROR
        one.plan = {"result": GOOD}
        assert (await backend.search("x")).status is ReturnStatus.OK


async def test_one_search_that_breaks_leaves_the_others_alone() -> None:
    async with served({"result": GOOD}) as (backend, one):
        await backend.search("first")
        one.fails = {"broken": http(b"", 500)}
        found = await asyncio.gather(*(backend.search(q) for q in ("a", "b", "broken", "c")))
    assert [o.status for o in found] == [
        ReturnStatus.OK, ReturnStatus.OK, ReturnStatus.ERROR, ReturnStatus.OK,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ((b"", 429), ReturnStatus.RATE_LIMITED),
        (("<html>captcha</html>", 200), ReturnStatus.BLOCKED),
        (("not json", 200), ReturnStatus.ERROR),
        ((b"", 500), ReturnStatus.ERROR),
        (("[]", 200), ReturnStatus.ERROR),
    ],
)
async def test_faults_over_http(said: Any, status: ReturnStatus) -> None:
    async with served({"status": said}) as (backend, _):
        assert (await backend.search("x")).status is status


async def test_a_wrong_key_over_http_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "another-key-that-is-wrong")
    async with served({"result": GOOD}, api_key_env=VARIABLE) as (backend, _):
        with pytest.raises(ConfigError, match=VARIABLE):
            await backend.search("x")


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def chosen(*tools: dict[str, Any], **settings: Any) -> tuple[Any, ...]:
    config = SourceConfig(kind="mcp", base_url="http://a.example", **settings)
    return tuple(find_tool("web", config, list(tools)))


def test_the_tool_that_searches_is_found_by_name_or_named() -> None:
    string = {"type": "string"}
    fetch, images = tool("fetch", url=string), tool("image_search", q=string)
    assert chosen(SEARCH, fetch) == ("web_search", "query", "max_results")
    assert chosen(SEARCH, images, tool="image_search") == ("image_search", "q", None)
    assert chosen(SEARCH, params={"max_results": 9})[2] is None
    for tools, settings, said in (
        ((fetch,), {}, "no tool is known to search; the server's tools: fetch"),
        ((SEARCH, images), {}, "several tools search"),
        ((SEARCH,), {"tool": "serach"}, "has no 'serach'; its tools: web_search"),
        ((fetch,), {"tool": "fetch"}, "takes no query"),
        ((tool("search", query={"type": "array"}),), {}, "no tool is known"),
        ((SEARCH,), {"params": {"query": "x"}}, "is the search's own"),
        (({"name": 7}, {"inputSchema": None}), {}, "tools: none"),
    ):
        with pytest.raises(ConfigError) as error:
            chosen(*tools, **settings)
        assert said in str(error.value)
