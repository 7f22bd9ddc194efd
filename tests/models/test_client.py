"""The client over a provider: ledger, keys, time-outs, identity."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from draligned.models.client import OpenAIChatModel
from draligned.schema.chat import AttemptRecord, ChatReply, Message
from draligned.schema.config import AttemptPolicy, ModelConfig, ProviderConfig
from draligned.schema.errors import ConfigError, DralignedError, ProviderError, RequestRefused

from .doubles import OK, Said, completion, request, rig

KEY = "sk-secret-0123456789"


class Handler(BaseHTTPRequestHandler):
    """Answers every POST with what the server carries; remembers the headers."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        server: Any = self.server
        server.seen.append({k.lower(): v for k, v in self.headers.items()})
        self.send_response(server.said.status)
        self.send_header("Content-Length", str(len(server.said.body)))
        self.end_headers()
        self.wfile.write(server.said.body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(said: Said) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A provider on loopback: its base URL, and the headers it saw."""
    server: Any = HTTPServer(("127.0.0.1", 0), Handler)
    server.said, server.seen = said, []
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", server.seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def ask(base_url: str, **fields: Any) -> tuple[str | None, list[AttemptRecord]]:
    """The text of one reply and the attempts, or the typed error."""
    reply, attempts = await asked(base_url, **fields)
    return reply.message.text, attempts


async def asked(base_url: str, **fields: Any) -> tuple[ChatReply, list[AttemptRecord]]:
    """One reply and the attempts, or the typed error."""
    attempts: list[AttemptRecord] = []
    provider = ProviderConfig(
        kind="openai", base_url=base_url, attempts=AttemptPolicy(tries=1), **fields
    )
    model = OpenAIChatModel(
        "m",
        ModelConfig(provider="p", model="wanted"),
        "p",
        provider,
        record=attempts.append,
        purpose="agent",
    )
    try:
        return await model.complete(request()), attempts
    finally:
        await model.aclose()


async def test_the_key_goes_to_the_provider_and_nothing_else_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/elsewhere")
    with serving(OK) as (url, seen):
        text, _ = await ask(url, api_key_env="LAB_KEY")
    assert text == "fine"
    assert seen[0]["authorization"] == f"Bearer {KEY}"
    assert "org-of-somebody" not in json.dumps(seen)


async def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAB_KEY", raising=False)
    with pytest.raises(ConfigError, match="environment variable LAB_KEY"):
        await ask("http://127.0.0.1:9/v1", api_key_env="LAB_KEY")


@pytest.mark.parametrize("status", [400, 401, 403, 500])
async def test_a_key_that_the_provider_repeats_is_taken_out(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    body = json.dumps({"error": {"message": f"bad key {KEY}"}}).encode()
    with serving(Said(status, body)) as (url, _), pytest.raises(DralignedError) as caught:
        await ask(url, api_key_env="LAB_KEY")
    assert KEY not in str(caught.value)
    assert "[key]" in str(caught.value)
    if status in (401, 403):
        assert "LAB_KEY" in str(caught.value)


async def test_a_key_is_taken_out_of_what_a_model_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    call = {"id": KEY, "function": {"name": "search", "arguments": f'{{"query": "{KEY}"}}'}}
    message = {"content": f"x {KEY} y", "tool_calls": [call], "reasoning_content": KEY}
    with serving(completion({"role": "assistant", **message})) as (url, _):
        reply, _ = await asked(url, api_key_env="LAB_KEY")
    assert KEY not in reply.to_json()
    assert reply.message.text == "x [key] y"
    assert reply.message.tool_calls[0].arguments == '{"query": "[key]"}'
    assert reply.sanitised


async def test_a_placeholder_of_a_key_may_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_KEY", "EMPTY")
    with serving(completion({"role": "assistant", "content": "EMPTY"})) as (url, _):
        assert (await ask(url, api_key_env="LAB_KEY"))[0] == "EMPTY"


async def test_a_provider_that_is_not_there() -> None:
    with pytest.raises(ProviderError, match=r"provider p at 127\.0\.0\.1:9: ConnectError"):
        await ask("http://127.0.0.1:9/v1")


async def test_a_provider_that_never_answers() -> None:
    r = rig(OK, policy=AttemptPolicy(tries=2, timeout_seconds=0.05))

    async def stall() -> None:
        await asyncio.sleep(30)

    r.provider.while_serving = stall
    with pytest.raises(ProviderError, match="no answer in time"):
        await r.model.complete(request())
    assert [a.outcome for a in r.attempts] == ["timeout", "timeout"]


async def test_a_cancelled_call_is_in_the_ledger() -> None:
    r = rig(OK)

    arrived = asyncio.Event()

    async def stall() -> None:
        arrived.set()
        await asyncio.sleep(30)

    r.provider.while_serving = stall
    call = asyncio.create_task(r.model.complete(request()))
    await arrived.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert [a.outcome for a in r.attempts] == ["cancelled"]


async def test_what_the_ledger_holds() -> None:
    r = rig(OK)
    reply = await r.model.complete(request())
    (attempt,) = r.attempts
    assert (attempt.requested_model, attempt.echoed_model) == ("wanted", "echoed")
    assert (attempt.provider, attempt.purpose, attempt.try_no) == ("p", "agent", 1)
    assert (attempt.outcome, attempt.http_status) == ("ok", 200)
    assert attempt.usage == reply.usage
    assert attempt.started_utc == "2026-01-07T12:00:00+00:00"
    assert AttemptRecord.from_json(attempt.to_json()) == attempt


async def test_the_sdk_itself_never_tries_again() -> None:
    r = rig(Said(500, b"", {"x-should-retry": "true"}), policy=AttemptPolicy(tries=1))
    with pytest.raises(ProviderError):
        await r.model.complete(request())
    assert len(r.provider.bodies) == 1


@pytest.mark.parametrize(("mode", "other"), [("drop", "echo"), ("echo", "drop")])
async def test_a_refusal_over_reasoning_names_the_switch(mode: str, other: str) -> None:
    body = b'{"error": {"message": "The reasoning_content is not as expected"}}'
    r = rig(Said(400, body), reasoning_content=mode)
    with pytest.raises(RequestRefused, match=rf'p\.reasoning_content = "{other}"'):
        await r.model.complete(request())


@pytest.mark.parametrize("wanted", ["echo", "drop"])
async def test_either_demand_about_reasoning_can_be_met(wanted: str) -> None:
    """A provider that refuses the follow-up without its reasoning, and one that refuses it with."""
    thinking = completion({"content": "a", "reasoning_content": "hm"})
    refusal = Said(400, b'{"error": {"message": "reasoning_content"}}')
    for mode in ("echo", "drop"):
        r = rig(thinking, reasoning_content=mode)
        first = await r.model.complete(request())
        follow_up = request(
            Message(role="user", text="q"), first.message, Message(role="user", text="go on")
        )
        await r.model.complete(follow_up)
        has = "reasoning_content" in r.provider.bodies[1]["messages"][1]
        r.provider.script = [completion({"content": "b"}) if has == (wanted == "echo") else refusal]
        if mode == wanted:
            assert (await r.model.complete(follow_up)).message.text == "b"
        else:
            with pytest.raises(RequestRefused, match=f'reasoning_content = "{wanted}"'):
                await r.model.complete(follow_up)


async def test_empty_reasoning_goes_back_too_where_it_is_wanted() -> None:
    """Some servers refuse a turn without the field, whatever is in it."""
    r = rig(completion({"content": "a", "reasoning_content": ""}), reasoning_content="echo")
    first = await r.model.complete(request())
    await r.model.complete(request(Message(role="user", text="q"), first.message))
    assert r.provider.bodies[1]["messages"][1]["reasoning_content"] == ""


def test_a_rehearsal_provider_without_an_app_or_an_address() -> None:
    with pytest.raises(ConfigError, match="needs a base_url"):
        OpenAIChatModel(
            "m",
            ModelConfig(provider="p", model="m"),
            "p",
            ProviderConfig(kind="rehearsal"),
            record=lambda _: None,
            purpose="agent",
        )


def test_identity_is_by_content() -> None:
    one = rig(OK, config=ModelConfig(provider="p", model="a")).model
    same = rig(OK, config=ModelConfig(provider="p", model="a", price_in=3.0)).model
    other = rig(OK, config=ModelConfig(provider="p", model="a", params={"top_p": 0.5})).model
    assert one.key == same.key != other.key


def test_making_a_model_does_not_import_the_sdk() -> None:
    code = (
        "import sys, draligned.models.factory; "
        "print('openai' in sys.modules, 'httpx2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"
