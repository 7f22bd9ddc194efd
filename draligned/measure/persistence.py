"""Whether draft-to-final persistence may be computed at all (DR-23, DR-24).

Where a harness submits the saved draft itself, the last draft equals the final by construction:
how much of a draft persists in such a final says nothing about the agent. It is refused, with a
reason, and never given as a number.
"""

from typing import NamedTuple

import pandas as pd

ALLOWED = "allowed"
REFUSED = "refused"
SAVED_FILE = "saved_file_submitted"
"""The saved file itself is submitted."""


class Persistence(NamedTuple):
    """Status of persistence in a harness, and why it is refused."""

    status: str
    reason: str | None


def persistence_of(submits_saved: bool) -> Persistence:
    """Status for a harness that does, or does not, submit the saved draft itself."""
    return Persistence(REFUSED, SAVED_FILE) if submits_saved else Persistence(ALLOWED, None)


def comparable(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows whose final is written apart from the drafts; `runs` has `submits_saved`."""
    return runs[~runs["submits_saved"].to_numpy(dtype=bool)]
