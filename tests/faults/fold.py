"""An episode read from its file alone: a second fold that shares no code with the harness."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
REQUESTS = ("search", "read")
BROKEN = ("rate_limited", "blocked", "error")
CHARGED = frozenset(
    {
        "request_executed", "draft_saved", "workspace_read", "code_run", "tool_refused",
        "submitted", "delegation_opened",
    }
)  # fmt: skip
"""What an executed call leaves; each spends a tool action."""
FREE = frozenset({"tool_call_invalid", "budget_denied", "access_denied"})
"""What a call leaves that was not executed."""


@dataclass
class Spent:
    """Counters as the papers define them (DR-29)."""

    decisions: int = 0
    tools: int = 0
    acquisition: int = 0
    tokens: int = 0


@dataclass
class Batch:
    """The calls of one turn and what became of each."""

    turn: Json
    before: Spent
    """Counters with the turn charged and none of its calls."""
    starts: dict[int, Spent] = field(default_factory=dict)
    """Counters as calls that are admitted together began, by the first of them."""
    outcomes: dict[int, Json] = field(default_factory=dict)
    results: list[Json] = field(default_factory=list)
    given_back: set[int] = field(default_factory=set)
    """Calls that the network broke and that are no longer charged."""

    @property
    def calls(self) -> list[Json]:
        """The calls as logged."""
        return list(self.turn["message"]["tool_calls"])

    @property
    def sequence(self) -> int:
        """Number of the turn."""
        return int(self.turn["sequence"])


@dataclass
class Episode:
    """One attempt as its log tells it."""

    bodies: list[Json]
    last_line: str
    """Hash of the last line."""
    spent: Spent = field(default_factory=Spent)
    batches: list[Batch] = field(default_factory=list)
    peaks: list[Spent] = field(default_factory=list)
    """Counters after every event, before what the network broke is given back."""

    def of(self, *kinds: str) -> list[Json]:
        """Events of these kinds, in order."""
        return [b for b in self.bodies if b["kind"] in kinds]

    @property
    def end(self) -> Json | None:
        """The end, if there is one."""
        last = self.bodies[-1] if self.bodies else {"kind": ""}
        return last["end"] if last["kind"] == "ended" else None


def read_episode(events: Path) -> Episode:
    """Read a log and verify its chain by hand."""
    raw = events.read_bytes()
    assert not raw or raw.endswith(b"\n"), "the last line is torn"
    prev, bodies = "0" * 64, []
    for number, line in enumerate(raw.split(b"\n")[:-1]):
        event = json.loads(line)
        assert (event["seq"], event["prev"]) == (number, prev), "the chain is broken"
        prev = hashlib.sha256(line).hexdigest()
        bodies.append(event["body"])
    return folded(Episode(bodies, prev))


def folded(episode: Episode) -> Episode:
    """Counters and batches from the events."""
    batches: dict[int, Batch] = {}
    spent = episode.spent
    for body in episode.bodies:
        match body["kind"]:
            case "model_turn":
                spent.decisions += 1
                spent.tokens += body["usage"]["output_tokens"]
                batches[body["sequence"]] = Batch(body, Spent(**vars(spent)))
            case kind if kind in CHARGED or kind in FREE:
                batch = batches[body["sequence"]]
                if kind == "delegation_opened":
                    _give_back(spent, batch)
                _outcome(batch, body, spent)
            case "tool_result":
                batch = batches[body["sequence"]]
                batch.results.append(body)
                if len(batch.results) == len(batch.calls):
                    _give_back(spent, batch)
        episode.peaks.append(Spent(**vars(spent)))
    episode.batches = list(batches.values())
    return episode


def _outcome(batch: Batch, body: Json, spent: Spent) -> None:
    """Note what became of a call. A delegation is admitted alone, whatever stands beside it."""
    index = body["call_index"]
    assert index not in batch.outcomes, "a call has two outcomes"
    if index == 0 or _alone(batch, index, body) or _alone(batch, index - 1):
        batch.starts[index] = Spent(**vars(spent))
    batch.outcomes[index] = body
    _charge(spent, body)


def _alone(batch: Batch, index: int, body: Json | None = None) -> bool:
    kind = (body or batch.outcomes[index])["kind"]
    named = batch.calls[index]["name"] == "delegate"
    return named and kind in ("delegation_opened", "budget_denied")


def _charge(spent: Spent, body: Json) -> None:
    if body["kind"] in CHARGED:
        spent.tools += 1
        spent.acquisition += body["kind"] == "request_executed"


def _give_back(spent: Spent, batch: Batch) -> None:
    """What the network broke is not the agent's."""
    for index, body in batch.outcomes.items():
        broken = body["kind"] == "request_executed" and body["return_status"] in BROKEN
        if broken and index not in batch.given_back:
            batch.given_back.add(index)
            spent.tools -= 1
            spent.acquisition -= 1


def admitted(batch: Batch, tools: int, acquisition: int) -> dict[int, str]:
    """Which executable calls of a turn a budget has no room for, and which budget that is."""
    out: dict[int, str] = {}
    used = Spent()
    for index, body in sorted(batch.outcomes.items()):
        used = Spent(**vars(batch.starts[index])) if index in batch.starts else used
        if body["kind"] in ("tool_call_invalid", "access_denied"):
            continue
        asks = batch.calls[index]["name"] in REQUESTS
        if asks and used.acquisition >= acquisition:
            out[index] = "acquisition"
        elif used.tools >= tools:
            out[index] = "tools"
        else:
            used.tools += 1
            used.acquisition += asks
    return out
