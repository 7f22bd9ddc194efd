"""Events of an episode: one tagged record a line, chained by hash (DESIGN §4)."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from draligned.schema.base import Record
from draligned.schema.chat import Message, StopReason, Usage
from draligned.schema.endings import EpisodeEnd
from draligned.schema.labels import Channel, Observes
from draligned.schema.retrieval import ReturnStatus


class Opened(Record):
    """The episode began; `messages` are the frozen first messages."""

    kind: Literal["opened"] = "opened"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    messages: tuple[Message, ...]


class CallStarted(Record):
    """A model call went out; without its `ModelTurn` it was in flight when we died."""

    kind: Literal["call_started"] = "call_started"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    request_sha256: str


class ModelTurn(Record):
    """A model answered: the message delta from which the transcript is rebuilt."""

    kind: Literal["model_turn"] = "model_turn"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    message: Message
    stop: StopReason
    usage: Usage
    requested_model: str
    echoed_model: str | None
    sanitised: bool = False


class ModelFailed(Record):
    """A model call failed for good."""

    kind: Literal["model_failed"] = "model_failed"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    failure: str
    http_status: int | None
    detail: str


class ToolCallInvalid(Record):
    """A call that could not be executed; its raw text is kept."""

    kind: Literal["tool_call_invalid"] = "tool_call_invalid"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    call_index: int
    name: str
    arguments: str
    problem: str


class BudgetDenied(Record):
    """A call refused because a budget was used up; it was not executed."""

    kind: Literal["budget_denied"] = "budget_denied"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    call_index: int
    budget: str


class RequestExecuted(Record):
    """An executed search or read (DR-46, DR-54). `request` is the text as sent."""

    kind: Literal["request_executed"] = "request_executed"
    channel: Literal[Channel.ACQUISITION] = Channel.ACQUISITION
    sequence: int
    call_index: int
    request_no: int
    """1, 2, … within the episode."""
    tool: Literal["search", "read"]
    request: str
    return_status: ReturnStatus
    environment_hit: bool | None = None
    parent: int | None = None
    """Request number of the delegation it belongs to, if any."""


class DraftSaved(Record):
    """A workspace version was saved."""

    kind: Literal["draft_saved"] = "draft_saved"
    channel: Literal[Channel.WORKSPACE] = Channel.WORKSPACE
    sequence: int
    call_index: int
    path: str
    text_sha256: str
    chars: int


class Submitted(Record):
    """A submission by tool was accepted."""

    kind: Literal["submitted"] = "submitted"
    channel: Literal[Channel.FINALIZATION] = Channel.FINALIZATION
    sequence: int
    call_index: int
    text_sha256: str
    chars: int
    path: str | None = None


class TextReply(Record):
    """The closing reply without a tool call carried text."""

    kind: Literal["text_reply"] = "text_reply"
    channel: Literal[Channel.FINALIZATION] = Channel.FINALIZATION
    sequence: int
    text_sha256: str
    chars: int


class ToolResult(Record):
    """What the agent was shown for a call; one for every call id of a turn."""

    kind: Literal["tool_result"] = "tool_result"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    call_index: int
    call_id: str
    text_sha256: str


class Ended(Record):
    """The episode ended; nothing follows."""

    kind: Literal["ended"] = "ended"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    end: EpisodeEnd


Body = Annotated[
    Opened | CallStarted | ModelTurn | ModelFailed | ToolCallInvalid | BudgetDenied
    | RequestExecuted | DraftSaved | Submitted | TextReply | ToolResult | Ended,
    Field(discriminator="kind"),
]  # fmt: skip
BODY: TypeAdapter[Body] = TypeAdapter(Body)


class Event(Record):
    """One line of events.jsonl. Order is `seq`; clocks are information only."""

    seq: int
    utc: str
    mono: float
    prev: str
    """SHA-256 of the line before, 64 zeros for the first."""
    body: Body


class RunHeader(Record):
    """header.json of an attempt: identities, sources and versions; no clock decides anything."""

    run_id: str
    attempt: int
    condition_id: str
    design_sha256: str
    model_name: str
    model_key: str
    requested_model: str
    harness_name: str
    harness_key: str
    environment: str
    replicate: int
    source: Literal["harness", "gateway", "import"] = "harness"
    observes: dict[Channel, Observes]
    rehearsal: bool
    started_utc: str
    versions: dict[str, str]


class Seal(Record):
    """seal.json: the log is complete and this is its last hash."""

    run_id: str
    attempt: int
    n_events: int
    last_sha256: str
    end: EpisodeEnd
