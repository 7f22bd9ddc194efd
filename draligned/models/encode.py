"""A `ChatRequest` as the bytes that go to an OpenAI-compatible provider.

The body is encoded here: the SDK would walk the whole history again for every turn
(DESIGN §10). Each message and each tool is encoded once in its life (`pieces`).
"""

from functools import lru_cache
from typing import Any

from draligned.models.pieces import EncodedRequest, PieceCache, join_body
from draligned.models.returned import add_state
from draligned.models.toolcalls import sent_name
from draligned.schema.chat import ChatRequest, Message, ToolSpec
from draligned.schema.config import ModelConfig, ProviderConfig
from draligned.schema.errors import ConfigError
from draligned.schema.strictjson import dumps, loads

RESERVED = frozenset({"messages", "tools", "model", "stream", "stream_options", "n"})
"""Keys of the body that `params` may not set: they are the client's own."""

UNREAD = "not_a_json_object"
"""Key under which arguments that are no JSON object go back to the model."""

_LIMIT_KEYS = ("max_completion_tokens", "max_tokens")


def check_params(name: str, params: dict[str, Any], reserved: frozenset[str] = RESERVED) -> None:
    """Raise `ConfigError` where `params` of model `name` would replace the client's own keys."""
    taken = sorted(reserved & params.keys())
    if taken:
        raise ConfigError(f"models.{name}.params may not set {', '.join(taken)}: remove it")


def encode_request(
    request: ChatRequest, config: ModelConfig, provider: ProviderConfig
) -> EncodedRequest:
    """The body of one call.

    `max_output_tokens` goes out as `max_completion_tokens` where `params` names that
    key, else as `max_tokens`; the smaller of both limits holds. A `response_format` in
    `params` wins over JSON mode; null leaves it out, for providers that know none.
    """
    body: dict[str, Any] = {"model": config.model, **config.params}
    body["messages"] = _MESSAGES[provider.reasoning_content].array(request.messages)
    if request.tools:
        body["tools"] = _TOOLS.array(request.tools)
    if request.max_output_tokens is not None:
        _limit_output(body, request.max_output_tokens)
    if request.seed is not None and (provider.send_seed or provider.kind == "rehearsal"):
        body["seed"] = request.seed
    if request.json_mode:
        body.setdefault("response_format", {"type": "json_object"})
    if body.get("response_format", "") is None:
        del body["response_format"]
    return join_body(body)


def _limit_output(body: dict[str, Any], limit: int) -> None:
    key = next((k for k in _LIMIT_KEYS if k in body), "max_tokens")
    own = body.get(key)
    body[key] = min(own, limit) if isinstance(own, int) else limit


def encode_tool(tool: ToolSpec) -> dict[str, Any]:
    """A tool as declared to the provider."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        },
    }


@lru_cache(maxsize=4096)
def sent_arguments(arguments: str) -> str:
    """The arguments of an earlier call as they go back: as they came, if they are an object.

    Many servers refuse a whole history over one call that is none, and the model would
    never read what was wrong with it; such text is wrapped, unchanged, in an object.
    """
    try:
        sound = isinstance(loads(arguments), dict)
    except ValueError:
        sound = False
    return arguments if sound else dumps({UNREAD: arguments})


def encode_message(message: Message, *, echo: bool) -> dict[str, Any]:
    """One message; the assistant's reasoning goes back only where the provider wants it."""
    out: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.role == "tool":
        out["tool_call_id"] = message.tool_call_id
    elif message.role == "assistant":
        _add_assistant_parts(out, message, echo=echo)
    return out


def _add_assistant_parts(out: dict[str, Any], message: Message, *, echo: bool) -> None:
    if message.tool_calls:
        out["tool_calls"] = [
            {
                "id": c.call_id,
                "type": "function",
                "function": {"name": sent_name(c.name), "arguments": sent_arguments(c.arguments)},
            }
            for c in message.tool_calls
        ]
    elif message.text is None:
        out["content"] = ""
    if echo and message.reasoning is not None:
        out["reasoning_content"] = message.reasoning
    if echo and message.reasoning_state is not None:
        add_state(out, message)


_MESSAGES = {
    "echo": PieceCache[Message](lambda m: [encode_message(m, echo=True)]),
    "drop": PieceCache[Message](lambda m: [encode_message(m, echo=False)]),
}
_TOOLS = PieceCache[ToolSpec](lambda t: [encode_tool(t)])
