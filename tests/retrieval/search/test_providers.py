"""Each provider: what is sent, what is read, and what its own refusals mean."""

from typing import Any

import pytest

from draligned.retrieval.search.backends import backend_for
from draligned.schema.errors import ConfigError
from draligned.schema.retrieval import ReturnStatus, SearchHit

from .doubles import KEY, KEYED, KINDS, VARIABLE, around, found, http, searching, source

PAGE = ("标题 <b>一</b>", "https://example.org/a?x=1", "第一行\n &amp; 第二行")
HIT = SearchHit(title="标题 一", url="https://example.org/a?x=1", snippet="第一行 & 第二行")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.mark.parametrize("kind", KINDS)
async def test_results_come_clean_and_the_key_in_its_header_alone(kind: str) -> None:
    async with searching(kind, http(found(kind, PAGE))) as (backend, server):
        outcome = await backend.search("咖啡 & tea")
    assert (outcome.status, outcome.hits) == (ReturnStatus.OK, (HIT,))
    (asked,) = server.asked
    sent = {"tavily": "authorization", "exa": "x-api-key", "brave": "x-subscription-token",
            "serper": "x-api-key"}.get(kind)  # fmt: skip
    held = {name for name, value in asked.headers.items() if KEY in value}
    assert held == ({sent} if sent else set())
    assert KEY not in str((asked.path, asked.query, asked.body))


SENT: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "tavily": (
        "POST", "/search",
        {"query": "茶", "max_results": 6, "country": "china"},
        {"query": "茶", "max_results": 6, "country": "united states"},
    ),
    "exa": (
        "POST", "/search",
        {"query": "茶", "numResults": 6, "userLocation": "CN", "contents": {"highlights": True}},
        {"query": "茶", "numResults": 6, "userLocation": "US", "contents": {"highlights": True}},
    ),
    "brave": (
        "GET", "/res/v1/web/search",
        {"q": "茶", "count": "6", "country": "CN", "search_lang": "zh-hans",
         "result_filter": "web", "text_decorations": "false"},
        {"q": "茶", "count": "6", "country": "US", "search_lang": "en",
         "result_filter": "web", "text_decorations": "false"},
    ),
    "serper": (
        "POST", "/search",
        {"q": "茶", "num": 6, "gl": "cn", "hl": "zh-cn"},
        {"q": "茶", "num": 6, "gl": "us", "hl": "en"},
    ),
    "searxng": (
        "GET", "/search",
        {"q": "茶", "format": "json", "language": "zh-CN"},
        {"q": "茶", "format": "json", "language": "en-US"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_what_is_sent_is_the_query_and_the_settings_and_nothing_more(
    kind: str, lang: Any
) -> None:
    method, path, *sent = SENT[kind]
    async with searching(kind, http(found(kind, PAGE)), lang=lang) as (backend, server):
        await backend.search("茶")
    (asked,) = server.asked
    assert (asked.method, asked.path) == (method, path)
    assert (asked.body if method == "POST" else asked.query) == sent[lang == "en"]


@pytest.mark.parametrize(
    ("kind", "settings", "sent"),
    [
        ("tavily", {"country": "gb"}, {"country": "united kingdom"}),
        ("tavily", {"params": {"country": "japan"}}, {"country": "japan"}),
        ("exa", {"country": "de"}, {"userLocation": "DE"}),
        ("brave", {"language": "zh-TW", "country": "TW"}, {"search_lang": "zh-hant"}),
        ("brave", {"language": "ja", "country": "jp"}, {"search_lang": "jp", "country": "JP"}),
        ("brave", {"language": "en-GB", "country": "GB"}, {"search_lang": "en-gb"}),
        ("serper", {"language": "zh-Hant", "country": "HK"}, {"gl": "hk", "hl": "zh-tw"}),
        ("serper", {"language": "pt-BR", "country": "BR"}, {"gl": "br", "hl": "pt-br"}),
        ("searxng", {"language": "de", "country": "AT"}, {"language": "de-AT"}),
        ("searxng", {"language": "zh-Hant"}, {"language": "zh-TW"}),
        ("searxng", {"params": {"engines": ["bing", "mojeek"], "safesearch": 1}},
         {"engines": "bing,mojeek", "safesearch": "1"}),
        ("brave", {"params": {"spellcheck": False}}, {"spellcheck": "false"}),
        ("serper", {"params": {"tbs": "qdr:y"}, "results": 20}, {"tbs": "qdr:y", "num": 20}),
    ],
)  # fmt: skip
async def test_settings_in_the_providers_own_terms(
    kind: str, settings: dict[str, Any], sent: dict[str, Any]
) -> None:
    async with searching(kind, http(found(kind, PAGE)), **settings) as (backend, server):
        await backend.search("茶")
    asked = server.asked[0].body or server.asked[0].query
    assert {name: asked.get(name) for name in sent} == sent


async def test_news_has_no_country_at_tavily() -> None:
    answer = http(found("tavily", PAGE))
    async with searching("tavily", answer, params={"topic": "news"}) as (backend, server):
        await backend.search("茶")
    assert server.asked[0].body == {"query": "茶", "max_results": 6, "topic": "news"}


@pytest.mark.parametrize(
    ("kind", "settings", "said"),
    [
        ("tavily", {"language": "zh"}, "takes no language"),
        ("exa", {"language": "zh"}, "takes no language"),
        ("brave", {"country": "china"}, "two letters"),
        ("brave", {"language": "chinese!"}, "must be a code"),
        ("brave", {"results": 30}, "at most 20"),
        ("tavily", {"country": "QZ"}, "no name is known"),
        ("serper", {"params": {"q": "x"}}, "params.q` is the search's own"),
        ("serper", {"params": {"api_key": "sk-very-secret"}}, "keys come from api_key_env"),
        ("exa", {"base_url": "ftp://a.example"}, "must begin with http"),
        ("exa", {"base_url": "http://127.0.0.1:65536"}, "no port 65536"),
        ("exa", {"base_url": "http://xn--a.example"}, "is no address"),
        ("mcp", {"base_url": None, "command": [""]}, "a program and its arguments"),
        ("mcp", {"base_url": None, "command": ["a", "\0"]}, "a program and its arguments"),
        ("exa", {"base_url": "https://me:secret@a.example"}, "must not stand in it"),
        ("searxng", {"base_url": None}, "base_url` is missing"),
        ("brave", {"tool": "x"}, "kind mcp only"),
        ("mcp", {"base_url": None}, "either a command or a base_url"),
        ("mcp", {"country": "CN"}, "put it into params"),
    ],
)
def test_settings_that_cannot_work_are_told_before_any_search(
    kind: str, settings: dict[str, Any], said: str
) -> None:
    config = source(kind, "http://127.0.0.1:1", **settings)
    with pytest.raises(ConfigError) as error:
        backend_for("web", config, "zh")
    assert said in str(error.value)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("kind", KEYED)
def test_a_provider_that_needs_a_key_says_so_at_once(kind: str) -> None:
    config = source(kind, None, api_key_env=None)
    with pytest.raises(ConfigError, match="api_key_env` is missing"):
        backend_for("web", config, "zh")


REFUSED = [
    ("tavily", 401, {"detail": {"error": "Unauthorized: missing or invalid API key."}}),
    ("exa", 401, {"requestId": "1", "error": "Invalid API key", "tag": "INVALID_API_KEY"}),
    ("exa", 403, {"error": "Feature not available", "tag": "ACCESS_DENIED"}),
    ("brave", 422, {"type": "ErrorResponse", "error": {
        "code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The provided token is invalid",
        "status": 422}}),
    ("brave", 401, {"error": {"code": "UNAUTHORIZED"}}),
    ("serper", 403, {"message": "Unauthorized.", "statusCode": 403}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code", "body"), REFUSED)
async def test_a_refused_key_stops_with_one_line_that_names_its_variable(
    kind: str, code: int, body: Any
) -> None:
    answer = http({**body, "echo": f"Bearer {KEY}", "message": f"no: {KEY}"}, code)
    async with searching(kind, answer) as (backend, _):
        with pytest.raises(ConfigError) as error:
            await backend.search("茶")
    text = str(error.value)
    assert VARIABLE in text
    assert "refused the key" in text
    assert "\n" not in text
    assert KEY not in text


@pytest.mark.parametrize(
    ("kind", "code", "body"),
    [
        ("tavily", 432, {"detail": {"error": "This request exceeds your plan's set usage limit."}}),
        ("tavily", 433, {"detail": {"error": "This request exceeds the pay-as-you-go limit."}}),
        ("exa", 402, {"error": "x", "tag": "NO_MORE_CREDITS"}),
        ("serper", 400, {"message": "Not enough credits", "statusCode": 400}),
        ("brave", 402, {"error": {"code": "PAYMENT_REQUIRED"}}),
        ("brave", 429, {"error": {"code": "QUOTA_LIMITED", "detail": "Monthly quota exceeded"}}),
    ],
)
async def test_used_up_credit_stops_too(kind: str, code: int, body: Any) -> None:
    async with searching(kind, http(body, code)) as (backend, _):
        with pytest.raises(ConfigError, match="no credit left"):
            await backend.search("茶")


@pytest.mark.parametrize("kind", KEYED)
async def test_a_key_that_is_not_set_is_named_and_nothing_is_sent(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    async with searching(kind, http(found(kind, PAGE))) as (backend, server):
        with pytest.raises(ConfigError, match=VARIABLE):
            await backend.search("茶")
        monkeypatch.setenv(VARIABLE, KEY)
        assert (await backend.search("茶")).status is ReturnStatus.OK
    assert len(server.asked) == 1


async def test_a_query_that_moderation_turns_down_is_refused_and_no_matter_of_the_key() -> None:
    answer = http({"error": "content", "tag": "PROHIBITED_CONTENT"}, 403)
    async with searching("exa", answer) as (backend, _):
        outcome = await backend.search("茶")
    assert outcome.status is ReturnStatus.REFUSED


async def test_brave_without_results_leaves_the_web_out() -> None:
    answers = [{"type": "search", "query": {"original": "q"}, "mixed": {}}, {"type": "search"}]
    async with searching("brave", *map(http, answers)) as (backend, _):
        assert (await backend.search("茶")).status is ReturnStatus.EMPTY
        assert (await backend.search("茶")).status is ReturnStatus.ERROR


@pytest.mark.parametrize(
    ("left", "reset", "wait"),
    [("0, 900", "2, 100000", 2.0), ("0, 0", "1, 60", 60.0), ("", "7", 7.0), ("", "soon", None)],
)
async def test_brave_says_in_lists_how_long_a_limit_lasts(
    left: str, reset: str, wait: float | None
) -> None:
    body = {"type": "ErrorResponse", "error": {"code": "RATE_LIMITED", "status": 429}}
    headers = {"X_RateLimit_Remaining": left, "X_RateLimit_Reset": reset}
    async with searching("brave", http(body, 429, **headers)) as (backend, _):
        outcome = await backend.search("茶")
    assert (outcome.status, outcome.told_wait) == (ReturnStatus.RATE_LIMITED, wait)


@pytest.mark.parametrize(
    ("engines", "status"),
    [
        ([["bing", "Suspended: too many requests"]], ReturnStatus.RATE_LIMITED),
        ([["google", "Suspended: CAPTCHA"]], ReturnStatus.BLOCKED),
        ([["bing", "access denied"], ["x", "timeout"]], ReturnStatus.BLOCKED),
        ([["qwant", "timeout"]], ReturnStatus.ERROR),
        ([], ReturnStatus.EMPTY),
    ],
)
async def test_searxng_is_only_empty_where_its_engines_answered(
    engines: Any, status: ReturnStatus
) -> None:
    answer = http({**around("searxng", []), "unresponsive_engines": engines})
    async with searching("searxng", answer) as (backend, _):
        assert (await backend.search("茶")).status is status


async def test_searxng_without_json_says_which_setting_and_later_a_403_is_a_block() -> None:
    forbidden = http("<!doctype html><title>403 Forbidden</title>", 403, Content_Type="text/html")
    async with searching("searxng", forbidden) as (backend, _):
        with pytest.raises(ConfigError, match=r"search\.formats"):
            await backend.search("茶")
    async with searching("searxng", http(found("searxng", PAGE)), forbidden) as (backend, _):
        await backend.search("茶")
        assert (await backend.search("酒")).status is ReturnStatus.BLOCKED
