"""The app through the client, over loopback, and what two instances have in common."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
import uvicorn

from draligned.models.factory import build_models, close_models
from draligned.models.protocol import ChatModel
from draligned.models.turn import TurnKind, take_turn
from draligned.rehearsal.app import NOTICE, make_app
from draligned.rehearsal.serve import serve
from draligned.schema.chat import AttemptRecord, CallKey, ChatReply, ChatRequest, Message, ToolSpec
from draligned.schema.config import ModelConfig, ProviderConfig, StudyConfig
from draligned.schema.errors import RequestRefused

from .doubles import COUPLED, EN, HITS, ZH

TOOLS = tuple(
    ToolSpec(name=t["function"]["name"], description="", parameters=t["function"]["parameters"])
    for t in COUPLED
)


def model_of(
    provider: ProviderConfig | None = None, model: str = "rehearsal-agent-a", **params: Any
) -> tuple[ChatModel, list[AttemptRecord]]:
    attempts: list[AttemptRecord] = []
    config = StudyConfig(
        providers={"rehearsal": provider or ProviderConfig(kind="rehearsal")},
        models={"m": ModelConfig(provider="rehearsal", model=model, params=params)},
    )
    made = build_models(config, ["m"], purpose="agent", record=attempts.append, app=make_app())
    return made["m"], attempts


async def walk(model: ChatModel, user: str, seed: int) -> list[ChatReply]:
    """All replies of an episode."""
    messages = [Message(role="system", text="Research."), Message(role="user", text=user)]
    replies = []
    for sequence in range(60):
        key = CallKey(owner="r", attempt=1, sequence=sequence)
        asked = ChatRequest(key=key, messages=tuple(messages), tools=TOOLS, seed=seed)
        turn = await take_turn(model, asked)
        replies.append(turn.reply)
        messages.append(turn.reply.message)
        if turn.kind is not TurnKind.CALLS:
            return replies
        for call in turn.reply.message.tool_calls:
            messages.append(Message(role="tool", text=HITS, tool_call_id=call.call_id))
    raise AssertionError("the episode never ended")


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The app on loopback; its base URL."""
    urls: list[str] = []
    stopped: list[uvicorn.Server] = []
    run = uvicorn.Server.run

    def remember(server: uvicorn.Server, sockets: Any = None) -> None:
        stopped.append(server)
        run(server, sockets)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uvicorn.Server, "run", remember)
        thread = threading.Thread(target=serve, kwargs={"ready": urls.append})
        thread.start()
        while not (stopped and stopped[0].started):
            time.sleep(0.01)
    yield urls[0]
    stopped[0].should_exit = True
    thread.join()


@pytest.mark.parametrize("user", [ZH, EN])
async def test_two_instances_give_the_same_episode(user: str) -> None:
    one, _ = model_of()
    two, _ = model_of()
    assert await walk(one, user, 5) == await walk(two, user, 5)
    await close_models([one, two])


async def test_together_or_one_by_one_is_the_same() -> None:
    model, _ = model_of()
    together = await asyncio.gather(*(walk(model, ZH, seed) for seed in range(6)))
    alone = [await walk(model, ZH, seed) for seed in range(6)]
    assert together == alone


async def test_loopback_and_in_process_are_the_same(served: str) -> None:
    near, _ = model_of()
    far, attempts = model_of(ProviderConfig(kind="rehearsal", base_url=served))
    assert await walk(near, EN, 9) == await walk(far, EN, 9)
    assert all(a.outcome == "ok" and a.cost is None for a in attempts)
    await close_models([near, far])


async def test_replies_say_what_they_are() -> None:
    model, _ = model_of()
    (first, *_) = await walk(model, ZH, 1)
    assert first.echoed_model == first.requested_model == "rehearsal-agent-a"
    assert first.usage.input_tokens > 0
    assert not first.usage.estimated
    transport = httpx2.ASGITransport(make_app())
    async with httpx2.AsyncClient(transport=transport, base_url="http://r") as client:
        listed = (await client.get("/v1/models")).json()["data"]
        body = {"model": "rehearsal-agent-a", "messages": [{"role": "user", "content": "x"}]}
        reply = (await client.post("/v1/chat/completions", json=body)).json()
    assert {m["owned_by"] for m in listed} == {NOTICE}
    assert "no evidence about any language model" in NOTICE
    assert reply["system_fingerprint"] == "rehearsal"


async def test_streaming_gives_the_same_text_and_calls(served: str) -> None:
    client = openai.AsyncOpenAI(api_key="none", base_url=served, max_retries=0)
    asked: dict[str, Any] = {
        "model": "rehearsal-agent-a",
        "messages": [{"role": "user", "content": ZH}],
        "seed": 2,
    }
    for tools in ({}, {"tools": COUPLED}):
        whole = await client.chat.completions.create(**asked, **tools)
        text, arguments, finish = "", "", None
        async for chunk in await client.chat.completions.create(**asked, **tools, stream=True):
            (choice,) = chunk.choices
            text += choice.delta.content or ""
            for call in choice.delta.tool_calls or ():
                arguments += call.function.arguments
            finish = choice.finish_reason or finish
        message = whole.choices[0].message
        assert text == (message.content or "")
        assert arguments == "".join(c.function.arguments for c in message.tool_calls or ())
        assert finish == whole.choices[0].finish_reason
    await client.close()


def _told(model: str, text: str, **more: Any) -> bytes:
    body = {"model": model, "messages": [{"role": "user", "content": text}], **more}
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "not JSON"),
        (b"[]", 400, "names no model"),
        (b'{"model": "rehearsal-agent"}', 400, "no messages"),
        (b'{"model": "rehearsal-agent", "messages": ["x"]}', 400, "not an object"),
        (b'{"model": "gpt", "messages": [{}]}', 404, "no model 'gpt'"),
        (b'{"model": "rehearsal-reader", "messages": [{}]}', 400, "no JSON object"),
        (_told("rehearsal-agent", "x", tools=[None]), 400, "tool is not declared"),
        (_told("rehearsal-agent", "x", tools={"a": 1}), 400, "tool is not declared"),
        (_told("rehearsal-agent", "x", tools=[{"function": {"name": 1}}]), 400, "not declared"),
        (
            _told("rehearsal-agent", "x", tools=[{"function": {"name": "x", "parameters": "y"}}]),
            400,
            "not declared",
        ),
        (_told("rehearsal-reader", '{"kind": "document", "paragraphs": 5}'), 400, "numbered"),
        (
            _told("rehearsal-reader", '{"kind": "requests", "requests": [{"no": 1}]}'),
            400,
            "numbered",
        ),
        (_told("rehearsal-reader", '{"kind": []}'), 400, "neither requests"),
    ],
)
async def test_requests_that_are_not_understood(body: bytes, status: int, said: str) -> None:
    transport = httpx2.ASGITransport(make_app())
    async with httpx2.AsyncClient(transport=transport, base_url="http://r") as client:
        answer = await client.post("/v1/chat/completions", content=body)
    assert answer.status_code == status
    assert said in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"requests_min": 9, "requests_max": 2}, "requests_min is larger"),
        ({"final": {"own": 0.7, "other": 0.7}}, "sum to more than 1"),
        ({"finall": {}}, "rehearsal.finall"),
        ({"submit": 0, "text": 0, "empty": 0, "length": 0}, "no weight"),
    ],
)
async def test_mistakes_in_planted_behaviour_are_refused(fields: dict[str, Any], said: str) -> None:
    model, _ = model_of(rehearsal=fields)
    with pytest.raises(RequestRefused, match=said):
        await walk(model, ZH, 1)


async def test_half_a_surrogate_pair_in_a_task_is_no_failure() -> None:
    user = "任务：\n演讲\ud83d\n\n用户背景：\n（无）\n\n用户情况：\n我目前常住杭州。"
    body = _told("rehearsal-agent", user, tools=COUPLED)
    transport = httpx2.ASGITransport(make_app())
    async with httpx2.AsyncClient(transport=transport, base_url="http://app") as client:
        for _ in range(2):
            reply = await client.post("/v1/chat/completions", content=body)
            assert reply.status_code == 200
            assert reply.json()["choices"]
            body = _told("rehearsal-agent", user)


def test_other_paths_are_not_found() -> None:
    async def get() -> int:
        transport = httpx2.ASGITransport(make_app())
        async with httpx2.AsyncClient(transport=transport, base_url="http://r") as client:
            return (await client.get("/v1/nothing")).status_code

    assert asyncio.run(get()) == 404
