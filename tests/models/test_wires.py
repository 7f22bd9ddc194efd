"""The client over loopback, over every wire: what providers, proxies and broken lines send."""

import asyncio
import gzip
import zlib
from typing import Any

import pytest

from draligned.schema.chat import StopReason
from draligned.schema.config import AttemptPolicy
from draligned.schema.errors import BadResponse, ProviderError, RequestRefused

from .doubles import request, tool
from .rawserver import WIRES, chunked, http, said, talking

pytestmark = pytest.mark.parametrize(("api", "stream"), WIRES)

SSE = "text/event-stream"
CALLS = [("c1", "search", '{"query": "演讲"}'), ("c1", "read", "{}"), ("", "search", "[1]")]


async def test_the_same_reply_over_every_wire(api: Any, stream: Any) -> None:
    raw = said(api, stream=stream, text="你好\u2028🍸", calls=CALLS)
    async with talking(http(raw), api=api, stream=stream) as (model, server, ledger):
        reply = await model.complete(request(tools=(tool("search", "query"),)))
    assert reply.message.text == "你好\u2028🍸"
    assert [(c.call_id, c.name, c.arguments) for c in reply.message.tool_calls] == CALLS
    assert (reply.stop, reply.echoed_model) == (StopReason.TOOL_CALLS, "echoed")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (9, 4)
    assert [(a.outcome, a.http_status, a.usage) for a in ledger] == [("ok", 200, reply.usage)]
    ((path, headers, body),) = server.asked
    assert path == ("/v1/responses" if api == "responses" else "/v1/chat/completions")
    assert body.get("stream", False) is stream
    assert body.get("stream_options") == (
        {"include_usage": True} if (api, stream) == ("chat", True) else None
    )
    assert headers["content-type"] == "application/json"


@pytest.mark.parametrize("size", [1, 5, 4096])
async def test_bodies_in_chunks_of_any_size(api: Any, stream: Any, size: int) -> None:
    raw = said(api, stream=stream, text="你好 🍸", calls=CALLS[:1])
    pieces = [raw[i : i + size] for i in range(0, len(raw), size)]
    async with talking(chunked(*pieces), api=api, stream=stream) as (model, _, _):
        reply = await model.complete(request())
    assert reply.message.text == "你好 🍸"
    assert len(reply.message.tool_calls) == 1


async def test_what_was_not_asked_for_is_taken_too(api: Any, stream: Any) -> None:
    for kind in (SSE, "application/json", "text/plain"):
        other = http(said(api, stream=not stream, text="a"), Content_Type=kind)
        async with talking(other, api=api, stream=stream) as (model, _, _):
            assert (await model.complete(request())).message.text == "a"


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_packed_bodies(api: Any, stream: Any, coding: str) -> None:
    raw = said(api, stream=stream, text="a")
    packed = gzip.compress(raw) if coding == "gzip" else zlib.compress(raw)
    answer = http(packed, Content_Encoding=coding)
    async with talking(answer, api=api, stream=stream) as (model, _, _):
        assert (await model.complete(request())).message.text == "a"


async def test_a_body_after_a_mark_and_blank_lines(api: Any, stream: Any) -> None:
    answer = http(b"\xef\xbb\xbf\n\r\n \n" + said(api, stream=stream, text="a"))
    async with talking(answer, api=api, stream=stream) as (model, _, _):
        assert (await model.complete(request())).message.text == "a"


def cut_streams(api: str) -> list[Any]:
    """Answers that end before they are whole."""
    raw = said(api, stream=True, text="half", calls=CALLS[:1])
    last = raw.index(b'"stop"') if b'"stop"' in raw else raw.rindex(b"data: ", 0, -16)
    cut = raw[: min(last, raw.rindex(b'"finish_reason": "tool') if api == "chat" else last) - 40]
    return [
        http(cut, Content_Type=SSE),
        http(cut, length=len(raw), Content_Type=SSE),
        chunked(cut, whole=False, Content_Type=SSE),
        chunked(cut, Content_Type=SSE),
        http(b"", Content_Type=SSE),
        http(b": keep-alive\n\n: keep-alive\n\n"),
        http(said(api, stream=False, text="half"), length=10_000),
        chunked(said(api, stream=False, text="half")[:-9], whole=False),
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"no http at all\r\n\r\n",
    ]


@pytest.mark.parametrize("number", range(11))
async def test_a_cut_is_a_transport_failure_and_never_a_shorter_reply(
    api: Any, stream: Any, number: int
) -> None:
    bad = cut_streams(api)[number]
    good = http(said(api, stream=stream, text="whole"))
    async with talking(bad, good, api=api, stream=stream) as (model, _, ledger):
        assert (await model.complete(request())).message.text == "whole"
    assert [(a.outcome, a.http_status, a.usage is None) for a in ledger] == [
        ("connection", None, True),
        ("ok", 200, False),
    ]


BAD = {
    "empty": http(),
    "204": b"HTTP/1.1 204 No Content\r\n\r\n",
    "html": http(b"<html>sign in</html>", Content_Type="text/html"),
    "plain": http(b"unsupported model: x"),
    "list": http(b"[]"),
    "null": http(b"null"),
    "text": http(b'"a"'),
    "truncated": http(b'{"choices": [{"message": {"content": "a'),
    "events": http(b"data: {broken\n\n", Content_Type=SSE),
    "latin": http(b'{"choices": [{"message": {"content": "\xe9"}}]}'),
    "deep": http(b'{"choices": ' * 3_000 + b"1" + b"}" * 3_000),
    "error": http(b'{"error": {"message": "overloaded"}}'),
    "error_text": http(b'{"error": "overloaded"}'),
    "error_event": http(b'data: {"error": {"message": "overloaded"}}\n\n'),
    "named_error": http(b'event: error\ndata: {"message": "overloaded"}\n\n'),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_200_that_is_no_answer_is_tried_again(api: Any, stream: Any, name: str) -> None:
    good = http(said(api, stream=stream, text="whole"))
    async with talking(BAD[name], good, api=api, stream=stream) as (model, _, ledger):
        assert (await model.complete(request())).message.text == "whole"
    assert [a.outcome for a in ledger] == ["bad_response", "ok"]
    async with talking(BAD[name], api=api, stream=stream, tries=2) as (model, _, ledger):
        with pytest.raises(BadResponse, match="after 2 tries"):
            await model.complete(request())


async def test_bytes_that_lie_about_their_packing(api: Any, stream: Any) -> None:
    good = said(api, stream=stream, text="whole")
    lie = http(good, Content_Encoding="gzip")
    async with talking(lie, http(good), api=api, stream=stream) as (model, _, ledger):
        assert (await model.complete(request())).message.text == "whole"
    assert [a.outcome for a in ledger] == ["connection", "ok"]
    refusal = http(b"plain", 400, Content_Encoding="gzip")
    async with talking(refusal, http(good), api=api, stream=stream) as (model, _, ledger):
        with pytest.raises(RequestRefused, match="answered 400"):
            await model.complete(request())
    assert [(a.outcome, a.http_status) for a in ledger] == [("refused", 400)]


@pytest.mark.parametrize("kind", ["plain", "gzip", "events", "error"])
async def test_answers_without_end_are_given_up(
    api: Any, stream: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("draligned.models.incoming.MAX_BODY_BYTES", 1 << 20)
    megabyte = b" " * (1 << 20)
    packed = gzip.compress(b'{"a": "' + b"x" * (1 << 24))
    answers: dict[str, Any] = {
        "plain": chunked(b'{"a": "', *[megabyte] * 40, whole=False),
        "gzip": http(packed, Content_Encoding="gzip"),
        "events": chunked(b"data: ", *[megabyte] * 40, whole=False),
        "error": [http(b"", 500, length=1 << 40), *[megabyte] * 40],
    }
    async with talking(answers[kind], api=api, stream=stream, tries=1) as (model, server, ledger):
        said_so = "answered 500" if kind == "error" else "longer than 1048576 bytes"
        with pytest.raises(ProviderError, match=said_so):
            await model.complete(request())
    assert server.written < 20 * len(megabyte)
    outcome = "server_error" if kind == "error" else "bad_response"
    assert [a.outcome for a in ledger] == [outcome]


async def test_cancelled_in_flight(api: Any, stream: Any) -> None:
    raw = said(api, stream=stream, text="a")
    half = chunked(raw[: len(raw) // 2], whole=False)
    async with talking(half, api=api, stream=stream) as (model, server, ledger):
        arrived = asyncio.Event()

        async def stall() -> None:
            arrived.set()
            await asyncio.sleep(30)

        server.before_answer = stall
        call = asyncio.create_task(model.complete(request()))
        await arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert [a.outcome for a in ledger] == ["cancelled"]


async def test_a_stream_that_only_says_that_it_lives(api: Any, stream: Any) -> None:
    policy = AttemptPolicy(tries=2, backoff_seconds=0.0, timeout_seconds=0.2)
    alive = chunked(*[b": alive\n\n"] * 10, whole=False)
    async with talking(alive, api=api, stream=stream, policy=policy) as (model, server, ledger):
        server.script = [[*alive, *([b"b\r\n: alive\n\n\n\n\r\n"] * 2_000_000)]]
        with pytest.raises(ProviderError):
            await model.complete(request())
    assert [a.outcome for a in ledger] == ["timeout", "timeout"]
