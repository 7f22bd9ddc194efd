"""Search providers by their kind in study.toml."""

from collections.abc import Callable

from draligned.retrieval.search.brave import Brave
from draligned.retrieval.search.exa import Exa
from draligned.retrieval.search.locale import locale_of
from draligned.retrieval.search.mcp import McpSearch
from draligned.retrieval.search.outcome import SearchBackend
from draligned.retrieval.search.provider import HttpSearch, Provider
from draligned.retrieval.search.searxng import Searxng
from draligned.retrieval.search.serper import Serper
from draligned.retrieval.search.tavily import Tavily
from draligned.schema.config import SourceConfig
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError

PROVIDERS: dict[str, Callable[[str, SourceConfig], Provider]] = {
    "tavily": Tavily,
    "exa": Exa,
    "brave": Brave,
    "serper": Serper,
    "searxng": Searxng,
}
_BILLED = frozenset(PROVIDERS) - {"searxng"}


def backend_for(name: str, config: SourceConfig, lang: Lang) -> SearchBackend:
    """The search of source `name`. Raises `ConfigError` for settings that cannot work."""
    if config.kind == "mcp":
        return McpSearch(name, config)
    if config.kind not in PROVIDERS:
        raise ConfigError(f"retrieval.{name}: {config.kind} has no search of its own")
    for setting in ("command", "tool"):
        if getattr(config, setting):
            raise ConfigError(
                f"study.toml: `retrieval.{name}.{setting}` is for a source of kind mcp only"
            )
    locale = locale_of(name, config, lang)
    return HttpSearch(name, config, locale, PROVIDERS[config.kind](name, config))


def is_billed(config: SourceConfig) -> bool:
    """Whether searches are paid for: a provider with keys, at its own address."""
    return config.kind in _BILLED and config.base_url is None
