"""The episode's state as a fold over its events: the same live and after a kill.

Contexts, messages, counters, drafts, the last submission and the loop guards' counts
are built here and nowhere else, so that a resumed episode cannot differ from one
that was never interrupted (DESIGN §4, DR-15). The loop is a stack of contexts: a
delegation lies on top of the context that called it until it is closed.
"""

from collections.abc import Iterable

from draligned.harnesses.budget import EpisodeLedger
from draligned.harnesses.call_ids import fresh_id, is_usable
from draligned.harnesses.conversation import Conversation
from draligned.harnesses.outcomes import CallOutcome, is_broken, is_executed
from draligned.harnesses.stages import DELEGATION, stages
from draligned.schema.chat import Message, ToolCall
from draligned.schema.endings import EpisodeEnd
from draligned.schema.errors import DamageError
from draligned.schema.events import (
    Body,
    BudgetDenied,
    CallStarted,
    CodeRun,
    DelegationClosed,
    DelegationOpened,
    DraftSaved,
    Ended,
    Event,
    HandedOver,
    ModelFailed,
    ModelTurn,
    Opened,
    RequestExecuted,
    Submitted,
    TextReply,
    ToolResult,
    UserTurn,
)
from draligned.schema.harness import HarnessSpec
from draligned.store.blobs import Blobs


class EpisodeState:
    """All that is known of an episode. Each `apply` costs as much as its event is long."""

    def __init__(self, spec: HarnessSpec, blobs: Blobs) -> None:
        self._blobs = blobs
        self._call_ids: set[str] = set()
        self.contexts: list[Conversation] = [Conversation(stages(spec)[0].name)]
        self.stage = 0
        """Index of the stage that runs, among those of the harness."""
        self.ledger = EpisodeLedger(spec.budget)
        self.calls = 0
        """Sequence number of the last model call, from 1."""
        self.in_flight = False
        """Whether that call has not been answered yet."""
        self.requests = 0
        self.delegations = 0
        self.scripted = 0
        """Turns of the script that the harness has spoken."""
        self.reprompts = 0
        """Re-prompts of the gate so far."""
        self.reprompts_in_a_row = 0
        """Those since the last turn with a call."""
        self.saved: dict[str, str] = {}
        """SHA-256 of the text saved at every path."""
        self.draft: DraftSaved | None = None
        """The version saved last."""
        self.submission: Submitted | None = None
        self.reply: TextReply | None = None
        self.denied: BudgetDenied | None = None
        """The first call that crossed a budget."""
        self.failure: ModelFailed | None = None
        self.end: EpisodeEnd | None = None

    @property
    def top(self) -> Conversation:
        """The context that speaks with the model now."""
        return self.contexts[-1]

    def apply(self, body: Body, text: str | None = None) -> None:
        """Fold one event in. `text` saves looking up a tool result's blob."""
        match body:
            case CallStarted():
                self.calls, self.in_flight = body.sequence, True
            case ModelTurn():
                self._turn(body)
            case ModelFailed():
                self.failure, self.in_flight = body, False
            case ToolResult():
                self._result(body, text)
            case TextReply():
                self.reply = body
            case Ended():
                self.end = body.end
            case Opened() | HandedOver() | UserTurn() | DelegationClosed():
                self._speak(body)
            case _:
                self._outcome(body)

    def with_new_ids(self, message: Message, sequence: int) -> Message:
        """`message` with unusable and repeated call ids replaced, so that results name one call."""
        seen = set(self._call_ids)
        calls: list[ToolCall] = []
        for index, call in enumerate(message.tool_calls):
            call_id = call.call_id
            if not is_usable(call_id) or call_id in seen:
                call_id = fresh_id(sequence, index, seen)
                call = call.model_copy(update={"call_id": call_id})
            seen.add(call_id)
            calls.append(call)
        if tuple(calls) == message.tool_calls:
            return message
        return message.model_copy(update={"tool_calls": tuple(calls)})

    def _turn(self, body: ModelTurn) -> None:
        self._call_ids.update(c.call_id for c in body.message.tool_calls)
        self.top.take(body)
        self.ledger.charge_turn(body.usage)
        self.in_flight = False
        if body.message.tool_calls:
            self.reprompts_in_a_row = 0

    def _speak(self, body: Opened | HandedOver | UserTurn | DelegationClosed) -> None:
        """Whatever begins a context, ends one, or speaks as the user."""
        match body:
            case Opened():
                self._begin(self.top, body.messages)
            case HandedOver():
                self.stage += 1
                self.contexts[-1] = Conversation(body.to)
                self._begin(self.top, body.messages)
            case UserTurn(origin="scripted"):
                self.scripted = body.number
                self._user(body.text)
            case UserTurn():
                self.reprompts = body.number
                self.reprompts_in_a_row += 1
                self._user(body.text)
            case DelegationClosed():
                self.contexts.pop()
                self.top.delegated = body.text_sha256

    def _begin(self, context: Conversation, messages: Iterable[Message]) -> None:
        for message in messages:
            context.say(message)

    def _user(self, text: str) -> None:
        self.top.pending = None
        self.top.say(Message(role="user", text=text))

    def _outcome(self, body: CallOutcome) -> None:
        self.top.outcomes[body.call_index] = body
        if is_executed(body):
            self.ledger.charge(acquires=isinstance(body, RequestExecuted))
        match body:
            case BudgetDenied():
                self.denied = self.denied or body
            case RequestExecuted():
                self.requests = body.request_no
            case DraftSaved():
                self.draft = body
                self.saved[body.path] = body.text_sha256
            case CodeRun():
                self._files(body)
            case Submitted():
                self.submission = body
            case DelegationOpened():
                self._refund()
                self.delegations = body.number
                self.contexts.append(Conversation(DELEGATION, body))
                self._begin(self.top, body.messages)
            case _:
                pass

    def _files(self, body: CodeRun) -> None:
        self.saved.update({f.path: f.text_sha256 for f in body.saved})
        for path in body.removed:
            self.saved.pop(path, None)

    def _result(self, body: ToolResult, text: str | None) -> None:
        if self.top.pending is None:
            raise DamageError(f"a result of call {body.call_id!r} belongs to no turn")
        shown = self._blobs.get(body.text_sha256) if text is None else text
        if self.top.answer(Message(role="tool", text=shown, tool_call_id=body.call_id)):
            self._settle()

    def _settle(self) -> None:
        """Close the turn."""
        self._refund()
        self.top.settle()

    def _refund(self) -> None:
        """Give back what the network broke. This waits until the batch is answered, so that
        one that was interrupted is admitted again exactly as it was at first."""
        for index, outcome in self.top.outcomes.items():
            if is_broken(outcome) and index not in self.top.refunded:
                self.ledger.refund_request()
                self.top.refunded.add(index)


def messages_of(events: Iterable[Event], spec: HarnessSpec, blobs: Blobs) -> tuple[Message, ...]:
    """The transcript of the context that a log ends in, as the model saw and wrote it."""
    state = EpisodeState(spec, blobs)
    for event in events:
        state.apply(event.body)
    return tuple(state.top.messages)
