"""A whole company of episodes checked, and the table of what happened to them."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.toolbox import needs_sandbox
from draligned.harnesses.transcript import EpisodeState
from draligned.schema.harness import HarnessSpec
from draligned.store.blobs import Blobs
from draligned.study.attempts import events_key
from draligned.study.inventory import CellState, cell_state
from draligned.study.log import read_events

from .checks import (
    Attempt,
    analysed,
    attempts,
    check_attempt,
    check_attempts,
    check_folder,
    check_tries,
    outcomes,
)  # fmt: skip
from .fold import Json, Spent
from .stage import KEY, Cell, Company
from .weather import FullDisk

OPEN = "open"


def specs(*, sandbox: bool) -> list[HarnessSpec]:
    """All harnesses there are; those with files where a sandbox can hold them."""
    return [s for s in HARNESSES.values() if sandbox or not needs_sandbox(s)]


@dataclass
class Found:
    """Counts over all episodes: the table of a run of the faults."""

    outcomes: Counter[str] = field(default_factory=Counter)
    """By the outcome of the analysed attempt."""
    calls: Counter[str] = field(default_factory=Counter)
    """By what became of the call."""
    answers: Counter[str] = field(default_factory=Counter)
    """By what the provider did."""
    left_open: Counter[str] = field(default_factory=Counter)
    """Why episodes were left open, each time."""
    attempts: Counter[int] = field(default_factory=Counter)
    by_harness: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def table(self) -> str:
        """All counts, for people."""
        rows = [("outcomes", self.outcomes), ("calls", self.calls), ("answers", self.answers),
                ("left open", self.left_open), ("attempts", self.attempts),
                *sorted(self.by_harness.items())]  # fmt: skip
        return "\n".join(
            f"{name}: " + ", ".join(f"{k} {n}" for k, n in counts.most_common())
            for name, counts in rows
        )


def notes_of(notes: Path) -> list[Json]:
    """What the provider noted, one line a request."""
    return [json.loads(line) for line in notes.read_bytes().splitlines()]


def check_company(company: Company, cells: Sequence[Cell], notes: Path) -> Found:
    """Check every episode; the counts."""
    found, heard = Found(), notes_of(notes)
    check_heard(heard, found)
    hits = hits_by_episode(heard)
    tries = tries_by_run(company.store.root)
    for cell in cells:
        state = check_run(company.store, cell.run_id, cell.spec, tries[cell.run_id], found)
        if state.state == OPEN:
            _check_open(company, cell)
        _check_hits(company, cell, hits[cell.number], tries[cell.run_id])
    found.left_open = sum(company.reasons.values(), Counter())
    check_folder(company.store.root, KEY)
    return found


def check_run(
    store: FullDisk, run_id: str, spec: HarnessSpec, tries: Sequence[Json], found: Found
) -> CellState:
    """Check all attempts of a run, and count them."""
    here = attempts(store.root, run_id)
    check_attempts(here)
    for attempt in here:
        mine = [t for t in tries if t["key"]["attempt"] == attempt.number]
        check_tries(attempt.episode, mine, _rewritten(store, run_id, attempt))
        _check_counters(store, run_id, spec, attempt)
        if attempt.seal is not None:
            check_attempt(store.root, attempt, spec.budget, saved=spec.submits_saved_file)
        found.calls += outcomes(attempt.episode)
    state = cell_state(store, run_id)
    if state.state == OPEN:
        assert not here or here[-1].seal is None, "a sealed run is taken for an open one"
    else:
        assert state.attempt == analysed(here), "another attempt is analysed"
    outcome = state.end.outcome.value if state.end else OPEN
    found.outcomes[outcome] += 1
    found.by_harness[spec.name][outcome] += 1
    found.attempts[len(here)] += 1
    return state


def _check_open(company: Company, cell: Cell) -> None:
    why = company.reasons[cell.run_id]
    assert why.total() == company.rounds, f"{cell} was not run again: {why}"
    assert why.most_common(1)[0][0] in ("waiting", "ProviderError", "RequestRefused"), (cell, why)


def _check_counters(store: FullDisk, run_id: str, spec: HarnessSpec, attempt: Attempt) -> None:
    """The harness counts, after all is read again from the log, what the second fold counts."""
    state = EpisodeState(spec, Blobs(store))
    for event in read_events(store, events_key(run_id, attempt.number)):
        state.apply(event.body)
    kept = state.ledger
    counted = Spent(kept.decisions, kept.tools, kept.acquisition, kept.output_tokens)
    assert counted == attempt.episode.spent, "the harness counts otherwise"


def _rewritten(store: FullDisk, run_id: str, attempt: Attempt) -> int:
    """Answered turns that found no room in the log."""
    log = events_key(run_id, attempt.number)
    return sum(key == log and b'"kind":"model_turn"' in data for key, data in store.refused)


def check_heard(heard: Sequence[Json], found: Found) -> None:
    """A strict provider has nothing to complain of; what it answered is counted."""
    complaints = Counter(c for line in heard for c in line["complaints"])
    assert not complaints, complaints
    found.answers = Counter(_answer(line) for line in heard)


def hits_by_episode(heard: Sequence[Json]) -> Counter[int]:
    """Requests by the number of the episode that the user message names."""
    return Counter(int(n) for line in heard for n in re.findall(r"ep-(\d+)", line["user"])[:1])


def tries_by_run(root: Path) -> dict[str, list[Json]]:
    """The attempt ledger by run, read by hand."""
    out: dict[str, list[Json]] = defaultdict(list)
    for file in sorted((root / "ledger").glob("*.jsonl")):
        for line in file.read_bytes().splitlines():
            record = json.loads(line)
            out[record["key"]["owner"]].append(record)
    return out


def unwritten(store: FullDisk) -> list[Json]:
    """Tries that found no room in the ledger."""
    refused = (json.loads(data) for key, data in store.refused if key.startswith("ledger/"))
    return [r for r in refused if r["outcome"] != "lost"]


def _check_hits(company: Company, cell: Cell, hits: int, tries: list[Json]) -> None:
    """The provider was asked as often as the ledger says, but for tries that found no room; on a
    busy machine, one that was given up for its time may never have come."""
    sent = [t for t in tries if t["outcome"] != "lost"]
    mine = [t for t in unwritten(company.store) if t["key"]["owner"] == cell.run_id]
    never_came = len(sent) + len(mine) - hits
    late = sum(t["outcome"] == "timeout" for t in [*sent, *mine])
    assert 0 <= never_came <= late, f"{hits} requests came, {len(sent)} are in the ledger"
    reissued = [k for k in company.reissued if k.owner == cell.run_id]
    assert bool(reissued) <= bool(company.reasons[cell.run_id])


def _answer(line: Json) -> str:
    return f"{line['status']}" if line["manner"] in ("whole", "chunked") else line["manner"]
