"""Any MCP server that offers search: a command that is started here, or an address.

Which tool searches is configured or found by name; what it gives back has no fixed shape, so
what is not understood is an error and never an empty list.
"""

import re
from datetime import UTC, datetime
from typing import NamedTuple

from draligned.retrieval.search.hits import clean_hits
from draligned.retrieval.search.judge import SHOWN, is_rate_limit, refusal
from draligned.retrieval.search.keys import read_key, redact_outcome
from draligned.retrieval.search.mcp_results import results_of
from draligned.retrieval.search.mcp_session import McpSession
from draligned.retrieval.search.outcome import Fault, Outcome, Unreadable, failed
from draligned.retrieval.search.provider import Standing, base_of
from draligned.retrieval.search.rpc import (
    HttpWire,
    Json,
    NotStarted,
    RpcBroken,
    RpcError,
    StdioWire,
    Wire,
)
from draligned.schema.config import SourceConfig
from draligned.schema.errors import ConfigError
from draligned.schema.retrieval import ReturnStatus
from draligned.schema.strictjson import visible

_QUERIES = ("query", "q", "search_query", "searchQuery", "search_term", "keywords", "text")
_COUNTS = ("max_results", "num_results", "numResults", "maxResults", "count", "limit", "num")
_SEARCHES = re.compile(r"search", re.IGNORECASE)


class _Tool(NamedTuple):
    """The tool that searches, and what it calls the query and the number of results."""

    name: str
    query: str
    most: str | None


class McpSearch:
    """A `SearchBackend` over one MCP server."""

    def __init__(self, name: str, config: SourceConfig) -> None:
        _check(name, config)
        self._name = name
        self._config = config
        self._session: McpSession | None = None
        self._tool: _Tool | None = None
        self._standing = Standing(name, config)

    async def search(self, query: str) -> Outcome:
        """See `SearchBackend.search`."""
        key = read_key(self._name, self._config)
        return self._standing.taken(redact_outcome(await self._asked(query), key))

    async def aclose(self) -> None:
        """End the server, or the connection to it."""
        session, self._session = self._session, None
        if session is not None:
            await session.aclose()

    async def _asked(self, query: str) -> Outcome:
        """One search of the session in use; the next one begins another where it broke."""
        session = self._session = self._session or self._begun()
        async with session.in_use():
            try:
                return await self._tried(session, query)
            except RpcError as error:
                return _said(str(error))
            except RpcBroken as broken:
                session.retire()
                if self._session is session:
                    self._session = None
                return _broken(broken)
            except Unreadable as error:
                return failed(ReturnStatus.ERROR, str(error))

    def _begun(self) -> McpSession:
        return McpSession(self._wire(), self._config.timeout_seconds)

    async def _tried(self, session: McpSession, query: str) -> Outcome:
        config = self._config
        if self._tool is None:
            self._tool = find_tool(self._name, config, await session.tools())
        tool = self._tool
        arguments = {tool.most: config.results} if tool.most else {}
        result = await session.call(tool.name, {**arguments, **config.params, tool.query: query})
        if result.get("isError"):
            return _said(_texts(result))
        hits = clean_hits(results_of(result), config.results)
        return Outcome(ReturnStatus.OK if hits else ReturnStatus.EMPTY, hits)

    def _wire(self) -> Wire:
        config = self._config
        if config.command:
            variable = config.api_key_env
            extra = {variable: read_key(self._name, config)} if variable else {}
            return StdioWire(config.command, extra)
        return HttpWire(base_of(self._name, config, None), lambda: read_key(self._name, config))


def find_tool(name: str, config: SourceConfig, tools: list[Json]) -> _Tool:
    """The configured tool, or the only one whose name says search and that takes a query.

    Raises `ConfigError` that lists what there is.
    """
    known = {t["name"]: t for t in tools if isinstance(t.get("name"), str)}
    place = f"study.toml: `retrieval.{name}.tool`"
    listed = visible(", ".join(sorted(known)) or "none", SHOWN)
    if config.tool is not None:
        if config.tool not in known:
            raise ConfigError(f"{place}: the server has no {config.tool!r}; its tools: {listed}")
        return _as_tool(name, config, known[config.tool])
    fit = [t for n, t in known.items() if _SEARCHES.search(n) and _query_of(_properties(t))]
    if len(fit) != 1:
        few = "no tool is known to search" if not fit else "several tools search"
        raise ConfigError(f"{place} must name the tool: {few}; the server's tools: {listed}")
    return _as_tool(name, config, fit[0])


def _as_tool(name: str, config: SourceConfig, tool: Json) -> _Tool:
    properties = _properties(tool)
    query = _query_of(properties)
    if query is None:
        raise ConfigError(
            f"study.toml: `retrieval.{name}.tool`: {tool['name']!r} takes no query as a text "
            f"({', '.join(_QUERIES)})"
        )
    if query in config.params:
        raise ConfigError(
            f"study.toml: `retrieval.{name}.params.{query}` is the search's own and cannot be set"
        )
    counts = (c for c in _COUNTS if c in properties and c not in config.params)
    return _Tool(tool["name"], query, next(counts, None))


def _properties(tool: Json) -> Json:
    schema = tool.get("inputSchema")
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _query_of(properties: Json) -> str | None:
    for query in _QUERIES:
        schema = properties.get(query)
        if isinstance(schema, dict) and schema.get("type", "string") == "string":
            return query
    return None


def _check(name: str, config: SourceConfig) -> None:
    place = f"study.toml: `retrieval.{name}"
    if bool(config.command) == bool(config.base_url):
        raise ConfigError(f"{place}`: an mcp source has either a command or a base_url")
    if config.command and (not config.command[0] or any("\0" in part for part in config.command)):
        raise ConfigError(f"{place}.command` must be a program and its arguments")
    if config.base_url:
        base_of(name, config, None)
    for setting in ("country", "language"):
        if getattr(config, setting) is not None:
            raise ConfigError(
                f"{place}.{setting}`: tools of MCP servers have their own names for it; put it "
                "into params"
            )


def _texts(result: Json) -> str:
    content = result.get("content")
    parts = content if isinstance(content, list) else []
    texts = [p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str)]
    return visible(" ".join(" ".join(texts).split()), SHOWN) or "no text"


def _said(text: str) -> Outcome:
    """An error that the server tells in words."""
    status = ReturnStatus.RATE_LIMITED if is_rate_limit(text) else ReturnStatus.ERROR
    return failed(status, f"the tool failed: {text}")


def _broken(broken: RpcBroken) -> Outcome:
    if isinstance(broken, NotStarted):
        return Outcome(ReturnStatus.ERROR, detail=str(broken), fault=Fault.SETTINGS)
    if broken.reply is not None:
        judged = refusal(broken.reply, frozenset(), datetime.now(UTC))
        if judged is not None:
            return judged
    return Outcome(ReturnStatus.ERROR, detail=str(broken), timed_out=broken.timed_out)
