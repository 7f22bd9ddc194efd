"""Serper: `POST /search`, the key in `X-API-KEY`; used-up credit is a 400."""

from collections.abc import Sequence
from typing import Any, ClassVar

from draligned.retrieval.search.call import Call, Reply
from draligned.retrieval.search.hits import RawHit, fields, list_of
from draligned.retrieval.search.locale import Locale, is_traditional
from draligned.retrieval.search.outcome import Outcome
from draligned.schema.config import SourceConfig


class Serper:
    """See `Provider`."""

    base_url: ClassVar[str | None] = "https://google.serper.dev"
    key_env: ClassVar[str | None] = "SERPER_API_KEY"
    most: ClassVar[int] = 100
    own: ClassVar[frozenset[str]] = frozenset({"q", "num"})

    def __init__(self, name: str, config: SourceConfig) -> None:
        pass

    def parameters(self, config: SourceConfig, locale: Locale) -> dict[str, Any]:
        """Results, country and language as Google names them."""
        return {"num": config.results, "gl": locale.country.lower(), "hl": _language(locale)}

    def call(self, base: str, query: str, sent: dict[str, Any], key: str) -> Call:
        """See `Provider.call`."""
        headers = {"X-API-KEY": key} if key else {}
        return Call(method="POST", url=f"{base}/search", headers=headers, body={**sent, "q": query})

    def results(self, payload: Any) -> Sequence[RawHit]:
        """See `Provider.results`."""
        return [fields(item, "title", "link", "snippet") for item in list_of(payload, "organic")]

    def refine(self, reply: Reply, outcome: Outcome) -> Outcome:
        """Nothing of its own: used-up credit is known by its words."""
        return outcome


def _language(locale: Locale) -> str:
    if locale.language == "zh":
        return "zh-tw" if is_traditional(locale) else "zh-cn"
    if locale.region:
        return f"{locale.language}-{locale.region.lower()}"
    return locale.language
