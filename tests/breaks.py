"""Two ways of restoring labels wrongly that every test of known truth must notice."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from draligned.measure import items, requests, restore


def leave_second_read_unrestored(patch: pytest.MonkeyPatch) -> None:
    """Read the mirrored read as if it were not mirrored."""
    one_read, summarise = requests.one_read, items.summarise_reads

    def unrestored(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(alpha=frame["alpha"].mask(frame["read"] == "mirror", "P"))

    patch.setattr(requests, "one_read", lambda reads, role: one_read(unrestored(reads), role))
    patch.setattr(
        "draligned.measure.documents.summarise_reads",
        lambda reads, rows: summarise(unrestored(reads), unrestored(rows)),
    )


def exchange_p_and_q(patch: pytest.MonkeyPatch) -> None:
    """Restore both reads to the opposite endpoint."""
    right: Callable[..., Any] = restore.restore
    patch.setattr(restore, "restore", lambda bits, alpha: restore.swap(right(bits, alpha)))
