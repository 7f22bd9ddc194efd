"""Columns of the tables that pass from study and evaluators to measure.

Every table is long, one row a fact, with string keys; a missing value is null
beside a status that says why. Names ending in `_id` are 16 hex digits.
"""

from dataclasses import dataclass

import pandas as pd

RUNS = (
    "run_id", "task_id", "user_id", "factor_id", "arm", "model", "harness", "environment",
    "replicate", "state", "outcome", "observes_a", "observes_w", "observes_f", "development",
    "submits_saved", "delegation_offered", "delegations", "requests", "requests_delegated",
    "last_request_seq",
)  # fmt: skip
"""One row per planned run × assigned primary factor. `state`: done, failed, censored, open.

`observes_*`: how far the source observes requests, workspace and finals; nothing is observed of
a run that is not done. `development`, `submits_saved`, `delegation_offered` are facts of the
run's harness and never null. `delegations` (sub-contexts invoked), `requests` (executed, those
inside delegations included), `requests_delegated` (of these, inside) and `last_request_seq` are
null where nothing was observed; the last one also where no request was made."""

REQUEST_READS = (
    "run_id", "factor_id", "request_no", "tool", "return_status", "delegation", "evaluator",
    "read", "alpha", "status", "label", "reason",
)  # fmt: skip
"""One row per request × factor × evaluator × read, labels in slot terms.
`status` is valid, void or missing (planned but not read); `delegation` is the number of the
delegation in which the request was made, null outside (DR-25)."""

DOCUMENTS = ("run_id", "factor_id", "role", "version_no", "seq", "text_sha256")
"""One row per draft version (`role` draft) and per final (`role` final) of a done run."""

DOCUMENT_READS = (
    "text_sha256", "factor_id", "evaluator", "read", "alpha", "status", "reason", "n_items",
    "n_dropped", "cap_hit",
)  # fmt: skip
"""One row per read of a text. `status`: ok, void, oversize, missing."""

ITEMS = (
    "text_sha256", "factor_id", "evaluator", "read", "alpha", "item_no", "entity_key", "actor",
    "role", "action", "strength", "direction",
)  # fmt: skip
"""One row per valid item, direction in slot terms."""


@dataclass(frozen=True, kw_only=True)
class MeasureInputs:
    """All that the measures read. Simulated studies enter here too."""

    runs: pd.DataFrame
    request_reads: pd.DataFrame
    documents: pd.DataFrame
    document_reads: pd.DataFrame
    items: pd.DataFrame


def empty(columns: tuple[str, ...]) -> pd.DataFrame:
    """A table without rows, all columns of type object."""
    return pd.DataFrame({c: pd.Series(dtype=object) for c in columns})
