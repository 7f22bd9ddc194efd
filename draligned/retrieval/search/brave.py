"""Brave: `GET /res/v1/web/search`, the key in `X-Subscription-Token`.

A wrong key is a 422. Without any result the `web` part is left out. Two limits run at once,
per second and per month, and are told in lists.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from draligned.retrieval.search.call import Call, Reply
from draligned.retrieval.search.hits import RawHit, fields, list_of
from draligned.retrieval.search.judge import error_text
from draligned.retrieval.search.locale import Locale, is_traditional
from draligned.retrieval.search.outcome import Fault, Outcome
from draligned.retrieval.search.provider import as_query
from draligned.schema.config import SourceConfig
from draligned.schema.retrieval import ReturnStatus

_LANGUAGES = {"ja": "jp", "nb": "nb", "no": "nb"}
"""Where its code is not the usual one."""
_WITH_REGION = {("en", "GB"): "en-gb", ("pt", "BR"): "pt-br"}


class Brave:
    """See `Provider`."""

    base_url: ClassVar[str | None] = "https://api.search.brave.com"
    key_env: ClassVar[str | None] = "BRAVE_API_KEY"
    most: ClassVar[int] = 20
    own: ClassVar[frozenset[str]] = frozenset({"q", "count"})

    def __init__(self, name: str, config: SourceConfig) -> None:
        pass

    def parameters(self, config: SourceConfig, locale: Locale) -> dict[str, Any]:
        """Results of the web alone, without markup; country and language."""
        return {
            "count": config.results,
            "country": locale.country,
            "search_lang": _language(locale),
            "result_filter": "web",
            "text_decorations": False,
        }

    def call(self, base: str, query: str, sent: dict[str, Any], key: str) -> Call:
        """See `Provider.call`."""
        return Call(
            method="GET",
            url=f"{base}/res/v1/web/search",
            headers={"X-Subscription-Token": key} if key else {},
            query=as_query({**sent, "q": query}),
        )

    def results(self, payload: Any) -> Sequence[RawHit]:
        """See `Provider.results`."""
        if isinstance(payload, dict) and payload.get("type") == "search" and "web" not in payload:
            asked = payload.get("query")
            if isinstance(asked, dict) and "error" not in payload:
                return []
        found = list_of(payload, "web", "results")
        return [fields(item, "title", "url", "description") for item in found]

    def refine(self, reply: Reply, outcome: Outcome) -> Outcome:
        """A wrong key, and how long a used-up limit lasts."""
        if reply.code == 422 and "SUBSCRIPTION_TOKEN" in error_text(reply.body):
            return outcome._replace(status=ReturnStatus.ERROR, fault=Fault.KEY)
        if outcome.status is ReturnStatus.RATE_LIMITED and outcome.told_wait is None:
            return outcome._replace(told_wait=_reset(reply))
        return outcome


def _language(locale: Locale) -> str:
    if locale.language == "zh":
        return "zh-hant" if is_traditional(locale) else "zh-hans"
    if locale.language == "pt" and not locale.region:
        return "pt-pt"
    known = _WITH_REGION.get((locale.language, locale.region or ""))
    return known or _LANGUAGES.get(locale.language, locale.language)


def _reset(reply: Reply) -> float | None:
    """Seconds until the limits that are used up are open again; the first where none says so."""
    left = _numbers(reply, "x-ratelimit-remaining")
    resets = _numbers(reply, "x-ratelimit-reset")
    used = [reset for reset, rest in zip(resets, left, strict=False) if rest <= 0]
    return max(used) if used else (resets[0] if resets else None)


def _numbers(reply: Reply, header: str) -> list[float]:
    parts = [part.strip() for part in reply.headers.get(header, "").split(",")]
    try:
        numbers = [float(part) for part in parts if part]
    except ValueError:
        return []
    return numbers if all(math.isfinite(n) and n >= 0 for n in numbers) else []
