"""What providers say of why a model stopped, in the words of this project."""

from typing import Any

from draligned.schema.chat import StopReason

_STOPS = {
    StopReason.STOP: ("stop", "end_turn", "eos", "eos_token", "stop_sequence"),
    StopReason.TOOL_CALLS: ("tool_calls", "function_call", "tool_use"),
    StopReason.LENGTH: (
        "length",
        "max_tokens",
        "max_output_tokens",
        "model_length",
        "model_context_window_exceeded",
    ),
    StopReason.CONTENT_FILTER: (
        "content_filter",
        "sensitive",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
    ),
}
_BY_WORD = {word: stop for stop, words in _STOPS.items() for word in words}
_BROKEN_OFF = frozenset(
    {
        "error",
        "network_error",
        "insufficient_system_resource",
        "abort",
        "malformed_function_call",
    }
)


def stop_reason(raw: Any) -> StopReason:
    """The reason behind a `finish_reason`; a word that nobody knows is `other`."""
    return _BY_WORD.get(raw.lower(), StopReason.OTHER) if isinstance(raw, str) else StopReason.OTHER


def broke_off(raw: Any) -> bool:
    """Whether the provider says that it failed on the way: what it wrote is no turn."""
    return isinstance(raw, str) and raw.lower() in _BROKEN_OFF
