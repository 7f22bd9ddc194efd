"""The episode's state as a fold over its events: the same live and after a kill.

Messages, counters, drafts, the last submission and the loop guards' counts are
built here and nowhere else, so that a resumed episode cannot differ from one
that was never interrupted (DESIGN §4, DR-15).
"""

import hashlib
from collections.abc import Iterable

from draligned.harnesses.budget import EpisodeLedger
from draligned.harnesses.tools import BROKEN
from draligned.schema.chat import Message, ToolCall
from draligned.schema.endings import EpisodeEnd
from draligned.schema.errors import DamageError
from draligned.schema.events import (
    Body,
    BudgetDenied,
    CallStarted,
    DraftSaved,
    Ended,
    Event,
    ModelFailed,
    ModelTurn,
    Opened,
    RequestExecuted,
    Submitted,
    TextReply,
    ToolCallInvalid,
    ToolResult,
)
from draligned.schema.harness import EpisodeBudget
from draligned.store.blobs import Blobs

CallOutcome = ToolCallInvalid | BudgetDenied | RequestExecuted | DraftSaved | Submitted
"""The one event of a call that says what became of it; its `ToolResult` follows."""


class EpisodeState:
    """All that is known of an episode. Each `apply` costs as much as its event is long."""

    def __init__(self, budget: EpisodeBudget, blobs: Blobs) -> None:
        self._blobs = blobs
        self._digest = hashlib.sha256()
        self._call_ids: set[str] = set()
        self._last_turn: tuple[object, ...] = ()
        self.messages: list[Message] = []
        self.ledger = EpisodeLedger(budget)
        self.calls = 0
        """Sequence number of the last model call, from 1."""
        self.in_flight = False
        """Whether that call has not been answered yet."""
        self.pending: ModelTurn | None = None
        """The last turn, while any of its calls is unanswered."""
        self.outcomes: dict[int, CallOutcome] = {}
        """What became of the pending turn's calls, by index."""
        self.answered = 0
        """Calls of the pending turn that have their result; they are answered in order."""
        self.requests = 0
        self.drafts: list[DraftSaved] = []
        self.submission: Submitted | None = None
        self.reply: TextReply | None = None
        self.denied: BudgetDenied | None = None
        """The first call that crossed a budget."""
        self.barren_turns = 0
        """Consecutive turns in which no call could be executed."""
        self.same_turns = 0
        """Consecutive turns with the same text and calls, the last one included."""
        self.failure: ModelFailed | None = None
        self.end: EpisodeEnd | None = None

    def apply(self, body: Body, text: str | None = None) -> None:
        """Fold one event in. `text` saves looking up a tool result's blob."""
        match body:
            case Opened():
                for message in body.messages:
                    self._say(message)
            case CallStarted():
                self.calls, self.in_flight = body.sequence, True
            case ModelTurn():
                self._turn(body)
            case ModelFailed():
                self.failure, self.in_flight = body, False
            case TextReply():
                self.reply = body
            case ToolResult():
                self._result(body, text)
            case Ended():
                self.end = body.end
            case (
                ToolCallInvalid() | BudgetDenied() | RequestExecuted() | DraftSaved() | Submitted()
            ):
                self._outcome(body)
            case _:
                raise DamageError(f"an event of kind {body.kind} has no place in this harness")

    def request_sha256(self, settings: str) -> str:
        """Hash of the next request: all messages so far, then its settings; O(1) in the history."""
        digest = self._digest.copy()
        digest.update(settings.encode("utf-8"))
        return digest.hexdigest()

    def with_new_ids(self, message: Message, sequence: int) -> Message:
        """`message` with empty and repeated call ids replaced, so that results name one call.

        Nine letters and digits, since some providers accept nothing else.
        """
        seen = set(self._call_ids)
        calls: list[ToolCall] = []
        for index, call in enumerate(message.tool_calls):
            call_id = call.call_id
            if not call_id or call_id in seen:
                call_id = _fresh_id(sequence, index, seen)
                call = call.model_copy(update={"call_id": call_id})
            seen.add(call_id)
            calls.append(call)
        if tuple(calls) == message.tool_calls:
            return message
        return message.model_copy(update={"tool_calls": tuple(calls)})

    def _say(self, message: Message) -> None:
        self.messages.append(message)
        self._digest.update(message.to_json().encode("utf-8") + b"\n")

    def _turn(self, body: ModelTurn) -> None:
        calls = body.message.tool_calls
        turn = (body.message.text, *((c.name, c.arguments) for c in calls))
        self.same_turns = self.same_turns + 1 if turn == self._last_turn else 1
        self._last_turn = turn
        self._call_ids.update(c.call_id for c in calls)
        self._say(body.message)
        self.ledger.charge_turn(body.usage)
        self.in_flight = False
        self.pending, self.outcomes, self.answered = body, {}, 0

    def _outcome(self, body: CallOutcome) -> None:
        self.outcomes[body.call_index] = body
        match body:
            case BudgetDenied():
                self.denied = self.denied or body
            case RequestExecuted():
                self.requests = body.request_no
                self.ledger.charge(acquires=True)
            case DraftSaved():
                self.drafts.append(body)
                self.ledger.charge(acquires=False)
            case Submitted():
                self.submission = body
                self.ledger.charge(acquires=False)
            case ToolCallInvalid():
                pass

    def _result(self, body: ToolResult, text: str | None) -> None:
        if self.pending is None:
            raise DamageError(f"a result of call {body.call_id!r} belongs to no turn")
        shown = self._blobs.get(body.text_sha256) if text is None else text
        self._say(Message(role="tool", text=shown, tool_call_id=body.call_id))
        self.answered += 1
        if self.answered == len(self.pending.message.tool_calls):
            self._settle()

    def _settle(self) -> None:
        """Close the turn. What the network broke is refunded only now, so that a batch
        that was interrupted is admitted again exactly as it was at first."""
        outcomes = self.outcomes.values()
        executed = any(not isinstance(o, ToolCallInvalid | BudgetDenied) for o in outcomes)
        self.barren_turns = 0 if executed else self.barren_turns + 1
        for outcome in outcomes:
            if isinstance(outcome, RequestExecuted) and outcome.return_status in BROKEN:
                self.ledger.refund_request()
        self.pending = None


def messages_of(events: Iterable[Event], blobs: Blobs) -> tuple[Message, ...]:
    """The transcript of a log, as the model saw and wrote it."""
    state = EpisodeState(EpisodeBudget(), blobs)
    for event in events:
        state.apply(event.body)
    return tuple(state.messages)


def _fresh_id(sequence: int, index: int, seen: set[str]) -> str:
    number = 0
    while (made := f"{'cdefgh'[number % 6]}{sequence:04d}{index + number:04d}") in seen:
        number += 1
    return made
