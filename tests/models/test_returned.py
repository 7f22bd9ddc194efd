"""Signatures and blocks of reasoning go back where they stood, if the provider wants them."""

import json
from typing import Any

import pytest

from draligned.models.content import Cleaner
from draligned.models.encode import encode_message
from draligned.models.failures import classify
from draligned.models.returned import chat_state
from draligned.models.transport import Broken
from draligned.schema.chat import Message, ToolCall
from draligned.schema.config import ProviderConfig

from .doubles import NOON, request
from .rawserver import http, talking

SIGNED = {"google": {"thought_signature": "c2lnbmVk+/="}}
DETAILS: list[Any] = [
    {"type": "reasoning.text", "text": "Think. 想", "signature": "sig", "index": 0},
    {"type": "reasoning.encrypted", "data": "b3BhcXVl", "index": 1},
]
CALLS: list[Any] = [
    {
        "id": f"c{n}", "type": "function",
        "function": {"name": "search", "arguments": '{"query": "a"}'},
        **({"extra_content": SIGNED} if n == 1 else {}),
    }
    for n in range(2)
]  # fmt: skip
WHOLE = {"role": "assistant", "content": "I look.", "tool_calls": CALLS,
         "reasoning_details": DETAILS}  # fmt: skip


def answered() -> bytes:
    """The message in one piece."""
    choice = {"index": 0, "message": WHOLE, "finish_reason": "tool_calls"}
    return http(json.dumps({"choices": [choice]}))


def streamed() -> bytes:
    """The same in pieces, its signatures at the end of their blocks."""
    begun = {"type": "reasoning.text", "index": 0, "signature": None}
    deltas: list[Any] = [
        {"reasoning_details": [{**begun, "text": "Think. "}]},
        {"reasoning_details": [{**begun, "text": "想"}, "odd"]},
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "sig"}]},
        {"reasoning_details": [{**DETAILS[1], "data": "b3Bh"}]},
        {"reasoning_details": [{**DETAILS[1], "data": "cXVl"}]},
        {"content": "I look.", "reasoning_details": None},
        *({"tool_calls": [{"index": n, **call}]} for n, call in enumerate(CALLS)),
    ]
    chunks = [{"choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    end: Any = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    return http("".join(f"data: {json.dumps(c)}\n\n" for c in (*chunks, end)))


@pytest.mark.parametrize("stream", [False, True])
async def test_what_came_goes_back_with_echo(stream: bool) -> None:
    answer = streamed() if stream else answered()
    async with talking(answer, stream=stream, reasoning_content="echo") as (model, server, _):
        reply = await model.complete(request())
        await model.complete(request(reply.message, Message(role="tool", text="r")))
    sent = next(m for m in server.asked[-1][2]["messages"] if m["role"] == "assistant")
    assert sent["reasoning_details"] == DETAILS
    assert [call.get("extra_content") for call in sent["tool_calls"]] == [None, SIGNED]


@pytest.mark.parametrize("stream", [False, True])
async def test_nothing_of_it_goes_back_otherwise(stream: bool) -> None:
    answer = streamed() if stream else answered()
    async with talking(answer, stream=stream) as (model, server, _):
        reply = await model.complete(request())
        await model.complete(request(reply.message, Message(role="tool", text="r")))
    assert reply.message.reasoning_state is None
    sent = json.dumps(server.asked[-1][2])
    assert "extra_content" not in sent
    assert "reasoning_details" not in sent


@pytest.mark.parametrize(
    "raw",
    [
        {}, {"tool_calls": None}, {"tool_calls": "x"}, {"tool_calls": [None, {}]},
        {"tool_calls": [{"extra_content": "x"}]}, {"reasoning_details": "x"},
        {"reasoning_details": []}, {"reasoning_details": ["x"]},
    ],
)  # fmt: skip
def test_what_is_none_is_not_kept(raw: dict[str, Any]) -> None:
    assert chat_state(raw, Cleaner()) is None


@pytest.mark.parametrize("state", ["", "no JSON", "[]", "3", '{"extra_content": {"7": {}}}',
                                   '[[-1, {"type": "reasoning"}]]'])  # fmt: skip
def test_a_state_of_another_interface_changes_nothing(state: str) -> None:
    call = ToolCall(call_id="c", name="search", arguments="{}")
    message = Message(role="assistant", tool_calls=(call,), reasoning_state=state)
    bare = message.model_copy(update={"reasoning_state": None})
    assert encode_message(message, echo=True) == encode_message(bare, echo=True)


def test_a_refusal_over_a_signature_names_the_switch() -> None:
    said = "Function call is missing a thought_signature in functionCall parts."
    body = json.dumps([{"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}}])
    provider = ProviderConfig(base_url="http://h/v1")
    failed = classify(Broken(kind="status", text=body, status=400), "p", provider, NOON)
    assert failed.detail == (
        f'provider p answered 400: {said} (try providers.p.reasoning_content = "echo" in '
        "study.toml)"
    )
