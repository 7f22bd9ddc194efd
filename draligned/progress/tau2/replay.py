"""What is true at each checkpoint, by replaying a run once (SI-69 … SI-71, Q32).

A checkpoint is a message of the agent to the customer; the scripted greeting at the beginning is
none, and neither is a message with tool calls. Only calls that write are executed again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from draligned.progress.tau2.benchmark import (
    Graded,
    Hashes,
    ReplayMismatch,
    hashes,
    mutates,
    same_answer,
)
from draligned.schema.tau2 import TauCall, TauMessage, Truth

LOOKS = frozenset(("run_speed_test", "can_send_mms", "check_status_bar", "check_network_status"))
"""Reading tools of the customer's phone that show whether a repair worked."""


def checkpoints(messages: Sequence[TauMessage]) -> list[int]:
    """Places of the messages that carry the duty."""
    return [i for i, m in enumerate(messages) if i and m.role == "assistant" and m.speaks]


def replay(graded: Graded, messages: Sequence[TauMessage]) -> list[Truth]:
    """The truth at every checkpoint, in one pass over one environment.

    Raises `ReplayMismatch` where a call that writes answers otherwise than it did, or where
    nothing says what it answered.
    """
    return list(_Replay(graded, graded.fresh()).over(messages))


class _Answer(NamedTuple):
    """What a call came to."""

    wrote: bool
    """Whether it was executed again; reading ones are not, and their answers not compared."""
    text: str | None


@dataclass
class _Replay:
    graded: Graded
    environment: Any
    calls: list[Any] = field(default_factory=list)
    """Those that the task awaits."""
    answers: dict[str, list[_Answer]] = field(default_factory=dict)
    """Of calls since the last checkpoint, by id, in order, until the recorded answer comes."""
    now: Hashes | None = None
    """Null where a call wrote since the databases were last looked at."""
    done: bool | None = None
    """Null where a call may have changed it."""
    looked: bool = False

    def over(self, messages: Sequence[TauMessage]) -> Iterator[Truth]:
        """The truth at every checkpoint."""
        start = self.now = hashes(self.environment)
        due, ever = set(checkpoints(messages)), False
        for index, message in enumerate(messages):
            if message.role == "tool":
                self._compare(index, message)
            for call in message.tool_calls or ():
                self._execute(call)
            if index in due:
                self._require_answers(index)
                now = self._look()
                ever = ever or now != start
                yield Truth(
                    index=index, changed=now != start, ever_changed=ever, done=self._judge(now),
                    verified=None if now[1] is None else self.looked,
                )  # fmt: skip

    def _execute(self, call: TauCall) -> None:
        known = self.graded.benchmark.call(call)
        if call.name in self.graded.awaited:
            self.calls.append(known)
            self.done = None
        if call.name in LOOKS and call.requestor == "user":
            self.looked = True
        wrote = mutates(self.environment, call)
        text = self._write(known) if wrote else None
        self.answers.setdefault(call.id, []).append(_Answer(wrote, text))

    def _write(self, known: Any) -> str | None:
        before = self.now
        answer: str | None = self.environment.get_response(known).content
        self.now = self.done = None
        if self.environment.user_tools is not None and self._look() != before:
            self.looked = False
        return answer

    def _compare(self, index: int, message: TauMessage) -> None:
        due = self.answers.get(message.id or "")
        answer = due.pop(0) if due else None
        if answer is not None and answer.wrote and not same_answer(answer.text, message):
            raise ReplayMismatch(index, "a call answers otherwise today")

    def _require_answers(self, index: int) -> None:
        if any(answer.wrote for due in self.answers.values() for answer in due):
            raise ReplayMismatch(index, "a call before it that writes has no recorded answer")
        self.answers.clear()

    def _look(self) -> Hashes:
        if self.now is None:
            self.now = hashes(self.environment)
        return self.now

    def _judge(self, now: Hashes) -> bool:
        if self.done is None:
            self.done = self.graded.done(self.environment, self.calls, now)
        return self.done
