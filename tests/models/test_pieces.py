"""Bodies joined from parts are those encoded whole, and parts live no longer than their records."""

import gc
import json
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.models.encode import encode_message, encode_request, encode_tool
from draligned.models.encode_responses import (
    ENCRYPTED,
    encode_flat_tool,
    encode_items,
    encode_responses_request,
)
from draligned.models.pieces import PieceCache, piece_of
from draligned.models.tokens import estimate_tokens
from draligned.schema.chat import Message, ToolCall
from draligned.schema.config import ModelConfig, ProviderConfig
from draligned.schema.strictjson import clean_text, dumps

from .doubles import request, tool

TEXT = st.text(st.sampled_from('a"\\/\n\x00\x85\u2028é汉🙂\ud835\udc00'), max_size=8) | st.text(
    max_size=8
)
CALL = st.builds(ToolCall, call_id=TEXT, name=TEXT, arguments=TEXT)
MESSAGE = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    text=st.none() | TEXT,
    tool_calls=st.lists(CALL, max_size=2).map(tuple),
    tool_call_id=st.none() | TEXT,
    reasoning=st.none() | TEXT,
)
OWN = {"model", "messages", "tools", "max_tokens", "seed", "response_format", "store", "input"}
OWN |= {"max_output_tokens", "include", "text"}
TOOLS = (tool("search", "query"), tool("读", "url"))


@settings(deadline=None)
@given(
    messages=st.lists(MESSAGE, min_size=1, max_size=4),
    params=st.dictionaries(TEXT.filter(lambda k: k not in OWN), st.integers() | TEXT, max_size=2),
    reasoning=st.sampled_from(["echo", "drop"]),
)
def test_the_body_is_the_one_encoded_whole(
    messages: list[Message], params: dict[str, Any], reasoning: Literal["echo", "drop"]
) -> None:
    asked = request(*messages, tools=TOOLS, max_output_tokens=9, seed=3)
    provider = ProviderConfig(kind="rehearsal", reasoning_content=reasoning)
    config = ModelConfig(provider="p", model="m", params=params)
    echo = reasoning == "echo"
    chat = {
        "model": "m",
        **params,
        "messages": [encode_message(m, echo=echo) for m in messages],
        "tools": [encode_tool(t) for t in TOOLS],
        "max_tokens": 9,
        "seed": 3,
    }
    responses = {
        "model": "m",
        "store": False,
        **params,
        "input": [item for m in messages for item in encode_items(m, echo=echo)],
        "tools": [encode_flat_tool(t) for t in TOOLS],
        "max_output_tokens": 9,
        "seed": 3,
        **({"include": [ENCRYPTED]} if echo else {}),
    }
    for encode, whole in ((encode_request, chat), (encode_responses_request, responses)):
        text = clean_text(dumps(whole)).text
        for _ in range(2):
            sent = encode(asked, config, provider)
            assert sent.body == text.encode()
            assert sent.tokens == estimate_tokens(text)


def test_a_record_is_encoded_once() -> None:
    asked: list[str | None] = []

    def encode(message: Message) -> list[str | None]:
        asked.append(message.text)
        return [message.text]

    pieces = PieceCache(encode)
    one, same = Message(role="user", text="一"), Message(role="user", text="一")
    assert pieces.of(one) is pieces.of(one)
    assert pieces.of(same) == pieces.of(one)
    assert pieces.of(one.model_copy(update={"text": "二"})).body == '"二"'.encode()
    assert asked == ["一", "一", "二"]


def test_a_piece_goes_with_its_record() -> None:
    pieces: PieceCache[Message] = PieceCache(lambda m: [m.text])
    messages = [Message(role="user", text=str(n)) for n in range(50)]
    pieces.array(messages)
    assert len(pieces) == 50
    del messages[10:]
    gc.collect()
    assert len(pieces) == 10


@pytest.mark.parametrize("number", [0, 1, 3])
def test_an_array_is_its_elements(number: int) -> None:
    pieces: PieceCache[Message] = PieceCache(lambda m: [m.text])
    messages = [Message(role="user", text=f"字{n}") for n in range(number)]
    array, whole = pieces.array(messages), piece_of([m.text for m in messages])
    assert json.loads(array.body) == [m.text for m in messages]
    assert array[:2] == whole[:2]


def test_the_hash_tells_requests_apart() -> None:
    config, provider = ModelConfig(provider="p", model="m"), ProviderConfig(kind="rehearsal")
    asked = [
        request(Message(role="user", text="ab")),
        request(Message(role="user", text="a"), Message(role="user", text="b")),
        request(Message(role="user", text="ab"), seed=1),
        request(Message(role="user", text="ab"), seed=2),
        request(Message(role="user", text="ab"), tools=TOOLS),
        request(Message(role="user", text="ab"), tools=TOOLS[::-1]),
    ]
    assert len({encode_request(a, config, provider).sha256 for a in asked}) == len(asked)
