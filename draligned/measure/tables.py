"""All tables of measure from what was run and read.

`build_tables(inputs, MeasureConfig(), primary=("D_A", "D_F"))` is the room's front door. The
caller sees to it that one evaluator's reads share one protocol hash.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import (
    agenda,
    allocation,
    arms,
    cases,
    coexpression,
    distances,
    human,
    inference,
    long,
    masked,
    persistence_shares,
    placebo,
    read_controls,
    reentry,
    retained,
    role_balance,
    sentinels,
    timing,
    transitions,
)
from draligned.measure import columns as main
from draligned.measure import restore as rs
from draligned.measure.contrasts import (
    Group,
    Primary,
    estimates,
    groups,
    main_targets,
    operator_targets,
    together,
)
from draligned.measure.delegation import delegation
from draligned.measure.documents import Policy, read_words, relative_state
from draligned.measure.drafts import draft_final
from draligned.measure.layout import Table, finish
from draligned.measure.made import Made, matrix_of
from draligned.measure.matrix import NOT_OBSERVED
from draligned.measure.pairs import COUNTS, NOT_PLANNED, Pairing, build_pairs
from draligned.measure.readability import readability
from draligned.measure.risk import risk_set
from draligned.measure.tasks import task_means
from draligned.measure.variants import sensitivity
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import MeasureInputs

Tables = dict[str, pd.DataFrame]
Makers = Mapping[Table, Callable[[Made], pd.DataFrame]]


def build_tables(
    inputs: MeasureInputs,
    config: MeasureConfig,
    primary: Sequence[str],
    *,
    evaluators: Sequence[str] = (),
    only: Collection[str] | None = None,
) -> Tables:
    """Tables by name (layouts: the keys of `MAKERS`), sorted, typed, without NaN.

    `primary` names the estimands of the lock (`D_A` or `D_A/planned`). `evaluators` are the
    planned ones, the primary first; without it every evaluator found in the reads counts as
    primary. `only` names the tables wanted, all by default. Raises `InventoryError` for rows
    that occur twice or belong to no planned run.
    """
    named = Primary(names=tuple(primary), evaluator=next(iter(evaluators), None))
    made = Made(inputs=inputs, config=config, primary=named, evaluators=tuple(evaluators))
    return {
        table.name: finish(_stamped(make(made), made.readings.runs), table)
        for table, make in MAKERS.items()
        if only is None or table.name in only
    }


def _stamped(frame: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Every row says whether its harness is for development only (DR-20)."""
    apart = set(runs.loc[runs["development"].to_numpy(dtype=bool), "harness"])
    return frame.assign(development=frame["harness"].isin(apart).astype("boolean"))


def _sensitivity(made: Made) -> pd.DataFrame:
    chosen = (made.config.unresolved_items, made.config.pairing)

    @cache
    def matrix_for(policy: Policy, answered_only: bool) -> pd.DataFrame:
        if (policy, answered_only) == (chosen[0], False):
            return made.matrix
        return matrix_of(made.readings, policy, answered_only=answered_only)[0]

    @cache
    def panels_for(policy: Policy, pairing: Pairing, answered_only: bool) -> tuple[Group, ...]:
        if (policy, pairing, answered_only) == (*chosen, False):
            return together(made.panels)
        return groups(build_pairs(matrix_for(policy, answered_only), pairing), by_model=False)

    return sensitivity(panels_for, chosen, made.settings)


def _requests_table(requests: pd.DataFrame) -> pd.DataFrame:
    bits = requests["bits"].to_numpy()
    said = {role: requests[f"read_{role}"].to_numpy(dtype=bool) for role in ("first", "mirror")}
    words = {role: rs.presence_words(requests[f"bits_{role}"].to_numpy()) for role in said}
    return requests.assign(
        **{role: rs.only(said[role], words[role]) for role in said},
        label=rs.presence_words(bits),
        status=np.where(bits >= 0, "identified", "unknown"),
        reason=rs.none_if_blank(requests["reason"].to_numpy(dtype=object)),
        x=_if(bits >= 0, rs.readout(bits)),
    )


def _documents_table(documents: pd.DataFrame) -> pd.DataFrame:
    bits = documents["bits"].to_numpy()
    state = relative_state(bits, documents["arm"])
    cap = documents["cap_hit_first"].fillna(0) + documents["cap_hit_mirror"].fillna(0)
    return documents.assign(
        first=read_words(documents, "first"),
        mirror=read_words(documents, "mirror"),
        presence=rs.presence_words(bits),
        state=rs.only(documents["arm"].notna().to_numpy(dtype=bool), state),
        status=np.where(bits >= 0, "accepted", "unknown"),
        reason=rs.none_if_blank(documents["reason"].to_numpy(dtype=object)),
        x=_if(bits >= 0, rs.readout(bits)),
        main_first=documents["n_main_first"],
        main_mirror=documents["n_main_mirror"],
        resolved_first=documents["n_resolved_first"],
        resolved_mirror=documents["n_resolved_mirror"],
        x_items=_if(bits >= 0, documents["x_items"].to_numpy()),
        cap_hit=cap > 0,
    )


def _matrix_table(matrix: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    paired = pd.concat([pairs["run_id_p"], pairs["run_id_q"]])
    bits = {name: matrix[f"{name}_bits"].to_numpy() for name in _LOCI}
    reasons = {name: matrix[f"{name}_reason"].to_numpy(dtype=object) for name in _LOCI}
    status = {
        f"{name}_status": np.where(reasons[name] == "", "readable", "unreadable") for name in _LOCI
    }
    return matrix.assign(
        in_pair=matrix["run_id"].isin(paired),
        **{f"{name}_presence": rs.presence_words(bits[name]) for name in _LOCI},
        **{f"{name}_reason": rs.none_if_blank(reasons[name]) for name in _LOCI},
        **status,
        **_counted(matrix, COUNTS, matrix["acq_reason"]),
        **_counted(matrix, ["n_drafts"], matrix["first_draft_reason"]),
        m=_if(reasons["acq"] == "", matrix["m"].to_numpy()),
        x=_if(bits["final"] >= 0, rs.readout(bits["final"])),
        x_items=_if(bits["final"] >= 0, matrix["final_x_items"].to_numpy()),
    )


_LOCI = ("acq", "first_draft", "last_draft", "final")
_NOT_DONE = ("run_failed", "run_censored", "run_open", "run_excluded", NOT_PLANNED)


def _counted(frame: pd.DataFrame, names: Sequence[str], reason: pd.Series) -> dict[str, pd.Series]:
    """Counts, null where nothing was observed: that is not a count of zero (DESIGN §2)."""
    unseen = reason.isin([*_NOT_DONE, NOT_OBSERVED]).to_numpy(dtype=bool)
    return {name: _if(~unseen, frame[name].to_numpy()) for name in names}


def _pairs_table(pairs: pd.DataFrame) -> pd.DataFrame:
    a = (pairs["a_status"] == "readable").to_numpy()
    f = (pairs["f_status"] == "readable").to_numpy()
    values: dict[str, pd.Series] = {
        name: _if(a, pairs[name].to_numpy()) for name in ("d_a", "d_a_zero", "d_requests_sign")
    }
    values |= {name: _if(f, pairs[name].to_numpy()) for name in ("d_f", "d_f_raw", "d_finals_mean")}
    values["d_a_half"] = values["d_a"] / 2
    values["d_f_half"] = values["d_f_raw"] / 2
    for side in ("p", "q"):
        values |= _arm_columns(pairs, side)
    return pairs.assign(**values)


def _arm_columns(pairs: pd.DataFrame, side: str) -> dict[str, pd.Series]:
    a = (pairs[f"a_reason_{side}"] == "").to_numpy()
    f = (pairs[f"f_reason_{side}"] == "").to_numpy()
    columns = {
        "acq_presence": rs.presence_words(pairs[f"acq_bits_{side}"].to_numpy()),
        "final_presence": rs.presence_words(pairs[f"final_bits_{side}"].to_numpy()),
        "a_reason": rs.none_if_blank(pairs[f"a_reason_{side}"].to_numpy(dtype=object)),
        "f_reason": rs.none_if_blank(pairs[f"f_reason_{side}"].to_numpy(dtype=object)),
        "m": _if(a, pairs[f"m_{side}"].to_numpy()),
        "x": _if(f, pairs[f"x_{side}"].to_numpy()),
        "x_items": _if(f, pairs[f"x_items_{side}"].to_numpy()),
    }
    counts = _counted(pairs, [f"{n}_{side}" for n in COUNTS], pairs[f"a_reason_{side}"])
    return counts | {f"{name}_{side}": pd.Series(values) for name, values in columns.items()}


def _if(known: rs.Flags, values: NDArray[Any]) -> pd.Series:
    """Values where known, null elsewhere."""
    series = pd.Series(values)
    if values.dtype.kind == "f":
        return series.astype("Float64").mask(~known)
    return series.astype("Int64").mask(~known)


_MAIN: Makers = {
    main.REQUESTS: lambda made: _requests_table(made.requests),
    main.DOCUMENTS: lambda made: _documents_table(made.documents),
    main.MATRIX: lambda made: _matrix_table(made.matrix, made.pairs),
    main.PAIRS: lambda made: _pairs_table(made.pairs),
    main.ESTIMATES: lambda made: estimates(made.panels, main_targets, made.settings, made.primary),
    main.OPERATORS: lambda made: estimates(made.panels, operator_targets, made.settings),
    main.SENSITIVITY: _sensitivity,
    main.TASKS: lambda made: task_means(made.panels),
    main.READABILITY: lambda made: readability(made.pairs, made.matrix, made.requests),
    main.RISK_SET: lambda made: risk_set(made.comparisons),
    main.DRAFT_FINAL: lambda made: draft_final(made.readings.runs, made.readings.documents),
    main.DELEGATION: lambda made: delegation(made.readings.runs),
}

MAKERS: Makers = {
    **_MAIN,
    **inference.MAKERS,
    **long.MAKERS,
    **read_controls.MAKERS,
    **placebo.MAKERS,
    **masked.MAKERS,
    **agenda.MAKERS,
    **allocation.MAKERS,
    **transitions.MAKERS,
    **reentry.MAKERS,
    **sentinels.MAKERS,
    **human.MAKERS,
    **retained.MAKERS,
    **persistence_shares.MAKERS,
    **distances.MAKERS,
    **cases.MAKERS,
    **timing.MAKERS,
    **arms.MAKERS,
    **coexpression.MAKERS,
    **role_balance.MAKERS,
}
"""Every table and how it is made."""

TABLES = tuple(MAKERS)
"""Layouts of all tables."""
