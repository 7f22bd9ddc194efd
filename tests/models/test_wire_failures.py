"""Error statuses and errors inside a 200, over every wire (HARD_CASES 4 to 6)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from draligned.models.failures import classify
from draligned.models.transport import Broken
from draligned.schema.config import ModelConfig, ProviderConfig
from draligned.schema.errors import BadResponse, ProviderError, RateLimited, RequestRefused

from .doubles import request
from .rawserver import WIRES, http, said, talking

pytestmark = pytest.mark.parametrize(("api", "stream"), WIRES)

KEY = "sk-secret-0123456789"


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529, 599])
async def test_passing_failures(api: Any, stream: Any, status: int) -> None:
    bad = http(b"<html>busy</html>", status, Content_Type="text/html")
    good = http(said(api, stream=stream, text="a"))
    async with talking(bad, good, api=api, stream=stream) as (model, _, ledger):
        assert (await model.complete(request())).message.text == "a"
    assert [(a.http_status, a.outcome == "ok") for a in ledger] == [(status, False), (200, True)]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_not_followed(api: Any, stream: Any, status: int) -> None:
    bad = http(b"", status, Location="http://127.0.0.1:9/elsewhere?a=\x1b")
    async with talking(bad, api=api, stream=stream) as (model, server, _):
        with pytest.raises(RequestRefused) as caught:
            await model.complete(request())
    assert f"answered {status} to http://127.0.0.1:9/elsewhere?a=\\x1b" in str(caught.value)
    assert "providers.p.base_url" in str(caught.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry_After_Ms": "40"}, 0.04),
        ({"Retry_After_Ms": "40", "Retry_After": "60"}, 0.04),
        ({"Retry_After_Ms": "abc", "Retry_After": "0.03"}, 0.03),
        ({"Retry_After_Ms": "-1", "Retry_After": "0.03"}, 0.03),
        ({"Retry_After": "-5"}, 0.0),
        ({"Retry_After": "0.1_0"}, 0.0),
        ({"Retry_After": "0"}, 0.0),
    ],
)
async def test_waits_as_told(api: Any, stream: Any, headers: Any, waited: float) -> None:
    good = http(said(api, stream=stream, text="a"))
    bad = http(b"", 429, **headers)
    async with talking(bad, good, api=api, stream=stream) as (model, _, ledger):
        await model.complete(request())
    assert ledger[1].waited_seconds == pytest.approx(waited)


@pytest.mark.parametrize("headers", [{"Retry_After": "99999"}, {"Retry_After_Ms": "99999000"}])
async def test_a_wait_over_the_cap(api: Any, stream: Any, headers: Any) -> None:
    bad = http(b"", 503, **headers)
    async with talking(bad, api=api, stream=stream) as (model, _, _):
        with pytest.raises(RateLimited, match="asks to wait 99999 s"):
            await model.complete(request())


def error_inside(stream: bool, **error: Any) -> bytes:
    """A 200 with an error, before or inside a stream."""
    body = json.dumps({"error": error})
    return http(f": alive\n\ndata: {body}\n\n" if stream else body)


@pytest.mark.parametrize(
    ("error", "outcome", "kind"),
    [
        ({"code": 429, "message": "x"}, "rate_limited", ProviderError),
        ({"code": "rate_limit_exceeded", "message": "x"}, "rate_limited", ProviderError),
        ({"code": "503", "message": "x"}, "server_error", ProviderError),
        ({"code": 400, "message": "too long"}, "refused", RequestRefused),
        ({"type": "insufficient_quota", "code": None, "message": "x"}, "no_credit", RateLimited),
        ({"code": "some_word", "message": "x"}, "bad_response", BadResponse),
        ({"code": 200, "message": "x"}, "bad_response", BadResponse),
    ],
)
async def test_errors_inside_a_200_count_as_what_they_say(
    api: Any, stream: Any, error: Any, outcome: str, kind: type[Exception]
) -> None:
    bad = error_inside(stream, **error)
    async with talking(bad, api=api, stream=stream, tries=2) as (model, _, ledger):
        with pytest.raises(kind):
            await model.complete(request())
    tries = 1 if kind in (RequestRefused, RateLimited) else 2
    assert [a.outcome for a in ledger] == [outcome] * tries


async def test_no_key_in_any_message(
    api: Any, stream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    script = []
    for status in (200, 400, 401, 404, 500):
        for padding in (0, 100, *range(150, 195, 3)):
            text = "x" * padding + f" Bearer {KEY} " + "y" * 300
            for body in (text, json.dumps({"error": {"message": text}}), f"data: {text}\n\n"):
                script.append(http(body, status, Location=f"http://h/{KEY}"))
    async with talking(*script, api=api, stream=stream, tries=1, api_key_env="LAB_KEY") as (
        model,
        server,
        ledger,
    ):
        for _ in range(len(script)):
            with pytest.raises(ProviderError) as caught:
                await model.complete(request())
            assert server.asked[-1][1]["authorization"] == f"Bearer {KEY}"
            for shown in (str(caught.value), ledger[-1].to_json()):
                assert KEY[:6] not in shown


@pytest.mark.parametrize(("mode", "other"), [("drop", "echo"), ("echo", "drop")])
async def test_a_refusal_over_reasoning_names_the_switch(
    api: Any, stream: Any, mode: Any, other: str
) -> None:
    word = "encrypted_content" if api == "responses" else "reasoning_content"
    bad = http(json.dumps({"error": {"message": f"The {word} is not right"}}), 400)
    async with talking(bad, api=api, stream=stream, reasoning_content=mode) as (model, _, _):
        with pytest.raises(RequestRefused, match=rf'providers\.p\.reasoning_content = "{other}"'):
            await model.complete(request())


async def test_other_refusals_name_their_switch(api: Any, stream: Any) -> None:
    async with talking(http(b"", 404), api=api, stream=stream) as (model, _, _):
        with pytest.raises(RequestRefused) as caught:
            await model.complete(request())
    assert ('providers.p.api = "chat"' in str(caught.value)) == (api == "responses")
    body = json.dumps({"error": {"message": "unknown field stream_options"}})
    async with talking(http(body, 422), api=api, stream=stream) as (model, _, _):
        with pytest.raises(RequestRefused) as caught:
            await model.complete(request())
    assert ("providers.p.stream_usage = false" in str(caught.value)) == stream


@pytest.mark.parametrize(
    ("base_url", "text", "hint"),
    [
        ("http://h", "Not Found", "try providers.p.base_url with its path, often /v1, in"),
        ("http://h/v1", "no model 'x'", None),
        ("http://h/v1", "Not Found", 'api = "chat"'),
        ("http://h/v1", "This model is only supported in v1/chat/completions", 'api = "chat"'),
    ],
)
def test_what_is_not_there(api: Any, stream: Any, base_url: str, text: str, hint: Any) -> None:
    provider = ProviderConfig(base_url=base_url, api=api, stream=stream)
    broken = Broken(kind="status", text=json.dumps({"error": {"message": text}}), status=404)
    said = classify(broken, "p", provider, datetime(2026, 1, 1, tzinfo=UTC)).detail
    other_api = hint is not None and hint.startswith("api")
    expected = None if other_api and api == "chat" else hint
    assert ("(try " in said) == (expected is not None)
    assert expected is None or expected in said


async def test_usage_need_not_be_asked_for(api: Any, stream: Any) -> None:
    good = http(said(api, stream=stream, text="a"))
    async with talking(good, api=api, stream=stream, stream_usage=False) as (model, server, _):
        await model.complete(request())
    assert "stream_options" not in server.asked[0][2]


async def test_params_pass_and_reserved_ones_do_not(api: Any, stream: Any) -> None:
    config = ModelConfig(provider="p", model="m", params={"top_p": 0.5, "x": {"y": [None]}})
    good = http(said(api, stream=stream, text="a"))
    async with talking(good, api=api, stream=stream, config=config) as (model, server, _):
        await model.complete(request())
    assert {k: server.asked[0][2][k] for k in config.params} == config.params
