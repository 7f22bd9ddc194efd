"""The body that goes out, byte for byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from draligned.models.encode import (
    RESERVED,
    UNREAD,
    check_params,
    encode_request,
    sent_arguments,
)
from draligned.schema.chat import Message, ToolCall
from draligned.schema.config import ModelConfig, ProviderConfig
from draligned.schema.errors import ConfigError

from .doubles import request, tool

GOLDEN = Path(__file__).parent / "golden" / "body.json"
OPENAI = ProviderConfig(kind="openai")
TALK = (
    Message(role="system", text="系统"),
    Message(role="user", text="你好 {budget} %s"),
    Message(
        role="assistant",
        tool_calls=(ToolCall(call_id="c1", name="search", arguments='{"query": "a'),),
        reasoning="thought",
    ),
    Message(role="tool", text="结果", tool_call_id="c1"),
    Message(role="assistant", text=None),
)


def body(
    provider: ProviderConfig = OPENAI, params: dict[str, Any] | None = None, **fields: Any
) -> dict[str, Any]:
    config = ModelConfig(provider="p", model="m-1", params=params or {})
    encoded = encode_request(request(*TALK, **fields), config, provider)
    decoded = json.loads(encoded.body)
    assert isinstance(decoded, dict)
    return decoded


def test_the_body_is_the_golden_one() -> None:
    got = body(
        params={"temperature": 0.5},
        tools=(tool("search", "query"),),
        max_output_tokens=100,
        json_mode=True,
    )
    assert got == json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "arguments",
    ["", "null", '["a"]', '{"query": NaN}', '{"a": 1, "a": 2}', "{" * 99_999, '"\ud835"'],
)
def test_arguments_that_are_no_object_go_back_wrapped(arguments: str) -> None:
    assert json.loads(sent_arguments(arguments)) == {UNREAD: arguments}


@pytest.mark.parametrize("arguments", ["{}", ' { "query" : "a" } ', r'{"query": "\ud83c\udf78"}'])
def test_an_object_goes_back_as_it_came(arguments: str) -> None:
    assert sent_arguments(arguments) == arguments


@pytest.mark.parametrize("mode", ["echo", "drop"])
def test_reasoning_goes_back_only_where_the_provider_wants_it(mode: str) -> None:
    provider = ProviderConfig.model_validate({"reasoning_content": mode})
    sent = body(provider)["messages"][2]
    assert sent.get("reasoning_content") == ("thought" if mode == "echo" else None)
    assert ("reasoning_content" in sent) == (mode == "echo")


@pytest.mark.parametrize(
    ("provider", "sent"),
    [
        (ProviderConfig(kind="openai"), False),
        (ProviderConfig(kind="openai", send_seed=True), True),
        (ProviderConfig(kind="rehearsal"), True),
    ],
)
def test_the_seed_is_declared_where_it_is_taken(provider: ProviderConfig, sent: bool) -> None:
    assert body(provider, seed=5).get("seed") == (5 if sent else None)


@pytest.mark.parametrize(
    ("params", "key", "limit"),
    [
        ({}, "max_tokens", 100),
        ({"max_tokens": 40}, "max_tokens", 40),
        ({"max_completion_tokens": 4000}, "max_completion_tokens", 100),
    ],
)
def test_the_smaller_output_limit_holds(params: dict[str, Any], key: str, limit: int) -> None:
    got = body(params=params, max_output_tokens=100)
    assert {k: v for k, v in got.items() if k.startswith("max_")} == {key: limit}


@pytest.mark.parametrize(
    ("params", "sent"),
    [
        ({}, {"type": "json_object"}),
        ({"response_format": {"type": "text"}}, {"type": "text"}),
        ({"response_format": None}, None),
    ],
)
def test_json_mode_gives_way_to_params(params: dict[str, Any], sent: Any) -> None:
    got = body(params=params, json_mode=True)
    assert got.get("response_format") == sent
    assert ("response_format" in got) == (sent is not None)


@pytest.mark.parametrize("key", sorted(RESERVED))
def test_reserved_parameters_are_refused(key: str) -> None:
    with pytest.raises(ConfigError, match=rf"models\.m\.params may not set {key}"):
        check_params("m", {key: 1, "top_p": 1})


def test_equal_requests_have_equal_hashes() -> None:
    config = ModelConfig(provider="p", model="m")
    one = encode_request(request(*TALK), config, OPENAI)
    two = encode_request(request(*TALK), config, OPENAI)
    other = encode_request(request(*TALK, seed=1), config, ProviderConfig(kind="rehearsal"))
    assert one == two
    assert one.sha256 != other.sha256


def test_text_that_slipped_past_the_boundary_still_goes_out() -> None:
    encoded = encode_request(
        request(Message(role="user", text="a\ud835b")),
        ModelConfig(provider="p", model="m"),
        OPENAI,
    )
    assert json.loads(encoded.body)["messages"][0]["content"] == "a�b"
