"""One context of an episode: its messages, and the turn whose calls are being answered."""

import hashlib

from draligned.harnesses.closing import spoken
from draligned.harnesses.outcomes import CallOutcome, is_executed
from draligned.schema.chat import Message
from draligned.schema.events import DelegationOpened, ModelTurn
from draligned.schema.strictjson import dumps


class Conversation:
    """Messages of one context. Each change costs as much as the message is long."""

    def __init__(self, name: str, opened: DelegationOpened | None = None) -> None:
        self.name = name
        """The stage's name, or `delegation`."""
        self.opened = opened
        """The delegation that this context is, if it is one."""
        self.messages: list[Message] = []
        self.turns = 0
        """Model turns of this context."""
        self.pending: ModelTurn | None = None
        """The last turn, while any of its calls is unanswered."""
        self.outcomes: dict[int, CallOutcome] = {}
        """What became of the pending turn's calls, by index."""
        self.refunded: set[int] = set()
        """Those of its calls that the network broke and that were given back."""
        self.answered = 0
        """Calls of the pending turn that have their result; they are answered in order."""
        self.barren_turns = 0
        """Consecutive turns in which no call could be executed."""
        self.same_turns = 0
        """Consecutive turns with the same text and calls, the last one included."""
        self.delegated: str | None = None
        """SHA-256 of what the last delegation of the pending turn answered."""
        self._digest = hashlib.sha256()
        self._last_turn: tuple[object, ...] = ()

    @property
    def parent(self) -> int | None:
        """Number of the delegation that this context is, if it is one."""
        return None if self.opened is None else self.opened.number

    @property
    def closing(self) -> str:
        """What the last message says, without the reasoning that a server left in it."""
        return spoken(self.messages[-1].text or "")

    def request_sha256(self, settings: str) -> str:
        """Hash of the next request: all messages so far, then its settings; O(1) in the history."""
        digest = self._digest.copy()
        digest.update(settings.encode("utf-8"))
        return digest.hexdigest()

    def say(self, message: Message) -> None:
        """Add a message.

        Its JSON is made by Python's encoder: pydantic's would leave a second copy of every
        text in memory, in UTF-8, for as long as the text lives.
        """
        self.messages.append(message)
        self._digest.update(dumps(message.model_dump()).encode("utf-8") + b"\n")

    def take(self, body: ModelTurn) -> None:
        """Add a model's turn. Its calls, if any, are to be answered."""
        calls = body.message.tool_calls
        turn = (body.message.text, *((c.name, c.arguments) for c in calls))
        self.same_turns = self.same_turns + 1 if turn == self._last_turn else 1
        self._last_turn = turn
        self.turns += 1
        self.say(body.message)
        self.pending, self.outcomes, self.refunded, self.answered = body, {}, set(), 0

    def answer(self, message: Message) -> bool:
        """Add the result of the next call; whether that was the last of its turn."""
        self.say(message)
        self.answered += 1
        return self.pending is None or self.answered == len(self.pending.message.tool_calls)

    def settle(self) -> None:
        """Close the turn."""
        executed = any(is_executed(outcome) for outcome in self.outcomes.values())
        self.barren_turns = 0 if executed else self.barren_turns + 1
        self.pending = None
