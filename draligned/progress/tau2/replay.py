"""What is true at each checkpoint, by replaying a run once (SI-69 … SI-71, Q32).

A checkpoint is a message of the agent to the customer; the scripted greeting at the beginning is
none, and neither is a message with tool calls. Only calls that write are executed again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

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
"""Reading tools that show whether a repair worked."""


def checkpoints(messages: Sequence[TauMessage]) -> list[int]:
    """Places of the messages that carry the duty."""
    return [i for i, m in enumerate(messages) if i and m.role == "assistant" and m.speaks]


def replay(graded: Graded, messages: Sequence[TauMessage]) -> list[Truth]:
    """The truth at every checkpoint, in one pass over one environment.

    Raises `ReplayMismatch` where a call that writes answers otherwise than it did.
    """
    return list(_Replay(graded, graded.fresh()).over(messages))


@dataclass
class _Replay:
    graded: Graded
    environment: Any
    calls: list[Any] = field(default_factory=list)
    answers: dict[str, list[str | None]] = field(default_factory=dict)
    """Of calls that were executed again, by id, in order, until the recorded answer comes."""
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
                now = self._look()
                ever = ever or now != start
                yield Truth(
                    index=index, changed=now != start, ever_changed=ever, done=self._judge(now),
                    verified=None if now[1] is None else self.looked,
                )  # fmt: skip

    def _execute(self, call: TauCall) -> None:
        known = self.graded.benchmark.call(call)
        self.calls.append(known)
        self.done = None
        if call.name in LOOKS:
            self.looked = True
        if not mutates(self.environment, call):
            return
        before = self.now
        answer = self.environment.get_response(known).content
        self.answers.setdefault(call.id, []).append(answer)
        self.now = None
        if self.environment.user_tools is not None and self._look() != before:
            self.looked = False

    def _compare(self, index: int, message: TauMessage) -> None:
        due = self.answers.get(message.id or "")
        if due and not same_answer(due.pop(0), message):
            raise ReplayMismatch(index)

    def _look(self) -> Hashes:
        if self.now is None:
            self.now = hashes(self.environment)
        return self.now

    def _judge(self, now: Hashes) -> bool:
        if self.done is None:
            self.done = self.graded.done(self.environment, self.calls, now)
        return self.done
