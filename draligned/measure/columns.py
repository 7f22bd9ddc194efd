"""Layouts of the tables of the main path; those of other analyses stand beside their functions."""

from draligned.measure.layout import GROUP, RUN, STAMP, Columns, Table, typed

REQUESTS = Table(
    name="requests",
    columns=(
        *typed("string", "evaluator", "run_id", "factor_id"),
        *typed("Int64", "request_no"),
        *RUN,
        *typed("string", "arm", "tool", "return_status", "first", "mirror", "label", "status"),
        *typed("string", "reason"),
        *typed("Int64", "x", "delegation"),
        *STAMP,
    ),
    keys=("evaluator", "run_id", "factor_id", "request_no"),
)
"""One row per request × factor × evaluator. `first`, `mirror`: what each read says, restored;
`label`: Presence, UNKNOWN unless `status` is identified; `x` = P bit − Q bit (DR-56, DR-57).
`delegation`: the run's delegation in which it was made, null outside; it counts alike (DR-25)."""

DOCUMENTS = Table(
    name="documents",
    columns=(
        *typed("string", "evaluator", "run_id", "factor_id", "role"),
        *typed("Int64", "version_no", "seq"),
        *RUN,
        *typed("string", "arm", "text_sha256", "first", "mirror", "presence", "state", "status"),
        *typed("string", "reason"),
        *typed("Int64", "x", "main_first", "main_mirror", "resolved_first", "resolved_mirror"),
        *typed("Float64", "x_items"),
        *typed("boolean", "cap_hit"),
        *STAMP,
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
        *typed("string", "evaluator", "run_id", "factor_id"),
        *RUN,
        *typed("string", "arm"),
        *typed("Int64", "replicate"),
        *typed("boolean", "in_pair"),
        *typed("string", "run_state", "outcome"),
        *typed("Int64", *_COUNTS),
        *typed("Float64", "m"),
        *typed("string", "acq_presence", "acq_state", "acq_status", "acq_reason"),
        *typed("Int64", "n_drafts"),
        *typed("string", "first_draft_presence", "first_draft_state", "first_draft_reason"),
        *typed("string", "last_draft_presence", "last_draft_state", "last_draft_reason"),
        *typed("string", "final_presence", "final_state", "final_status", "final_reason"),
        *typed("Int64", "x"),
        *typed("Float64", "x_items"),
        *typed("string", "final_sha256"),
        *STAMP,
    ),
    keys=("evaluator", "run_id", "factor_id"),
)
"""One row per run × factor × evaluator: directional states at each locus (DR-76). `m` =
(P_ONLY − Q_ONLY) / identified (Q11); `acq_presence` = OR over identified requests. First and last
draft are those that were saved before the final was delivered. `in_pair`: whether the run stands in
a planned pair, by the study's pairing; the others are repeats (DR-111, Q16). Counts of a run that
is not done, or whose requests or workspace were not observed, are null, not 0."""

_ARM: Columns = (
    *typed("string", "run_id"),
    *typed("Int64", "replicate"),
    *typed("string", "run_state", "a_reason"),
    *typed("Int64", *_COUNTS),
    *typed("Float64", "m"),
    *typed("string", "acq_presence", "final_presence", "final_state", "f_reason"),
    *typed("Int64", "x"),
    *typed("Float64", "x_items"),
)

PAIRS = Table(
    name="pairs",
    columns=(
        *typed("string", "evaluator", "pair_id", "factor_id"),
        *RUN,
        *typed("string", "a_status", "f_status"),
        *typed("Float64", "d_a", "d_a_half"),
        *typed("boolean", "d_a_zero"),
        *typed("Int64", "d_f", "d_f_raw"),
        *typed("Float64", "d_f_half", "d_finals_mean"),
        *typed("Int64", "d_requests_sign"),
        *((f"{name}_p", kind) for name, kind in _ARM),
        *((f"{name}_q", kind) for name, kind in _ARM),
        *STAMP,
    ),
    keys=("evaluator", "harness", "model", "task_id", "pair_id"),
)
"""One row per planned pair × evaluator (Q16). `a_status`, `f_status`: readable, unreadable_p,
unreadable_q or unreadable_both; `a_reason_*`, `f_reason_*` say why per arm."""

ESTIMATE_COLUMNS: Columns = (
    *typed("string", "evaluator", "harness", "model", "estimand", "channel", "operator"),
    *typed("string", "population", "status", "reason"),
    *typed("Float64", "value"),
    *typed("Int64", "n_pairs", "n_readable_p", "n_readable_q", "n_readable"),
    *typed("Int64", "n_planned", "n_tasks", "n_tasks_planned"),
    *typed("Float64", "ci_lo", "ci_hi"),
    *typed("string", "ci_method"),
    *typed("boolean", "degenerate"),
    *typed("Float64", "ci_expanded_lo", "ci_expanded_hi", "ci_bca_lo", "ci_bca_hi"),
    *typed("Float64", "ci_t_lo", "ci_t_hi", "ci_score_lo", "ci_score_hi"),
    *typed("Float64", "ci_union_lo", "ci_union_hi"),
    *typed("string", "ci_union_method"),
    *typed("Float64", "signflip_p"),
    *typed("string", "signflip_method"),
    *typed("Float64", "loo_task_lo", "loo_task_hi", "loo_user_lo", "loo_user_hi"),
    *typed("Float64", "loo_factor_lo", "loo_factor_hi", "loo_model_lo", "loo_model_hi"),
    *typed("Float64", "twoway_lo", "twoway_hi"),
    *typed("Float64", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi", "open_lo", "open_hi"),
    *typed("Float64", "im_coarse_lo", "im_coarse_hi", "im_lo", "im_hi", "im_open_lo", "im_open_hi"),
    *typed("Float64", "tipping"),
    *typed("boolean", "tipping_reachable"),
    *typed("Float64", "range_lo", "range_hi"),
    *typed("string", "boot_generator"),
    *typed("Int64", "boot_seed", "boot_draws", "boot_tasks", "boot_empty", "boot_flat"),
    *typed("string", "boot_order", "unresolved_items", "pairing"),
    *typed("boolean", "primary"),
    *STAMP,
)

ESTIMATES = Table(
    name="estimates",
    columns=ESTIMATE_COLUMNS,
    keys=("evaluator", "harness", "model", "estimand", "population"),
)
"""One row per evaluator × harness × model (`all` or a name) × estimand × population.

Two estimands: population `readable` is the paper's mean over pairs that could be read; `planned`
is the mean over all planned pairs, a value only where all are readable, else bounds (`coarse`,
`sharp`, `open`), their Imbens-Manski intervals (`im_coarse`, `im` of the sharp bounds, `im_open`;
`imbens_manski.interval`) and the tipping point: the mean that unreadable pairs would need for the
planned mean to be 0, reachable where the sharp bounds contain 0.

Intervals are at 95 % with planned tasks as clusters (`intervals`): `ci` is the paper's percentile
interval (for a share of pairs Wilson's), `ci_expanded` Hesterberg's, `ci_bca`, `ci_t` bootstrap-t,
`ci_score`; `ci_union` of percentile, t and score is the recommended one. Percentiles interpolate
linearly (`numpy.quantile`). `loo_*`: least and greatest value with one task, user, factor or model
left out. `unresolved_items` and `pairing` are the choices under which the row was made. A
sign-flip test of n = `n_tasks` above 15 tasks draws `Generator(PCG64(boot_seed)).integers(0, 2,
(boot_draws, n))`, 1 meaning a flipped sign, and p = (1 + hits) / (1 + boot_draws). `boot_flat`
counts draws whose tasks all have one value, which have no t. `wilson` is over pairs taken as
independent; `wilson_tasks` and `wilson_scaled` are over tasks. Bounds are of the mean over all
`n_pairs` pairs: in the populations `dA_zero` and `dA_nonzero` those known to belong to them."""

OPERATORS = Table(
    name="operators",
    columns=ESTIMATE_COLUMNS,
    keys=("evaluator", "harness", "model", "channel", "operator", "population"),
)
"""The 2×2 of operator × channel over readable and common-readable pairs, with ranges."""

SENSITIVITY = Table(
    name="sensitivity",
    columns=(*typed("string", "setting", "choice"), *ESTIMATE_COLUMNS),
    keys=("setting", "choice", "evaluator", "harness", "model", "estimand", "population"),
)
"""Main estimates again, one setting changed at a time; the study's own choice is listed too."""

TASKS = Table(
    name="tasks",
    columns=(
        *typed("string", *GROUP, "estimand", "task_id", "status"),
        *typed("Float64", "value", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi"),
        *typed("Int64", "n_readable", "n_planned"),
        *STAMP,
    ),
    keys=(*GROUP, "estimand", "task_id"),
)
"""What the task-equal means are means of: D_A and D_F of each task, with its bounds."""

READABILITY = Table(
    name="readability",
    columns=(
        *typed("string", "evaluator", "harness", "model", "unit", "channel", "arm", "state"),
        *typed("string", "status", "reason"),
        *typed("Int64", "n", "n_planned"),
        *STAMP,
    ),
    keys=(*GROUP, "unit", "channel", "arm", "state", "status", "reason"),
)
"""Counts by unit (pair, panel, arm, run, request), arm, state and cause; `n_planned` = all units of
that group. Unit `panel` crosses the channels: both, A_only, F_only, neither, and d_A = 0 or not."""

RISK_SET = Table(
    name="risk_set",
    columns=(
        *typed("string", "evaluator", "harness", "model", "start", "unit"),
        *typed("Int64", "n", "n_own", "n_other", "n_both", "n_none"),
        *STAMP,
    ),
    keys=("evaluator", "harness", "model", "start", "unit"),
)
"""Readable start states of draft-to-final comparisons (DR-99, Q15): of runs that `persistence_runs`
compares with their own final, so that `n` is the sum of `n_start` in `persistence_shares`; no rows
of harnesses that submit the saved draft itself (DR-23)."""

DRAFT_FINAL = Table(
    name="draft_final",
    columns=(
        *typed("string", "harness", "model"),
        *typed("Int64", "n_planned", "n_done", "n_unobserved", "n_final", "n_draft", "n_both"),
        *typed("Int64", "n_same"),
        *typed("Float64", "same_share", "same_lo", "same_hi"),
        *typed("Int64", "n_timed", "n_after"),
        *typed("Float64", "after_share", "after_lo", "after_hi"),
        *typed("string", "persistence", "persistence_reason"),
        *STAMP,
    ),
    keys=("harness", "model"),
)
"""Runs by what they have (DR-23, DR-24, DR-95), one row per harness × model. `n_unobserved` done
runs were not observed in full and stand in no later count; `n_same` of `n_both` have a last draft
equal to the final; `n_after` of `n_timed` (a draft before the final, and a request) saved the first
draft after the last request. Intervals are Wilson's at 95 %, runs taken as independent.
`persistence` is `refused`, with a reason, where the saved draft itself is submitted."""

DELEGATION = Table(
    name="delegation",
    columns=(
        *typed("string", "harness", "model"),
        *typed("boolean", "offered"),
        *typed("Int64", "n_planned", "n_observed", "n_invoked", "delegations"),
        *typed("Int64", "requests", "requests_delegated"),
        *STAMP,
    ),
    keys=("harness", "model"),
)
"""Delegation offered and invoked (DR-25), one row per harness × model: `n_invoked` of
`n_observed` runs delegated, `delegations` times in all; `requests_delegated` of the executed
`requests` were made inside."""
