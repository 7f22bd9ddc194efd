"""Attempts of a run: an attempt exists from its first logged model output (Q7)."""

import re
from typing import Literal

from draligned.schema.endings import EpisodeEnd, Outcome
from draligned.schema.events import Event, ModelTurn, RunHeader, Seal
from draligned.store.protocol import Store
from draligned.study.log import read_events
from draligned.study.stored import stored

RunState = Literal["open", "done", "failed", "censored"]
"""What has become of a run, or of one attempt at it."""
MAX_ATTEMPTS = 3
_FOLDER = re.compile(r"a([1-9][0-9]*)")
FAILED = frozenset(
    {
        Outcome.PROVIDER_ERROR,
        Outcome.BAD_RESPONSE,
        Outcome.RATE_LIMITED,
        Outcome.HARNESS_ERROR,
        Outcome.CANCELLED,
    }
)


def attempt_prefix(run_id: str, attempt: int) -> str:
    """Folder of one attempt."""
    return f"runs/{run_id}/a{attempt}"


def events_key(run_id: str, attempt: int) -> str:
    """Key of an attempt's log."""
    return f"{attempt_prefix(run_id, attempt)}/events.jsonl"


def attempts_of(store: Store, run_id: str) -> list[int]:
    """Numbers of the attempts that have a folder; what is named otherwise is no attempt."""
    found = (_FOLDER.fullmatch(name) for name in store.folders(f"runs/{run_id}"))
    return sorted(int(name[1]) for name in found if name)


def read_header(store: Store, run_id: str, attempt: int) -> RunHeader | None:
    """The header of an attempt, if it was written."""
    key = f"{attempt_prefix(run_id, attempt)}/header.json"
    data = store.get(key)
    return None if data is None else stored(RunHeader, data, key)


def write_header(store: Store, header: RunHeader) -> bool:
    """Write a header once."""
    key = f"{attempt_prefix(header.run_id, header.attempt)}/header.json"
    return store.put_if_absent(key, header.to_json().encode())


def read_seal(store: Store, run_id: str, attempt: int) -> Seal | None:
    """The seal of an attempt, if it is complete."""
    key = f"{attempt_prefix(run_id, attempt)}/seal.json"
    data = store.get(key)
    return None if data is None else stored(Seal, data, key)


def write_seal(store: Store, seal: Seal) -> bool:
    """Seal an attempt once."""
    key = f"{attempt_prefix(seal.run_id, seal.attempt)}/seal.json"
    return store.put_if_absent(key, seal.to_json().encode())


def has_model_output(events: list[Event]) -> bool:
    """Whether an attempt exists for the analysis (Q7)."""
    return any(isinstance(e.body, ModelTurn) for e in events)


def attempt_exists(store: Store, run_id: str, attempt: int) -> bool:
    """Whether any model output was logged in the attempt (Q7)."""
    return has_model_output(read_events(store, events_key(run_id, attempt)))


def run_state(end: EpisodeEnd | None) -> RunState:
    """The state of an attempt by its end; `open` while it has none."""
    if end is None:
        return "open"
    if end.outcome is Outcome.CENSORED:
        return "censored"
    return "failed" if end.outcome in FAILED else "done"
