"""Which attempt of a run comes next (DR-34, Q7)."""

from draligned.store.protocol import Store
from draligned.study.attempts import attempts_of
from draligned.study.inventory import cell_state


def next_attempt(store: Store, run_id: str) -> int | None:
    """The attempt to start or to continue; none when nothing more may be run.

    An unsealed attempt is continued. A new one follows only attempts in which no model
    output was logged, up to `MAX_ATTEMPTS`; no attempt is chosen by its outcome.
    """
    found = cell_state(store, run_id)
    if found.state != "open":
        return None
    return found.attempt or max(attempts_of(store, run_id), default=0) + 1
