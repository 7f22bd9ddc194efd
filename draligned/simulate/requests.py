"""Reads of planted requests, in slot terms, with mirrored orientations and retests."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.schema.labels import CellStatus, ReadRole, Side, SlotLabel
from draligned.simulate.plan import Plan

Codes = NDArray[np.int64]

NEITHER, OTHER, OWN, BOTH = 0, 1, 2, 3
"""What a request leans to, relative to the run's endpoint."""

_SLOTS = np.array(
    [
        SlotLabel.NEITHER.value, SlotLabel.BETA_ONLY.value, SlotLabel.ALPHA_ONLY.value,
        SlotLabel.BOTH.value,
    ],
    dtype=object,
)  # fmt: skip


def request_reads(
    plan: Plan, runs: pd.DataFrame, rng: np.random.Generator, evaluator: str
) -> pd.DataFrame:
    """Rows of `request_reads` for `runs`, which carry `alpha` (first read), `scale`, `is_p`."""
    sizes = rng.integers(plan.min_requests, plan.max_requests + 1, size=len(runs))
    requests = runs.loc[runs.index.repeat(sizes)].reset_index(drop=True)
    requests["request_no"] = np.concatenate([np.arange(1, n + 1) for n in sizes])
    requests["tool"] = np.where(rng.random(len(requests)) < 0.7, "search", "read")
    requests["return_status"] = np.where(rng.random(len(requests)) < 0.9, "ok", "error")
    requests["lean"] = _leans(plan, requests["scale"].to_numpy(), rng)
    lost = _lost(plan, runs, sizes, rng)
    parts = [
        _read(requests, ReadRole.FIRST, lost == 1, lost == 3, plan, rng),
        _read(requests, ReadRole.MIRROR, lost == 2, lost == 4, plan, rng),
        _retest(requests, rng),
    ]
    return pd.concat(parts, ignore_index=True).assign(evaluator=evaluator, delegation=None)


def _leans(plan: Plan, scale: NDArray[np.float64], rng: np.random.Generator) -> Codes:
    own, other = plan.own * scale, plan.other * scale
    draw = rng.random(len(scale))
    return np.select(
        [draw < own, draw < own + other, draw < own + other + plan.both],
        [OWN, OTHER, BOTH],
        NEITHER,
    )


def _lost(plan: Plan, runs: pd.DataFrame, sizes: Codes, rng: np.random.Generator) -> Codes:
    """0 fine; 1, 2 the first or the mirrored read abstains; 3, 4 it is void."""
    silent = np.repeat(rng.random(len(runs)) < plan.silent, sizes)
    draw = rng.random(len(silent))
    which = rng.integers(0, 2, size=len(silent))
    kind = np.select([draw < plan.request_abstain, draw < plan.request_abstain + plan.request_void],
                     [1 + which, 3 + which], 0)  # fmt: skip
    return np.where(silent & (kind == 0), 1 + which, kind)


def _read(
    requests: pd.DataFrame,
    role: ReadRole,
    abstains: NDArray[np.bool_],
    void: NDArray[np.bool_],
    plan: Plan,
    rng: np.random.Generator,
) -> pd.DataFrame:
    alpha_is_p = (requests["alpha"] == Side.P.value).to_numpy() ^ (role is ReadRole.MIRROR)
    wrong = rng.random(len(requests)) < plan.read_error
    turned = (alpha_is_p != requests["is_p"].to_numpy()) ^ wrong
    label = _SLOTS[turn(requests["lean"].to_numpy(), turned)]
    label[abstains] = SlotLabel.UNKNOWN.value
    label[void] = None
    return _rows(requests).assign(
        read=role.value,
        alpha=np.where(alpha_is_p, Side.P.value, Side.Q.value),
        status=np.where(void, CellStatus.VOID.value, CellStatus.VALID.value),
        label=label,
        reason=np.where(void, "no_quote", ""),
    )


def _retest(requests: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Retests of a tenth of the runs that say anything: labels must not hear them."""
    chosen = requests[requests["run_id"].str[0] == "0"]
    return _rows(chosen).assign(
        read=ReadRole.RETEST.value,
        alpha=chosen["alpha"],
        status=CellStatus.VALID.value,
        label=rng.choice(_SLOTS, size=len(chosen)),
        reason=None,
    )


def _rows(requests: pd.DataFrame) -> pd.DataFrame:
    return requests[["run_id", "factor_id", "request_no", "tool", "return_status"]]


def turn(lean: Codes, turned: NDArray[np.bool_]) -> Codes:
    """Own and other exchanged where `turned`."""
    return np.where(turned, np.array([NEITHER, OWN, OTHER, BOTH])[lean], lean)
