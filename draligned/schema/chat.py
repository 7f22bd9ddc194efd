"""Chat messages, requests and replies in the one form that the rooms share."""

from enum import StrEnum
from typing import Any, Literal

from draligned.schema.base import Record


class ToolCall(Record):
    """A tool call as the model sent it; `arguments` is raw text, not parsed."""

    call_id: str
    name: str
    arguments: str


class Message(Record):
    """One message. `text` is normalised; reasoning is kept apart and never shown on."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    reasoning: str | None = None
    reasoning_state: str | None = None
    """Reasoning in the form in which the provider wants it back, as JSON text, opaque to all
    but the interface it came through; kept where the provider's switch is `echo`."""


class ToolSpec(Record):
    """A tool offered to a model; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class StopReason(StrEnum):
    """Why the model stopped writing."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    OTHER = "other"


class Usage(Record):
    """Tokens of one call; `estimated` when the provider did not say."""

    input_tokens: int
    output_tokens: int
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    estimated: bool = False


class CallKey(Record):
    """Which call this is: owner (run or read id), attempt, sequence number."""

    owner: str
    attempt: int
    sequence: int


class ChatRequest(Record):
    """One model call. `seed` is declared to the provider where it takes one."""

    key: CallKey
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int | None = None
    seed: int | None = None
    json_mode: bool = False


class ChatReply(Record):
    """One answered model call."""

    message: Message
    stop: StopReason
    usage: Usage
    requested_model: str
    echoed_model: str | None
    request_sha256: str
    sanitised: bool = False
    """Whether the text boundary had to change anything."""


FailureName = Literal["request_refused", "bad_response", "provider_error"]


class RecordedFailure(Record):
    """How a call failed for good."""

    kind: FailureName
    status: int | None
    message: str


class RecordedCall(Record):
    """What a model call came to, for a replay: a reply, here or in a blob, or a failure."""

    key: CallKey
    requested_model: str
    request_sha256: str
    """Of the body as it was sent."""
    reply: ChatReply | None = None
    reply_sha256: str | None = None
    """The blob that holds a long reply, as JSON."""
    failure: RecordedFailure | None = None


class AttemptRecord(Record):
    """One try of one model or retrieval call, in the attempt ledger."""

    key: CallKey
    purpose: Literal["construct", "review", "agent", "evaluate", "qualify", "progress", "retrieval"]
    provider: str
    requested_model: str
    echoed_model: str | None
    try_no: int
    """1, 2, … of one call."""
    started_utc: str
    """ISO 8601 with offset; empty where nobody knows."""
    seconds: float
    """From the start of this try to its end."""
    waited_seconds: float
    """Time spent in rate limits and back-off before this try, apart from working."""
    outcome: str
    """`ok`, or the kind of failure."""
    http_status: int | None
    usage: Usage | None
    cost: float | None
    """In the price's currency; unknown is null, never 0."""
    currency: str | None = None
    """Of `cost`; null where that is unknown."""
    detail: str = ""
