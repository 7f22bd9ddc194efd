"""A whole company of episodes checked, and the table of what happened to them."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.transcript import EpisodeState
from draligned.schema.harness import HarnessSpec
from draligned.study.attempts import events_key
from draligned.study.inventory import cell_state
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
from .stage import KEY, ROUNDS, Cell, Company

OPEN = "open"


def specs(*, sandbox: bool) -> list[HarnessSpec]:
    """All harnesses there are; those with a file workspace where files can be kept apart."""
    return [s for s in HARNESSES.values() if sandbox or not needs_sandbox(s)]


def needs_sandbox(spec: HarnessSpec) -> bool:
    """Whether its tools run in a sandbox."""
    return "write_file" in spec.tool_order or "python" in spec.tool_order


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
    root, heard, found = company.store.root, notes_of(notes), Found()
    check_heard(heard)
    hits = hits_by_episode(heard)
    tries = tries_by_run(root)
    for cell in cells:
        attempts_here = attempts(root, cell.run_id)
        check_attempts(attempts_here)
        outcome = _one(company, cell, attempts_here, tries[cell.run_id])
        _check_hits(company, cell, hits[cell.number], tries[cell.run_id])
        found.outcomes[outcome] += 1
        found.by_harness[cell.spec.name][outcome] += 1
        found.attempts[len(attempts_here)] += 1
        for attempt in attempts_here:
            found.calls += outcomes(attempt.episode)
    found.answers = Counter(_answer(line) for line in heard)
    found.left_open = sum(company.reasons.values(), Counter())
    check_folder(root, KEY)
    return found


def _one(company: Company, cell: Cell, here: list[Attempt], tries: list[Json]) -> str:
    """Check all attempts of a cell; the outcome of the analysed one."""
    root, why = company.store.root, company.reasons[cell.run_id]
    state = cell_state(company.store, cell.run_id)
    for attempt in here:
        mine = [t for t in tries if t["key"]["attempt"] == attempt.number]
        check_tries(attempt.episode, mine, _rewritten(company, cell, attempt))
        _check_counters(company, cell, attempt)
        if attempt.seal is not None:
            check_attempt(root, attempt, cell.spec.budget, saved=cell.spec.submits_saved_file)
    if state.state == OPEN:
        assert why.total() == ROUNDS, "it was not run again"
        assert why.most_common(1)[0][0] in ("waiting", "ProviderError", "RequestRefused")
        assert not here or here[-1].seal is None
        return OPEN
    assert state.attempt == analysed(here), "another attempt is analysed"
    assert state.end is not None
    return state.end.outcome.value


def _check_counters(company: Company, cell: Cell, attempt: Attempt) -> None:
    """The harness counts, after all is read again from the log, what the second fold counts."""
    state = EpisodeState(cell.spec, company.blobs)
    for event in read_events(company.store, events_key(cell.run_id, attempt.number)):
        state.apply(event.body)
    kept = state.ledger
    counted = Spent(kept.decisions, kept.tools, kept.acquisition, kept.output_tokens)
    assert counted == attempt.episode.spent, "the harness counts otherwise"


def _rewritten(company: Company, cell: Cell, attempt: Attempt) -> int:
    """Answered turns that found no room in the log."""
    log = events_key(cell.run_id, attempt.number)
    return sum(key == log and b'"kind":"model_turn"' in data for key, data in company.store.refused)


def check_heard(heard: Sequence[Json]) -> None:
    """A strict provider has nothing to complain of."""
    complaints = Counter(c for line in heard for c in line["complaints"])
    assert not complaints, complaints


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


def _check_hits(company: Company, cell: Cell, hits: int, tries: list[Json]) -> None:
    """The provider was asked as often as the ledger says, but for tries that found no room."""
    sent = [t for t in tries if t["outcome"] != "lost"]
    refused = [json.loads(data) for key, data in company.store.refused if key.startswith("ledger/")]
    mine = [r for r in refused if r["key"]["owner"] == cell.run_id and r["outcome"] != "lost"]
    assert hits == len(sent) + len(mine), f"{hits} requests came, {len(sent)} are in the ledger"
    reissued = [k for k in company.reissued if k.owner == cell.run_id]
    assert bool(reissued) <= bool(company.reasons[cell.run_id])


def _answer(line: Json) -> str:
    return f"{line['status']}" if line["manner"] in ("whole", "chunked") else line["manner"]
