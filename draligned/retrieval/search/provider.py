"""A provider over HTTP: what is its own is a `Provider`, what all share is `HttpSearch`."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, NoReturn, Protocol

import httpx

from draligned.retrieval.search.call import Call, Reply, Unanswered, search_client, send
from draligned.retrieval.search.hits import RawHit, clean_hits
from draligned.retrieval.search.judge import load, refusal, unanswered, unreadable
from draligned.retrieval.search.keys import read_key, redact_outcome
from draligned.retrieval.search.locale import Locale
from draligned.retrieval.search.outcome import Fault, Outcome, Unreadable
from draligned.schema.config import SourceConfig
from draligned.schema.errors import ConfigError
from draligned.schema.retrieval import ReturnStatus
from draligned.schema.secretnames import secret_places


class Provider(Protocol):
    """What one provider's file says: its addresses, parameters, shapes and refusals."""

    base_url: ClassVar[str | None]
    """Where it stands; none for one that everybody runs for themselves."""
    key_env: ClassVar[str | None]
    """A usual name of its key's variable, for messages; none where no key is needed."""
    most: ClassVar[int]
    """Results that one search can bring."""
    own: ClassVar[frozenset[str]]
    """Parameters that `params` may not set."""

    def parameters(self, config: SourceConfig, locale: Locale) -> dict[str, Any]:
        """What every search sends, `params` included."""
        ...

    def call(self, base: str, query: str, sent: dict[str, Any], key: str) -> Call:
        """The call that searches for `query`."""
        ...

    def results(self, payload: Any) -> Sequence[RawHit]:
        """The list of results. Raises `Unreadable` where there is none."""
        ...

    def refine(self, reply: Reply, outcome: Outcome) -> Outcome:
        """A refusal, where the provider means another thing by it than others do."""
        ...


class HttpSearch:
    """A `SearchBackend` over one provider's HTTP interface."""

    def __init__(self, name: str, config: SourceConfig, locale: Locale, provider: Provider) -> None:
        self._name = name
        self._config = config
        self._provider = provider
        self._base = base_of(name, config, provider.base_url)
        _check(name, config, provider)
        self._sent = {**provider.parameters(config, locale), **config.params}
        self._client: httpx.AsyncClient | None = None
        self._standing = Standing(name, config)

    async def search(self, query: str) -> Outcome:
        """See `SearchBackend.search`."""
        key = read_key(self._name, self._config)
        self._client = self._client or search_client()
        call = self._provider.call(self._base, query, self._sent, key)
        said = await send(self._client, call, self._config.timeout_seconds)
        return self._standing.taken(redact_outcome(self._judged(said), key))

    async def aclose(self) -> None:
        """Close the connections; the next search opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _judged(self, said: Reply | Unanswered) -> Outcome:
        if isinstance(said, Unanswered):
            return unanswered(said)
        refused = refusal(said, frozenset(self._sent), datetime.now(UTC))
        if refused is not None:
            return self._provider.refine(said, refused)
        try:
            payload = load(said.body)
            raw = self._provider.results(payload)
            if not raw and _tells_error(payload):
                raise Unreadable("no results, and an error beside them")
            hits = clean_hits(raw, self._config.results)
        except Unreadable as error:
            return self._provider.refine(said, unreadable(error, said.body, said.code))
        status = ReturnStatus.OK if hits else ReturnStatus.EMPTY
        return Outcome(status, hits, http_status=said.code)


def _tells_error(payload: Any) -> bool:
    """Whether an answer says that something went wrong: its empty list is then none of results."""
    return isinstance(payload, dict) and bool(payload.get("error") or payload.get("errors"))


class Standing:
    """What the outcomes of one source come to."""

    def __init__(self, name: str, config: SourceConfig) -> None:
        self._name = name
        self._config = config
        self._answered = False

    def taken(self, outcome: Outcome) -> Outcome:
        """`outcome` as it is answered. Raises `ConfigError` where the user must mend something."""
        if outcome.fault is Fault.SETTINGS and self._answered:
            # What worked before is set right: a proxy or a block speaks.
            return outcome._replace(fault=None)
        if outcome.fault is not None:
            complain(self._name, self._config, outcome)
        self._answered = self._answered or outcome.status in (ReturnStatus.OK, ReturnStatus.EMPTY)
        return outcome


def complain(name: str, config: SourceConfig, outcome: Outcome) -> NoReturn:
    """Raise the `ConfigError` that says in one line what the user must mend."""
    said = outcome.detail
    source = f"retrieval.{name} ({config.kind})"
    if outcome.fault is Fault.CREDIT:
        raise ConfigError(f"{source} has no credit left; what was done is kept: {said}")
    if outcome.fault is Fault.KEY:
        key = (
            f"the key in the environment variable {config.api_key_env}"
            if config.api_key_env
            else f"a search without a key (retrieval.{name}.api_key_env is not set)"
        )
        raise ConfigError(f"{source} refused {key}: {said}")
    raise ConfigError(
        f"{source} cannot be searched as it is set in study.toml "
        f"(base_url, command, country, language, params): {said}"
    )


def base_of(name: str, config: SourceConfig, default: str | None) -> str:
    """The address without its last slash. Raises `ConfigError` where it is none."""
    place = f"study.toml: `retrieval.{name}.base_url`"
    given = config.base_url or default
    if given is None:
        raise ConfigError(f"{place} is missing: {config.kind} has no address of its own")
    try:
        url = httpx.URL(given.strip())
        sound = url.host and (url.port is None or 0 < url.port < 2**16)
    except (httpx.InvalidURL, ValueError):
        raise ConfigError(f"{place} is no address") from None
    if url.host and not sound:
        raise ConfigError(f"{place} is no address: there is no port {url.port}")
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(f"{place} must begin with http:// or https://")
    if url.userinfo or url.query:
        raise ConfigError(f"{place}: a name, password or key must not stand in it; use api_key_env")
    return given.strip().rstrip("/")


def _check(name: str, config: SourceConfig, provider: Provider) -> None:
    """Raise `ConfigError` for settings that no search can be sent with."""
    place = f"study.toml: `retrieval.{name}"
    if provider.key_env and not config.api_key_env and config.base_url is None:
        raise ConfigError(
            f"{place}.api_key_env` is missing: {config.kind} needs the name of the environment "
            f'variable that holds its key, e.g. "{provider.key_env}"'
        )
    if config.results > provider.most:
        raise ConfigError(f"{place}.results`: {config.kind} gives at most {provider.most}")
    for param in config.params:
        if param in provider.own:
            raise ConfigError(f"{place}.params.{param}` is the search's own and cannot be set")
    for param in secret_places(config.params):
        raise ConfigError(f"{place}.params.{param}`: keys come from api_key_env alone")


def as_query(sent: dict[str, Any]) -> dict[str, str]:
    """Parameters as they stand in an address; lists are joined by commas."""
    return {name: _word(value) for name, value in sent.items()}


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(_word(part) for part in value)
    return str(value)


def bearer(key: str) -> dict[str, str]:
    """The usual header of a key; none without one."""
    return {"Authorization": f"Bearer {key}"} if key else {}
