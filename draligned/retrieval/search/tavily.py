"""Tavily: `POST /search`; countries go by their English names, plan limits are 432 and 433."""

from collections.abc import Sequence
from typing import Any, ClassVar

from draligned.retrieval.search.call import Call, Reply
from draligned.retrieval.search.hits import RawHit, fields, list_of
from draligned.retrieval.search.locale import Locale, refuse_language
from draligned.retrieval.search.outcome import Fault, Outcome
from draligned.retrieval.search.provider import bearer
from draligned.schema.config import SourceConfig
from draligned.schema.errors import ConfigError

_NAMES = {
    "AE": "united arab emirates", "AR": "argentina", "AT": "austria", "AU": "australia",
    "BD": "bangladesh", "BE": "belgium", "BG": "bulgaria", "BR": "brazil", "CA": "canada",
    "CH": "switzerland", "CL": "chile", "CN": "china", "CO": "colombia", "CZ": "czech republic",
    "DE": "germany", "DK": "denmark", "EG": "egypt", "ES": "spain", "FI": "finland",
    "FR": "france", "GB": "united kingdom", "GR": "greece", "HU": "hungary", "ID": "indonesia",
    "IE": "ireland", "IL": "israel", "IN": "india", "IT": "italy", "JP": "japan", "KE": "kenya",
    "KR": "south korea", "MX": "mexico", "MY": "malaysia", "NG": "nigeria", "NL": "netherlands",
    "NO": "norway", "NZ": "new zealand", "PE": "peru", "PH": "philippines", "PK": "pakistan",
    "PL": "poland", "PT": "portugal", "RO": "romania", "SA": "saudi arabia", "SE": "sweden",
    "SG": "singapore", "TH": "thailand", "TR": "turkey", "TW": "taiwan", "UA": "ukraine",
    "US": "united states", "VN": "vietnam", "ZA": "south africa",
}  # fmt: skip


class Tavily:
    """See `Provider`."""

    base_url: ClassVar[str | None] = "https://api.tavily.com"
    key_env: ClassVar[str | None] = "TAVILY_API_KEY"
    most: ClassVar[int] = 20
    own: ClassVar[frozenset[str]] = frozenset({"query", "max_results"})

    def __init__(self, name: str, config: SourceConfig) -> None:
        refuse_language(name, config)
        self._name = name

    def parameters(self, config: SourceConfig, locale: Locale) -> dict[str, Any]:
        """Results, and the country, which the topics news and finance don't take."""
        sent: dict[str, Any] = {"max_results": config.results}
        if config.params.get("topic", "general") == "general" and "country" not in config.params:
            sent["country"] = self._country(locale)
        return sent

    def call(self, base: str, query: str, sent: dict[str, Any], key: str) -> Call:
        """See `Provider.call`."""
        body = {**sent, "query": query}
        return Call(method="POST", url=f"{base}/search", headers=bearer(key), body=body)

    def results(self, payload: Any) -> Sequence[RawHit]:
        """See `Provider.results`."""
        return [fields(item, "title", "url", "content") for item in list_of(payload, "results")]

    def refine(self, reply: Reply, outcome: Outcome) -> Outcome:
        """Limits of the plan and of pay-as-you-go have numbers of their own."""
        return outcome._replace(fault=Fault.CREDIT) if reply.code in (432, 433) else outcome

    def _country(self, locale: Locale) -> str:
        if locale.country not in _NAMES:
            raise ConfigError(
                f"study.toml: `retrieval.{self._name}.country`: no name is known here for "
                f"{locale.country}; set Tavily's own, e.g. params = {{ country = "
                '"new zealand" }'
            )
        return _NAMES[locale.country]
