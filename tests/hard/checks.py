"""What must hold of every run, whatever its provider did: read from the files alone."""

import json
from collections import Counter
from typing import Any

from draligned.api import Study
from draligned.harnesses.registry import COUPLED
from draligned.harnesses.transcript import messages_of
from draligned.schema.chat import Message
from draligned.schema.endings import Outcome
from draligned.schema.events import Event
from draligned.schema.harness import EpisodeBudget
from draligned.schema.labels import CellStatus, VoidReason
from draligned.schema.packets import ReadRecord
from draligned.study.attempts import attempts_of, events_key, read_header, read_seal
from draligned.study.log import read_events
from draligned.study.reads import iter_reads

BUDGET = EpisodeBudget()
BROKEN = {"rate_limited", "blocked", "error"}
EXECUTED = {"request_executed", "draft_saved", "submitted"}
UNEXECUTED = {"tool_call_invalid", "budget_denied"}


def attempts(study: Study) -> list[tuple[str, int]]:
    """All attempts of all planned runs."""
    store = study.folder.store
    return [(c.run_id, a) for c in study.cells() for a in attempts_of(store, c.run_id)]


def kinds(study: Study) -> Counter[str]:
    """How often each kind of event was logged, over all attempts."""
    store = study.folder.store
    return Counter(
        e.body.kind for run, a in attempts(study) for e in read_events(store, events_key(run, a))
    )


def check_attempt(study: Study, run_id: str, attempt: int) -> str:
    """Check one sealed attempt, log and seal; returns its outcome."""
    store = study.folder.store
    events = read_events(store, events_key(run_id, attempt))
    seal = read_seal(store, run_id, attempt)
    assert seal is not None, f"{run_id} is not sealed"
    assert seal.n_events == len(events)
    assert events[-1].body.kind == "ended"
    assert events[-1].body.end == seal.end
    assert seal.end.outcome in set(Outcome)
    assert [e.seq for e in events] == list(range(len(events)))
    assert read_header(store, run_id, attempt) is not None
    check_calls(events)
    check_budget(events)
    check_final(study, events)
    return seal.end.outcome.value


def check_calls(events: list[Event]) -> None:
    """Every call id is answered exactly once and in order, unless its turn ended the run; each
    answered call has exactly one event that says what became of it."""
    ids: list[str] = []
    turns: list[Any] = [e.body for e in events if e.body.kind == "model_turn"]
    for number, turn in enumerate(turns):
        mine = [
            e.body for e in events
            if e.body.kind != "call_started" and getattr(e.body, "sequence", None) == turn.sequence
        ]  # fmt: skip
        calls = turn.message.tool_calls
        results = [b for b in mine if b.kind == "tool_result"]
        happened = [b for b in mine if b.kind in EXECUTED | UNEXECUTED]
        if results or number < len(turns) - 1:
            assert [r.call_id for r in results] == [c.call_id for c in calls]
            assert [h.call_index for h in happened] == list(range(len(calls)))
        else:
            assert not happened
        ids += [c.call_id for c in calls]
    assert all(ids)
    assert len(ids) == len(set(ids))


def check_budget(events: list[Event]) -> None:
    """No limit is crossed by what was executed, counted here from the events alone."""
    bodies: list[Any] = [e.body for e in events]
    kinds = Counter(b.kind for b in bodies)
    assert kinds["model_turn"] <= BUDGET.decisions
    requests = [b for b in bodies if b.kind == "request_executed"]
    assert [r.request_no for r in requests] == list(range(1, len(requests) + 1))
    charged = [r for r in requests if r.return_status not in BROKEN]
    assert len(charged) <= BUDGET.acquisition
    executed = sum(kinds[k] for k in EXECUTED)
    assert executed - len(requests) + len(charged) <= BUDGET.tools
    answered = executed + sum(kinds[k] for k in UNEXECUTED)
    assert kinds["tool_result"] == answered
    seen = 0
    for turn in [b for b in bodies if b.kind == "model_turn"]:
        assert seen < BUDGET.output_tokens, "a call was made with no token left"
        seen += turn.usage.output_tokens


def check_final(study: Study, events: list[Event]) -> None:
    """The final is the last accepted submission, else a closing text reply, else nothing."""
    bodies: list[Any] = [e.body for e in events]
    end = bodies[-1].end
    submitted = [b.text_sha256 for b in bodies if b.kind == "submitted"]
    replies = [b.text_sha256 for b in bodies if b.kind == "text_reply"]
    if submitted:
        assert (end.outcome, end.final_sha256) == (Outcome.SUBMITTED, submitted[-1])
    elif end.outcome is Outcome.TEXT_REPLY:
        assert [end.final_sha256] == replies
    else:
        assert end.final_sha256 is None
        assert not replies
    for text in [*submitted, *replies]:
        assert study.folder.blobs.get(text).strip()


def transcript(study: Study, run_id: str, attempt: int = 1) -> tuple[Message, ...]:
    """The messages of a run, from its log."""
    events = read_events(study.folder.store, events_key(run_id, attempt))
    return messages_of(events, COUPLED, study.folder.blobs)


def check_all(study: Study) -> Counter[str]:
    """Check every attempt of a study; returns how often each outcome occurred."""
    found = Counter(check_attempt(study, run, attempt) for run, attempt in attempts(study))
    states = Counter(s.state for s in study.readings().states.values())
    assert sum(states.values()) == len(study.cells())
    assert not states["open"]
    return found


def check_read(record: ReadRecord, n_requests: int | None = None) -> None:
    """A read is void for a reason, or each of its cells is valid or void for a reason."""
    if record.kind == "requests" and n_requests is not None:
        assert [c.request_no for c in record.cells] == list(range(1, n_requests + 1))
    for cell in record.cells:
        if cell.status is CellStatus.VALID:
            assert (cell.label is not None, cell.reason) == (True, None)
        else:
            assert cell.status is CellStatus.VOID
            assert (cell.label, cell.reason in set(VoidReason)) == (None, True)
    if record.void is not None:
        assert not record.items
        assert all(c.status is CellStatus.VOID for c in record.cells)


def reads_of(study: Study, name: str) -> list[ReadRecord]:
    """Reads of an evaluator by its name."""
    (evaluator,) = (e for e in study.plan().evaluators if e.name == name)
    return list(iter_reads(study.folder.store, evaluator.evaluator_id))


def no_strange_numbers(study: Study) -> None:
    """No file of a study holds NaN or Infinity, and every line of JSON is strict."""

    def refuse(name: str) -> Any:
        raise AssertionError(name)

    for path in study.folder.root.rglob("*.json*"):
        for line in path.read_bytes().split(b"\n"):
            if line.strip():
                json.loads(line, parse_constant=refuse)
