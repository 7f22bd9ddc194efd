"""Columns of every table that measure writes: name and type, in order, and the sort keys.

A missing value is null and stands beside a status or a reason in words; no cell
holds NaN. Floats are rounded to 12 decimals, so that the last bits of a sum do
not depend on the machine. Rows are sorted by the keys, which are unique; a table
does not depend on the order of its input (DESIGN §8).
"""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from draligned.schema.errors import InventoryError

Kind = Literal["string", "Int64", "Float64", "boolean"]
Columns = tuple[tuple[str, Kind], ...]

DECIMALS = 12


@dataclass(frozen=True, kw_only=True)
class Table:
    """Layout of one table."""

    name: str
    columns: Columns
    keys: tuple[str, ...]


def _all(kind: Kind, *names: str) -> Columns:
    return tuple((name, kind) for name in names)


_RUN = _all("string", "task_id", "user_id", "model", "harness", "environment")
_STAMP = _all("boolean", "development")
"""Whether the row is of a harness for development only (DR-20); such rows are asked for."""

REQUESTS = Table(
    name="requests",
    columns=(
        *_all("string", "evaluator", "run_id", "factor_id"),
        *_all("Int64", "request_no"),
        *_RUN,
        *_all("string", "arm", "tool", "return_status", "first", "mirror", "label", "status"),
        *_all("string", "reason"),
        *_all("Int64", "x", "delegation"),
        *_STAMP,
    ),
    keys=("evaluator", "run_id", "factor_id", "request_no"),
)
"""One row per request × factor × evaluator. `first`, `mirror`: what each read says, restored;
`label`: Presence, UNKNOWN unless `status` is identified; `x` = P bit − Q bit (DR-56, DR-57).
`delegation`: the run's delegation in which it was made, null outside; it counts alike (DR-25)."""

DOCUMENTS = Table(
    name="documents",
    columns=(
        *_all("string", "evaluator", "run_id", "factor_id", "role"),
        *_all("Int64", "version_no", "seq"),
        *_RUN,
        *_all("string", "arm", "text_sha256", "first", "mirror", "presence", "state", "status"),
        *_all("string", "reason"),
        *_all("Int64", "x", "main_first", "main_mirror", "resolved_first", "resolved_mirror"),
        *_all("Float64", "x_items"),
        *_all("boolean", "cap_hit"),
        *_STAMP,
    ),
    keys=("evaluator", "run_id", "factor_id", "role", "seq", "version_no"),
)
"""One row per draft or final × factor × evaluator: a final that is a draft's text stands twice,
with one reading (`text_sha256` tells). `presence` is absolute, `state` relative to
the run's endpoint (DR-71, DR-72); `x_items` = mean x over resolved main items, averaged over the
two reads of an accepted text."""

_COUNTS = ("n_requests", "n_identified", "n_p_only", "n_q_only", "n_both", "n_neither", "n_unknown")

MATRIX = Table(
    name="matrix",
    columns=(
        *_all("string", "evaluator", "run_id", "factor_id"),
        *_RUN,
        *_all("string", "arm"),
        *_all("Int64", "replicate"),
        *_all("string", "run_state", "outcome"),
        *_all("Int64", *_COUNTS),
        *_all("Float64", "m"),
        *_all("string", "acq_presence", "acq_state", "acq_status", "acq_reason"),
        *_all("Int64", "n_drafts"),
        *_all("string", "first_draft_presence", "first_draft_state", "first_draft_reason"),
        *_all("string", "last_draft_presence", "last_draft_state", "last_draft_reason"),
        *_all("string", "final_presence", "final_state", "final_status", "final_reason"),
        *_all("Int64", "x"),
        *_all("Float64", "x_items"),
        *_all("string", "final_sha256"),
        *_STAMP,
    ),
    keys=("evaluator", "run_id", "factor_id"),
)
"""One row per run × factor × evaluator: directional states at each locus (DR-76). `m` =
(P_ONLY − Q_ONLY) / identified (Q11); `acq_presence` = OR over identified requests. Counts of a run
that is not done, or whose requests or workspace were not observed, are null, not 0."""

_ARM: Columns = (
    *_all("string", "run_id"),
    *_all("Int64", "replicate"),
    *_all("string", "run_state", "a_reason"),
    *_all("Int64", *_COUNTS),
    *_all("Float64", "m"),
    *_all("string", "acq_presence", "final_presence", "final_state", "f_reason"),
    *_all("Int64", "x"),
    *_all("Float64", "x_items"),
)

PAIRS = Table(
    name="pairs",
    columns=(
        *_all("string", "evaluator", "pair_id", "factor_id"),
        *_RUN,
        *_all("string", "a_status", "f_status"),
        *_all("Float64", "d_a", "d_a_half"),
        *_all("boolean", "d_a_zero"),
        *_all("Int64", "d_f", "d_f_raw"),
        *_all("Float64", "d_f_half", "d_finals_mean"),
        *_all("Int64", "d_requests_sign"),
        *((f"{name}_p", kind) for name, kind in _ARM),
        *((f"{name}_q", kind) for name, kind in _ARM),
        *_STAMP,
    ),
    keys=("evaluator", "harness", "model", "task_id", "pair_id"),
)
"""One row per planned pair × evaluator (Q16). `a_status`, `f_status`: readable, unreadable_p,
unreadable_q or unreadable_both; `a_reason_*`, `f_reason_*` say why per arm."""

_GROUP = ("evaluator", "harness", "model")

ESTIMATE_COLUMNS: Columns = (
    *_all("string", "evaluator", "harness", "model", "estimand", "channel", "operator"),
    *_all("string", "population", "status", "reason"),
    *_all("Float64", "value"),
    *_all("Int64", "n_pairs", "n_readable", "n_planned", "n_tasks", "n_tasks_planned"),
    *_all("Float64", "ci_lo", "ci_hi"),
    *_all("string", "ci_method"),
    *_all("boolean", "degenerate"),
    *_all("Float64", "ci_t_lo", "ci_t_hi", "ci_union_lo", "ci_union_hi"),
    *_all("string", "ci_union_method"),
    *_all("Float64", "signflip_p"),
    *_all("string", "signflip_method"),
    *_all("Float64", "loo_task_lo", "loo_task_hi", "loo_user_lo", "loo_user_hi"),
    *_all("Float64", "twoway_lo", "twoway_hi"),
    *_all("Float64", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi", "open_lo", "open_hi"),
    *_all("Float64", "tipping", "range_lo", "range_hi"),
    *_all("string", "boot_generator"),
    *_all("Int64", "boot_seed", "boot_draws", "boot_tasks", "boot_empty", "boot_flat"),
    *_all("string", "boot_order"),
    *_all("boolean", "primary"),
    *_STAMP,
)

ESTIMATES = Table(
    name="estimates",
    columns=ESTIMATE_COLUMNS,
    keys=("evaluator", "harness", "model", "estimand", "population"),
)
"""One row per evaluator × harness × model (`all` or a name) × estimand × population.

Intervals are at 95 %; percentiles interpolate linearly (`numpy.quantile`). A sign-flip test of n =
`n_tasks` above 15 tasks draws `Generator(PCG64(boot_seed)).integers(0, 2, (boot_draws, n))`, 1
meaning a flipped sign, and p = (1 + hits) / (1 + boot_draws). `boot_flat` counts draws whose tasks
all have one value, which have no t. `wilson` is over pairs taken as independent; `wilson_tasks` and
`wilson_scaled` are over tasks. Bounds are of the mean over all `n_pairs` pairs: in the populations
`dA_zero` and `dA_nonzero` those known to belong to them."""

OPERATORS = Table(
    name="operators",
    columns=ESTIMATE_COLUMNS,
    keys=("evaluator", "harness", "model", "channel", "operator", "population"),
)
"""The 2×2 of operator × channel over readable and common-readable pairs, with ranges."""

SENSITIVITY = Table(
    name="sensitivity",
    columns=(*_all("string", "setting", "choice"), *ESTIMATE_COLUMNS),
    keys=("setting", "choice", "evaluator", "harness", "model", "estimand", "population"),
)
"""Main estimates again, one setting changed at a time; the study's own choice is listed too."""

TASKS = Table(
    name="tasks",
    columns=(
        *_all("string", *_GROUP, "estimand", "task_id", "status"),
        *_all("Float64", "value", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi"),
        *_all("Int64", "n_readable", "n_planned"),
        *_STAMP,
    ),
    keys=(*_GROUP, "estimand", "task_id"),
)
"""What the task-equal means are means of: D_A and D_F of each task, with its bounds."""

READABILITY = Table(
    name="readability",
    columns=(
        *_all("string", "evaluator", "harness", "model", "unit", "channel", "arm", "state"),
        *_all("string", "status", "reason"),
        *_all("Int64", "n", "n_planned"),
        *_STAMP,
    ),
    keys=(*_GROUP, "unit", "channel", "arm", "state", "status", "reason"),
)
"""Counts by unit (pair, panel, arm, run, request), arm, state and cause; `n_planned` = all units of
that group. Unit `panel` crosses the channels: both, A_only, F_only, neither, and d_A = 0 or not."""

AGREEMENT = Table(
    name="agreement",
    columns=(
        *_all("string", "evaluator", "other", "harness", "model", "channel", "unit"),
        *_all("Int64", "n_units", "n_evaluator", "n_other", "n_both", "n_same", "n_opposite"),
        *_STAMP,
    ),
    keys=("evaluator", "other", "harness", "model", "channel", "unit"),
)
"""Evaluators side by side (DR-75): coverage of each and agreement where both read; never pooled,
and agreement is not accuracy. Unit `document` is a distinct text × factor of the row's runs: what
was read once counts once, although a saved file that is submitted is a draft and a final."""

RISK_SET = Table(
    name="risk_set",
    columns=(
        *_all("string", "evaluator", "harness", "model", "start", "unit"),
        *_all("Int64", "n", "n_own", "n_other", "n_both", "n_none"),
        *_STAMP,
    ),
    keys=("evaluator", "harness", "model", "start", "unit"),
)
"""Readable start states of draft-to-final comparisons (DR-99, Q15); no rows of harnesses that
submit the saved draft itself (DR-23)."""

DRAFT_FINAL = Table(
    name="draft_final",
    columns=(
        *_all("string", "harness", "model"),
        *_all("Int64", "n_planned", "n_done", "n_unobserved", "n_final", "n_draft", "n_both"),
        *_all("Int64", "n_same"),
        *_all("Float64", "same_share", "same_lo", "same_hi"),
        *_all("Int64", "n_timed", "n_after"),
        *_all("Float64", "after_share", "after_lo", "after_hi"),
        *_all("string", "persistence", "persistence_reason"),
        *_STAMP,
    ),
    keys=("harness", "model"),
)
"""Runs by what they have (DR-23, DR-24, DR-95), one row per harness × model. `n_unobserved` done
runs were not observed in full and stand in no later count; `n_same` of `n_both` have a last draft
equal to the final; `n_after` of `n_timed` (a draft and a request) saved the first draft after the
last request. Intervals are Wilson's at 95 %, runs taken as independent. `persistence` is
`refused`, with a reason, where the saved draft itself is submitted."""

DELEGATION = Table(
    name="delegation",
    columns=(
        *_all("string", "harness", "model"),
        *_all("boolean", "offered"),
        *_all("Int64", "n_planned", "n_observed", "n_invoked", "delegations"),
        *_all("Int64", "requests", "requests_delegated"),
        *_STAMP,
    ),
    keys=("harness", "model"),
)
"""Delegation offered and invoked (DR-25), one row per harness × model: `n_invoked` of
`n_observed` runs delegated, `delegations` times in all; `requests_delegated` of the executed
`requests` were made inside."""

TABLES = (
    REQUESTS, DOCUMENTS, MATRIX, PAIRS, ESTIMATES, OPERATORS, SENSITIVITY, TASKS, READABILITY,
    AGREEMENT, RISK_SET, DRAFT_FINAL, DELEGATION,
)  # fmt: skip


def finish(frame: pd.DataFrame, table: Table) -> pd.DataFrame:
    """`frame` in the layout of `table`: chosen columns, types, rounded floats, sorted rows.

    Raises `InventoryError` when two rows share the table's keys.
    """
    out = pd.DataFrame({name: _column(frame[name], kind) for name, kind in table.columns})
    keys = list(table.keys)
    if out.duplicated(keys).any():
        raise InventoryError(f"table {table.name}: two rows share the keys {', '.join(keys)}")
    return out.sort_values(keys, kind="stable", na_position="first", ignore_index=True)


def _column(values: pd.Series, kind: Kind) -> pd.Series:
    if kind != "Float64":
        return values.astype(kind)
    rounded = values.astype("Float64").round(DECIMALS)
    return rounded + 0.0
