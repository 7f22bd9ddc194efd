"""SearXNG, self-hosted: `GET /search?format=json`.

An instance gives JSON only where its settings list the format, and 403 otherwise. It searches
through other engines; where some of those failed, an empty list is no answer.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from draligned.retrieval.search.call import Call, Reply
from draligned.retrieval.search.hits import RawHit, fields, list_of
from draligned.retrieval.search.judge import SHOWN, is_rate_limit, load
from draligned.retrieval.search.locale import Locale, is_traditional
from draligned.retrieval.search.outcome import Fault, Outcome, Unreadable
from draligned.retrieval.search.provider import as_query, bearer
from draligned.schema.config import SourceConfig
from draligned.schema.retrieval import ReturnStatus
from draligned.schema.strictjson import visible

_FORMAT = "json may be missing from search.formats in the instance's settings.yml"
_BLOCKED = ("captcha", "access denied", "forbidden", "blocked")


class Searxng:
    """See `Provider`."""

    base_url: ClassVar[str | None] = None
    key_env: ClassVar[str | None] = None
    most: ClassVar[int] = 50
    own: ClassVar[frozenset[str]] = frozenset({"q", "format"})

    def __init__(self, name: str, config: SourceConfig) -> None:
        pass

    def parameters(self, config: SourceConfig, locale: Locale) -> dict[str, Any]:
        """The language, which carries the country; how many results is the instance's matter."""
        return {"language": _language(locale)}

    def call(self, base: str, query: str, sent: dict[str, Any], key: str) -> Call:
        """See `Provider.call`."""
        asked = as_query({**sent, "q": query, "format": "json"})
        return Call(method="GET", url=f"{base}/search", headers=bearer(key), query=asked)

    def results(self, payload: Any) -> Sequence[RawHit]:
        """See `Provider.results`."""
        found = list_of(payload, "results")
        if not found and (engines := _unresponsive(payload)):
            raise Unreadable(f"no results, and engines failed: {engines}")
        return [fields(item, "title", "url", "content") for item in found]

    def refine(self, reply: Reply, outcome: Outcome) -> Outcome:
        """A 403 is about the format; failed engines say why they failed."""
        if reply.code == 403 and outcome.fault is Fault.KEY:
            return Outcome(
                ReturnStatus.BLOCKED,
                detail=f"HTTP 403: {_FORMAT}",
                http_status=403,
                fault=Fault.SETTINGS,
            )
        if reply.code == 200 and outcome.status is ReturnStatus.ERROR:
            return outcome._replace(status=_why(reply))
        return outcome


def _why(reply: Reply) -> ReturnStatus:
    try:
        said = _unresponsive(load(reply.body)).lower()
    except Unreadable:
        said = ""
    if any(word in said for word in _BLOCKED):
        return ReturnStatus.BLOCKED
    return ReturnStatus.RATE_LIMITED if is_rate_limit(said) else ReturnStatus.ERROR


def _unresponsive(payload: Any) -> str:
    """Engines that failed, each with its reason."""
    told = payload.get("unresponsive_engines") if isinstance(payload, dict) else None
    if not isinstance(told, list) or not told:
        return ""
    parts = [" ".join(map(str, e)) if isinstance(e, list) else str(e) for e in told]
    return visible(", ".join(parts), SHOWN)


def _language(locale: Locale) -> str:
    if locale.language == "zh" and locale.region is None and locale.script:
        return "zh-TW" if is_traditional(locale) else "zh-CN"
    return f"{locale.language}-{locale.region or locale.country}"
