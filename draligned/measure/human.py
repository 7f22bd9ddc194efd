"""Labels by people: agreement with evaluators, and estimates corrected by them (DR-102, DR-103).

Only labels of units that were drawn at random can correct an estimate. The corrected D_F is a
difference estimator: every pair of the population counts with what the evaluator says of it (0
where it says nothing), and the labelled pairs show by how much that is wrong on the average. Its
interval is over which pairs happened to be drawn, the tasks being what they are; it stays right
however bad the evaluator is, which only makes it wide.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student

from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.proportions import wilson
from draligned.schema.errors import InventoryError
from draligned.schema.frames import LABELLED

Floats = NDArray[np.float64]
LEVEL = 0.95
_BY = ("sample_id", "labeller", *GROUP)

HUMAN_CORRECTED = Table(
    name="human_corrected",
    columns=(
        *typed("string", *_BY, "estimand", "status", "reason"),
        *typed("Int64", "n_population", "n_drawn", "n_decided"),
        *typed("Float64", "by_evaluator", "value", "value_lo", "value_hi"),
        *typed("Float64", "ci_lo", "ci_hi"),
        *typed("string", "ci_method"),
        *STAMP,
    ),
    keys=_BY,
)
"""One row per sample × person × evaluator × harness × model. D_F (task-equal, as in `estimates`)
over the `n_population` pairs that could have been drawn; `n_drawn` of them were, and both finals of
`n_decided` were labelled. `by_evaluator`: with the evaluator's values alone, 0 where it has none.
`value_lo`, `value_hi`: with every undecided pair at either extreme; equal to `value` where none is.
`ci_lo`, `ci_hi`: from the lower value's lower to the upper value's upper limit, by Student's t with
the finite population correction and two made-up errors, so that rare errors do not go unreckoned.
Labels of different people are never pooled."""

HUMAN_AGREEMENT = Table(
    name="human_agreement",
    columns=(
        *typed("string", *_BY, "status", "reason"),
        *typed("Int64", "n_drawn", "n_texts", "n_human", "n_gated", "n_same", "n_opposite"),
        *typed("Float64", "same_share", "same_lo", "same_hi"),
        *typed("string", "same_method"),
        *STAMP,
    ),
    keys=_BY,
)
"""One row per sample × person × evaluator × harness × model: `n_texts` finals of the drawn pairs,
`n_human` with a final human label, `n_gated` of these accepted by the evaluator (DR-70, Q17),
`n_same` with the same label, `n_opposite` with P_ONLY against Q_ONLY. `same_share` is of `n_gated`.
The interval keeps the two finals of a pair together, with the finite population correction; where
all pairs are alike it is Wilson's over pairs."""


class _Group(NamedTuple):
    """The population pairs of one sample, person, evaluator, harness and model."""

    names: dict[str, object]
    rows: pd.DataFrame
    """All population pairs of sample, person and evaluator; `inside` says which are the group's."""


def human_corrected(made: Made) -> pd.DataFrame:
    """Rows of `HUMAN_CORRECTED`. Raises `InventoryError` for a drawn pair that is not planned."""
    rows = [_corrected(group) for group in _groups(made)]
    return pd.DataFrame(rows, columns=[name for name, _ in HUMAN_CORRECTED.columns[:-1]])


def human_agreement(made: Made) -> pd.DataFrame:
    """Rows of `HUMAN_AGREEMENT`."""
    rows = [_agreement(group) for group in _groups(made)]
    return pd.DataFrame(rows, columns=[name for name, _ in HUMAN_AGREEMENT.columns[:-1]])


def _groups(made: Made) -> Iterator[_Group]:
    labelled = made.inputs.labelled[list(LABELLED)]
    if labelled.empty:
        return
    if labelled.duplicated(["sample_id", "labeller", "pair_id"]).any():
        raise InventoryError("labelled: a pair stands twice for one person and sample")
    if made.config.pairing != "first":
        raise InventoryError("labels of people go with pairing = 'first' in study.toml")
    pairs = _pairs(made.pairs)
    for (sample, person), own in labelled.groupby(["sample_id", "labeller"], sort=True):
        for evaluator, there in pairs.groupby("evaluator", sort=True):
            joined = own.merge(there, on="pair_id", how="left")
            if joined["task_id"].isna().any():
                raise InventoryError(f"sample {sample}: a pair of it is no longer planned")
            found = {"sample_id": sample, "labeller": person, "evaluator": evaluator}
            yield from _by_model(found, joined)


def _by_model(found: dict[str, object], joined: pd.DataFrame) -> Iterator[_Group]:
    for harness, mine in joined.groupby("harness", sort=True):
        here = joined["harness"] == harness
        for model in [ALL_MODELS, *sorted(mine["model"].unique())]:
            inside = here & ((joined["model"] == model) | (model == ALL_MODELS))
            names = {**found, "harness": harness, "model": model}
            yield _Group(names, joined.assign(inside=inside))


_X = {"P_ONLY": 1.0, "Q_ONLY": -1.0, "BOTH": 0.0, "NEITHER": 0.0}


def _pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """What the evaluators say of each pair; 0 stands for a pair of which they say nothing."""
    readable = (pairs["f_status"] == "readable").to_numpy()
    names = ["pair_id", "evaluator", "harness", "model", "task_id", "final_bits_p", "final_bits_q"]
    return pairs[names].assign(proxy=np.where(readable, pairs["d_f"], 0).astype(float))


def _corrected(group: _Group) -> dict[str, object]:
    rows = group.rows
    drawn = rows["drawn"].to_numpy(dtype=bool)
    inside = rows["inside"].to_numpy(dtype=bool)
    human = _human(rows)
    decided = drawn & ~np.isnan(human)
    weight = _weights(rows["task_id"], inside)
    proxy = rows["proxy"].to_numpy()
    ends = [_difference(weight, proxy, np.where(decided, human, end), drawn) for end in (-1.0, 1.0)]
    n_drawn, n_decided = int((drawn & inside).sum()), int((decided & inside).sum())
    lacking = "no_pair_drawn" if not n_drawn else "one_pair_drawn" if drawn.sum() < 2 else None
    same = {
        **group.names,
        "estimand": "D_F",
        "n_population": int(inside.sum()),
        "n_drawn": n_drawn,
        "n_decided": n_decided,
        "by_evaluator": float(weight @ proxy),
    }
    if lacking:
        return {**same, "status": "unknown", "reason": lacking}
    low, high = ends
    whole = n_drawn == n_decided
    return {
        **same,
        "status": "estimated" if whole else "bounded",
        "reason": None if whole else "undecided_pairs",
        "value": _inside(low.value) if whole else None,
        "value_lo": _inside(low.value),
        "value_hi": _inside(high.value),
        "ci_lo": _inside(low.value - low.half),
        "ci_hi": _inside(high.value + high.half),
        "ci_method": "difference_t_plus2",
    }


def _inside(value: float) -> float:
    """The nearest possible D_F: a difference estimate may fall outside."""
    return min(1.0, max(-1.0, value))


def _human(rows: pd.DataFrame) -> Floats:
    """d_F of the people's labels; NaN, inside this file alone, where one is not decided."""
    x = [rows[name].map(_X).to_numpy(dtype=float) for name in ("label_p", "label_q")]
    return np.sign(x[0] - x[1])


def _weights(tasks: pd.Series, inside: NDArray[np.bool_]) -> Floats:
    """Each task alike, each pair of a task alike; 0 outside the group."""
    mine = tasks[inside]
    per_task = mine.map(mine.value_counts()).to_numpy(dtype=float)
    weight = np.zeros(len(tasks))
    weight[inside] = 1 / (mine.nunique() * per_task)
    return weight


class _Estimate(NamedTuple):
    value: float
    half: float


def _difference(
    weight: Floats, proxy: Floats, human: Floats, drawn: NDArray[np.bool_]
) -> _Estimate:
    """The difference estimator of Σ weight · human, and half of its interval.

    Where the evaluator is seldom wrong, few errors or none are met, and their own spread would
    promise far too much. Two made-up pairs, wrong by +1 and by −1, enter the spread alone.
    """
    n, size = int(drawn.sum()), len(drawn)
    errors = weight[drawn] * (human[drawn] - proxy[drawn])
    value = float(weight @ proxy) + size * float(errors.mean())
    if n < 2:
        return _Estimate(value, 0.0)
    usual = float(weight[weight > 0].mean())
    spread = float(np.var([*errors, usual, -usual], ddof=1))
    variance = size**2 * (1 - n / size) * spread / n
    return _Estimate(value, float(student.ppf((1 + LEVEL) / 2, n - 1)) * variance**0.5)


def _agreement(group: _Group) -> dict[str, object]:
    rows = group.rows[group.rows["drawn"].to_numpy(dtype=bool) & group.rows["inside"]]
    human = [rows[f"label_{side}"].map(_BITS).to_numpy(dtype=float) for side in "pq"]
    machine = [rows[f"final_bits_{side}"].to_numpy(dtype=float) for side in "pq"]
    known = [~np.isnan(h) for h in human]
    gated = [k & (m >= 0) for k, m in zip(known, machine, strict=True)]
    same = [g & (h == m) for g, h, m in zip(gated, human, machine, strict=True)]
    against = [g & (h + m == 3) & (h * m == 2) for g, h, m in
               zip(gated, human, machine, strict=True)]  # fmt: skip
    per_pair = [sum(flags).astype(float) for flags in (gated, same)]
    n_gated = int(per_pair[0].sum())
    share = int(per_pair[1].sum()) / n_gated if n_gated else None
    low, high, method = _share_interval(per_pair[0], per_pair[1], len(group.rows),
                                        int(group.rows["drawn"].sum()))  # fmt: skip
    return {
        **group.names,
        "status": "estimated" if n_gated else "unknown",
        "reason": None if n_gated else "nothing_gated",
        "n_drawn": len(rows),
        "n_texts": 2 * len(rows),
        "n_human": int(sum(k.sum() for k in known)),
        "n_gated": n_gated,
        "n_same": int(per_pair[1].sum()),
        "n_opposite": int(sum(a.sum() for a in against)),
        "same_share": share,
        "same_lo": low,
        "same_hi": high,
        "same_method": method,
    }


_BITS = {"P_ONLY": 2.0, "Q_ONLY": 1.0, "BOTH": 3.0, "NEITHER": 0.0}


def _share_interval(
    gated: Floats, same: Floats, size: int, drawn: int
) -> tuple[float | None, float | None, str | None]:
    """Limits of Σ same / Σ gated over drawn pairs, as a ratio of means."""
    if not gated.sum():
        return None, None, None
    share = same.sum() / gated.sum()
    errors = np.zeros(drawn)
    errors[: len(gated)] = same - share * gated
    spread = float(errors.var(ddof=1)) if drawn > 1 else 0.0
    if spread == 0:
        pairs = int((gated > 0).sum())
        found = wilson(share * pairs, pairs)
        return (*found, "wilson_pairs") if found else (None, None, None)
    error = ((1 - drawn / size) * spread / drawn) ** 0.5 * drawn / gated.sum()
    half = float(student.ppf((1 + LEVEL) / 2, drawn - 1)) * error
    return max(0.0, share - half), min(1.0, share + half), "ratio_t"


MAKERS = {HUMAN_CORRECTED: human_corrected, HUMAN_AGREEMENT: human_agreement}
