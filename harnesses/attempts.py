"""Which attempt of a run comes next (DR-34, Q7)."""

from draligned.store.protocol import Store
from draligned.study.attempts import (
    MAX_ATTEMPTS,
    attempt_exists,
    attempts_of,
    read_seal,
    run_state,
)


def next_attempt(store: Store, run_id: str) -> int | None:
    """The attempt to start or to continue; none when nothing more may be run.

    An unsealed attempt is continued. A new one follows only attempts in which no model
    output was logged, up to `MAX_ATTEMPTS`; no attempt is chosen by its outcome.
    """
    last = 0
    for attempt in attempts_of(store, run_id):
        seal = read_seal(store, run_id, attempt)
        if seal is None:
            return attempt
        if run_state(seal.end) == "done" or attempt_exists(store, run_id, attempt):
            return None
        last = attempt
    return last + 1 if last < MAX_ATTEMPTS else None
