"""A `ChatRequest` as the bytes of a call of the responses interface.

The system text goes out as a message of role `system` at its place in the input, not as
`instructions`: servers that imitate the interface build a chat from the input, and take
that role wherever they take chats, while `instructions` is refused or ignored by some.
Nothing is stored with the provider and nothing refers to what it may have stored.
"""

from typing import Any

from draligned.models.encode import sent_arguments
from draligned.models.pieces import EncodedRequest, PieceCache, join_body
from draligned.models.reasoning_items import items_before
from draligned.models.toolcalls import sent_name
from draligned.schema.chat import ChatRequest, Message, ToolSpec
from draligned.schema.config import ModelConfig, ProviderConfig

RESERVED = frozenset(
    {
        "background",
        "conversation",
        "input",
        "instructions",
        "messages",
        "model",
        "n",
        "previous_response_id",
        "prompt",
        "store",
        "stream",
        "stream_options",
        "tools",
    }
)
"""Keys of the body that `params` may not set: they are the client's own."""

ENCRYPTED = "reasoning.encrypted_content"


def encode_responses_request(
    request: ChatRequest, config: ModelConfig, provider: ProviderConfig
) -> EncodedRequest:
    """The body of one call.

    The smaller of `max_output_tokens` in `params` and in the request holds. A `text.format`
    in `params` wins over JSON mode; null leaves it out.
    """
    echo = provider.reasoning_content == "echo"
    body: dict[str, Any] = {"model": config.model, "store": False, **config.params}
    body["input"] = _MESSAGES[provider.reasoning_content].array(request.messages)
    if request.tools:
        body["tools"] = _TOOLS.array(request.tools)
    if request.max_output_tokens is not None:
        own = body.get("max_output_tokens")
        limit = request.max_output_tokens
        body["max_output_tokens"] = min(own, limit) if isinstance(own, int) else limit
    if request.seed is not None and (provider.send_seed or provider.kind == "rehearsal"):
        body["seed"] = request.seed
    if echo:
        wanted = body.get("include") or []
        body["include"] = [*wanted, *([] if ENCRYPTED in wanted else [ENCRYPTED])]
    _set_format(body, json_mode=request.json_mode)
    return join_body(body)


def _set_format(body: dict[str, Any], *, json_mode: bool) -> None:
    text = body.get("text", {})
    if json_mode and isinstance(text, dict):
        body["text"] = {"format": {"type": "json_object"}, **text}
    if body.get("text", "") is None:
        del body["text"]


def encode_flat_tool(tool: ToolSpec) -> dict[str, Any]:
    """A tool as this interface declares it; `strict` would refuse schemas that we leave open."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


def encode_items(message: Message, *, echo: bool) -> list[dict[str, Any]]:
    """One message as input items, with its reasoning before what it led to."""
    if message.role == "tool":
        output = {"call_id": message.tool_call_id, "output": message.text or ""}
        return [{"type": "function_call_output", **output}]
    if message.role != "assistant":
        return [_said(message)]
    before = items_before(message) if echo else {}
    items = before.get(-1, [])
    if message.text or not message.tool_calls:
        items = [*items, _said(message)]
    for number, call in enumerate(message.tool_calls):
        items = [*items, *before.get(number, [])]
        items.append(
            {
                "type": "function_call",
                "call_id": call.call_id,
                "name": sent_name(call.name),
                "arguments": sent_arguments(call.arguments),
            }
        )
    return items


def _said(message: Message) -> dict[str, Any]:
    return {"type": "message", "role": message.role, "content": message.text or ""}


_MESSAGES = {
    "echo": PieceCache[Message](lambda m: encode_items(m, echo=True)),
    "drop": PieceCache[Message](lambda m: encode_items(m, echo=False)),
}
_TOOLS = PieceCache[ToolSpec](lambda t: [encode_flat_tool(t)])
