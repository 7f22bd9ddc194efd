"""Events of an episode: one tagged record a line, chained by hash (DESIGN §4)."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from draligned.schema.base import Record
from draligned.schema.chat import Message, StopReason, Usage
from draligned.schema.config import ModelsMode, RetrievalMode
from draligned.schema.endings import EpisodeEnd
from draligned.schema.labels import Channel, Observes
from draligned.schema.refusals import RefusalReason
from draligned.schema.retrieval import Flag, ReturnStatus


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
    """Whether the answer had been recorded before; none where nothing is recorded."""
    age_seconds: float | None = None
    """How old the recorded answer was."""
    first_fetcher: str | None = None
    """The run whose request was recorded."""
    flags: tuple[Flag, ...] = ()
    parent: int | None = None
    """Number of the delegation it belongs to, if any (DR-25)."""


class DraftSaved(Record):
    """A version of a document or file was saved in the workspace."""

    kind: Literal["draft_saved"] = "draft_saved"
    channel: Literal[Channel.WORKSPACE] = Channel.WORKSPACE
    sequence: int
    call_index: int
    path: str
    text_sha256: str
    chars: int
    tool: str = "write_report"
    """The tool that saved it; `write_report` saves the one document of its harness."""


class WorkspaceRead(Record):
    """The agent listed its files or read one of them."""

    kind: Literal["workspace_read"] = "workspace_read"
    channel: Literal[Channel.WORKSPACE] = Channel.WORKSPACE
    sequence: int
    call_index: int
    tool: Literal["list_files", "read_file"]
    path: str | None = None


class SavedFile(Record):
    """A file as code left it."""

    path: str
    text_sha256: str
    chars: int


class CodeRun(Record):
    """Code ran in the sandbox: how it ended, what it printed, and the files it changed."""

    kind: Literal["code_run"] = "code_run"
    channel: Literal[Channel.WORKSPACE] = Channel.WORKSPACE
    sequence: int
    call_index: int
    exit: Literal["ok", "error", "timeout", "killed"]
    output_sha256: str
    saved: tuple[SavedFile, ...] = ()
    removed: tuple[str, ...] = ()


class ToolRefused(Record):
    """A tool ran and refused what it was asked for; it spent a tool action and changed nothing."""

    kind: Literal["tool_refused"] = "tool_refused"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    call_index: int
    tool: str
    path: str | None
    reason: RefusalReason


class AccessDenied(Record):
    """A call that its context may not make (DR-26); it was not executed and cost nothing."""

    kind: Literal["access_denied"] = "access_denied"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    call_index: int
    tool: str
    context: str
    """The context that asked: `loop`, mechanisms joined by `+`, or `delegation`."""
    lacks: str
    """The capability it lacks, or `tool` where the tool is not offered there."""


class DelegationOpened(Record):
    """A sub-context began; what follows belongs to it until it is closed (DR-25)."""

    kind: Literal["delegation_opened"] = "delegation_opened"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    sequence: int
    call_index: int
    number: int
    """1, 2, … within the episode."""
    messages: tuple[Message, ...]


class DelegationClosed(Record):
    """The sub-context ended; its answer is the result of the call that opened it."""

    kind: Literal["delegation_closed"] = "delegation_closed"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    number: int
    reason: Literal["answered", "empty", "length_cut", "filtered", "loop_guard", "budget"]
    text_sha256: str | None
    """Its closing text; none unless it answered."""


class HandedOver(Record):
    """One stage ended and the next began in a fresh context (DR-20)."""

    kind: Literal["handed_over"] = "handed_over"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    to: str
    """Mechanisms of the stage that begins, joined by `+`."""
    source: Literal["reply", "draft", "none"]
    """What was handed over: the closing text, the last draft, or nothing."""
    text_sha256: str | None
    messages: tuple[Message, ...]


class UserTurn(Record):
    """The harness spoke as the user: a turn of the script, or a gate's re-prompt."""

    kind: Literal["user_turn"] = "user_turn"
    channel: Literal[Channel.CONTROL] = Channel.CONTROL
    origin: Literal["scripted", "gate"]
    number: int
    """1, 2, … among turns of that origin."""
    text: str


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
    | AccessDenied | RequestExecuted | DraftSaved | WorkspaceRead | CodeRun | ToolRefused
    | DelegationOpened | DelegationClosed | HandedOver | UserTurn | Submitted | TextReply
    | ToolResult | Ended,
    Field(discriminator="kind"),
]  # fmt: skip
BODY: TypeAdapter[Body] = TypeAdapter(Body)


class Event(Record):
    """One line of events.jsonl. Order is `seq`; clocks are information only."""

    seq: int
    """0, 1, … within the log."""
    utc: str
    """ISO 8601 with offset, to the millisecond."""
    mono: float
    """Monotonic clock in seconds; its zero is the process's own."""
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
    delegation_offered: bool = False
    """Whether the harness offers delegation; that it was used is an event (DR-25)."""
    progress_duty: bool = False
    """Whether a stage tag was asked for in every turn; such tags are in no observed text."""
    api: Literal["chat", "responses"] = "chat"
    streamed: bool = False
    reasoning_content: Literal["echo", "drop"] = "drop"
    """How the provider was spoken to."""
    retrieval: RetrievalMode = "live"
    models: ModelsMode = "live"
    """Whether answers and replies came afresh or from a record when the attempt began."""
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
