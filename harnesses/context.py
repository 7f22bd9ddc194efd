"""One running episode: the mutable object that the graph's nodes share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from draligned.harnesses.compiled import CompiledStage, Rules
from draligned.harnesses.endings import Stop
from draligned.harnesses.stages import DELEGATION
from draligned.harnesses.tools import Bench
from draligned.harnesses.transcript import EpisodeState
from draligned.models.protocol import ChatModel
from draligned.models.turn import Turn
from draligned.schema.chat import CallKey, ToolSpec
from draligned.schema.design import Condition
from draligned.schema.events import Body, RunHeader
from draligned.study.log import EventLog

Step = Literal["act", "close_delegation", "hand_over", "speak_as_user", "end"]
"""Where a decision leads; each but the last is a node of the graph."""
ClosedBy = Literal["answered", "empty", "length_cut", "filtered", "loop_guard", "budget"]


class Entry(NamedTuple):
    """An event to log; `text` is the blob that a tool result names."""

    body: Body
    text: str | None = None


@dataclass(kw_only=True)
class Episode:
    """Passed to the nodes by reference, so that no step copies the history."""

    header: RunHeader
    condition: Condition
    model: ChatModel
    seed: int | None
    rules: Rules
    bench: Bench
    log: EventLog
    state: EpisodeState
    reissued: Callable[[CallKey], None]
    """Told of a call that is asked again because its answer was never logged."""
    turn: Turn | None = None
    """The last reply as read, while its calls are to be executed."""
    stop: Stop | None = None
    """Set once the loop is to end."""
    closed_by: ClosedBy | None = None
    """Set once a delegation is to be closed."""
    _settings: dict[str, str] = field(default_factory=dict)

    @property
    def stage(self) -> CompiledStage:
        """The stage that the context on top belongs to."""
        if self.state.top.name == DELEGATION:
            return self.rules.delegation
        return self.rules.stages[self.state.stage]

    @property
    def awaits_script(self) -> bool:
        """Whether the script's next user turn is still to be spoken (DR-24)."""
        return self.state.scripted < self.rules.spec.scripted_turns

    @property
    def declared(self) -> tuple[ToolSpec, ...]:
        """The tools declared with the next call; none before the script was spoken."""
        return () if self.awaits_script else self.stage.declared(self.bench.lang)

    @property
    def settings(self) -> str:
        """The part of a request that its stage does not change, for its hash."""
        name = f"{self.stage.name}/{self.awaits_script}"
        if name not in self._settings:
            declared = "\n".join(tool.to_json() for tool in self.declared)
            self._settings[name] = f"{self.model.key}\n{self.seed}\n{declared}\n"
        return self._settings[name]

    def record(self, *entries: Entry) -> None:
        """Log events in one write and fold them into the state."""
        self.log.append(*(entry.body for entry in entries))
        for entry in entries:
            self.state.apply(entry.body, entry.text)
