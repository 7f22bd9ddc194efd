"""One running episode: the mutable object that the graph's nodes share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from draligned.gates.rule import Gate
from draligned.harnesses.endings import Stop
from draligned.harnesses.tools import Bench, Tool
from draligned.harnesses.transcript import EpisodeState
from draligned.models.protocol import ChatModel
from draligned.models.turn import Turn
from draligned.schema.chat import CallKey, ToolSpec
from draligned.schema.events import Body, RunHeader
from draligned.study.log import EventLog


class Entry(NamedTuple):
    """An event to log; `text` is the blob that a tool result names."""

    body: Body
    text: str | None = None


@dataclass(kw_only=True)
class Episode:
    """Passed to the nodes by reference, so that no step copies the history."""

    header: RunHeader
    model: ChatModel
    seed: int | None
    gate: Gate
    tools: Mapping[str, Tool]
    declared: tuple[ToolSpec, ...]
    bench: Bench
    log: EventLog
    state: EpisodeState
    reissued: Callable[[CallKey], None]
    """Told of a call that is asked again because its answer was never logged."""
    turn: Turn | None = None
    """The last reply as read, while its calls are to be executed."""
    stop: Stop | None = None
    """Set once the loop is to end."""
    settings: str = field(init=False)
    """The part of every request that never changes, for its hash."""

    def __post_init__(self) -> None:
        declared = "\n".join(tool.to_json() for tool in self.declared)
        self.settings = f"{self.model.key}\n{self.seed}\n{declared}\n"

    def record(self, *entries: Entry) -> None:
        """Log events in one write and fold them into the state."""
        self.log.append(*(entry.body for entry in entries))
        for entry in entries:
            self.state.apply(entry.body, entry.text)
