"""Columns of the tables that pass from study and evaluators to measure.

Every table is long, one row a fact, with string keys; a missing value is null
beside a status that says why. Names ending in `_id` are 16 hex digits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import partial

import pandas as pd

RUNS = (
    "run_id", "task_id", "user_id", "factor_id", "arm", "model", "harness", "environment",
    "replicate", "state", "outcome", "observes_a", "observes_w", "observes_f", "development",
    "submits_saved", "delegation_offered", "delegations", "requests", "requests_delegated",
    "last_request_seq",
)  # fmt: skip
"""One row per planned run × assigned primary factor. `state`: done, failed, censored, open,
or excluded: left out by a correction.

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


EDITS = (
    "from_sha256", "to_sha256", "status", "reason", "n_tokens_from", "n_tokens_to", "distance",
    "n_sentences", "n_verbatim",
)  # fmt: skip
"""One row per ordered couple of texts that is compared (Q14). `distance` = normalised content-token
edit distance in [0, 1]; `n_verbatim` of `n_sentences` of the first text stand word for word in the
second. `status` is ok or unknown, with a reason and null numbers."""

VISITS = ("run_id", "request_no", "subproblem", "weight")
"""One row per request × broad subproblem that it asks about (Q13); the weights of a request sum to
1. A request that belongs to no subproblem of its task's frozen list has one row, `subproblem` and
`weight` null."""

SENTINELS = (
    "evaluator", "wave", "sentinel_id", "read", "unit", "place", "status", "reason", "expected",
    "label", "correct",
)  # fmt: skip
"""One row per request (`unit` is its number) or document (0) of a packet with a known answer, put
among the study's own: `wave` numbers the times it was asked, `place` is how many planned reads of
its evaluator come before it; `status` is ok, void or missing, `correct` null where not read."""

LABELLED = ("sample_id", "labeller", "pair_id", "drawn", "label_p", "label_q")
"""One row per pair of a sample's population × person who labelled the sample: whether it was
drawn, and the person's labels of its two finals, P and Q restored; null where not drawn, left
blank or undecided."""

SECOND = ("run_id", "factor_id", "side")
"""The second assigned factor of runs in two-factor tasks (DR-13), and its side."""


FACTORS = ("factor_id", "kind", "p_value", "q_value")
"""Kind of fact and short values of each factor: P as recorded, Q its counterfactual."""


class InputSet(StrEnum):
    """Sets of runs and reads beside the panel, each laid out as a study of its own."""

    AA = "aa"
    """The first P run, and another run of the same condition standing in as arm Q."""
    NEUTRAL = "neutral"
    """Runs told no fact of the factor, as arm P; there is no arm Q."""
    PLACEBO = "placebo"
    """Panel runs read on a factor of another task, which none of them was told."""
    MASKED = "masked"
    """Panel documents read again with the user's restatements masked."""
    TWO_FACTOR_PRIMARY = "two_factor_primary"
    """Factor 1 changes while factor 2 is as recorded (DR-13)."""
    TWO_FACTOR_COMPLEMENTARY = "two_factor_complementary"
    """Factor 1 changes while factor 2 is counterfactual."""


def empty(columns: tuple[str, ...]) -> pd.DataFrame:
    """A table without rows, all columns of type object."""
    return pd.DataFrame({c: pd.Series(dtype=object) for c in columns})


@dataclass(frozen=True, kw_only=True)
class MeasureInputs:
    """All that the measures read. Simulated studies enter here too.

    The first five are the panel and its repeats. `sets` are never pooled with it, nor with one
    another.
    """

    runs: pd.DataFrame
    request_reads: pd.DataFrame
    documents: pd.DataFrame
    document_reads: pd.DataFrame
    items: pd.DataFrame
    edits: pd.DataFrame = field(default_factory=partial(empty, EDITS))
    visits: pd.DataFrame = field(default_factory=partial(empty, VISITS))
    sentinels: pd.DataFrame = field(default_factory=partial(empty, SENTINELS))
    labelled: pd.DataFrame = field(default_factory=partial(empty, LABELLED))
    second: pd.DataFrame = field(default_factory=partial(empty, SECOND))
    factors: pd.DataFrame = field(default_factory=partial(empty, FACTORS))
    sets: Mapping[InputSet, "MeasureInputs"] = field(default_factory=dict)

    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables of the panel by name, without the sets beside it."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "sets"}
