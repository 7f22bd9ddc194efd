"""Exa: `POST /search`, the key in `x-api-key`; snippets are the highlights it is asked for."""

from collections.abc import Sequence
from typing import Any, ClassVar

from draligned.retrieval.search.call import Call, Reply
from draligned.retrieval.search.hits import RawHit, list_of
from draligned.retrieval.search.judge import error_text
from draligned.retrieval.search.locale import Locale, refuse_language
from draligned.retrieval.search.outcome import Outcome
from draligned.schema.config import SourceConfig
from draligned.schema.retrieval import ReturnStatus


class Exa:
    """See `Provider`."""

    base_url: ClassVar[str | None] = "https://api.exa.ai"
    key_env: ClassVar[str | None] = "EXA_API_KEY"
    most: ClassVar[int] = 100
    own: ClassVar[frozenset[str]] = frozenset({"query", "numResults"})

    def __init__(self, name: str, config: SourceConfig) -> None:
        refuse_language(name, config)

    def parameters(self, config: SourceConfig, locale: Locale) -> dict[str, Any]:
        """Results, their snippets, and the country."""
        return {
            "numResults": config.results,
            "userLocation": locale.country,
            "contents": {"highlights": True},
        }

    def call(self, base: str, query: str, sent: dict[str, Any], key: str) -> Call:
        """See `Provider.call`."""
        headers = {"x-api-key": key} if key else {}
        body = {**sent, "query": query}
        return Call(method="POST", url=f"{base}/search", headers=headers, body=body)

    def results(self, payload: Any) -> Sequence[RawHit]:
        """See `Provider.results`."""
        return [_hit(item) for item in list_of(payload, "results")]

    def refine(self, reply: Reply, outcome: Outcome) -> Outcome:
        """A query that its moderation turns down is no matter of the key."""
        if reply.code == 403 and "PROHIBITED_CONTENT" in error_text(reply.body):
            return outcome._replace(status=ReturnStatus.REFUSED, fault=None)
        return outcome


def _hit(item: Any) -> RawHit:
    if not isinstance(item, dict):
        return RawHit(None, None, None)
    highlights = item.get("highlights")
    texts = [h for h in highlights if isinstance(h, str)] if isinstance(highlights, list) else []
    snippet = " … ".join(texts) or item.get("summary") or item.get("text")
    return RawHit(item.get("title"), item.get("url"), snippet)
