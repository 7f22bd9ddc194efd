"""How often each value of a kind is the recorded one (P) and the counterfactual one (Q).

P is what the user's profile records, so a value that is always P differs from its counterfactual in
more than its content. Where another persona records the other value, the same two values stand in
both roles, and D can be seen with either one recorded.
"""

import numpy as np
import pandas as pd

from draligned.measure.layout import STAMP, Table, typed
from draligned.measure.made import Made

ROLE_BALANCE = Table(
    name="role_balance",
    columns=(
        *typed("string", "evaluator", "harness", "kind", "recorded", "counterfactual", "roles"),
        *typed("Int64", "n_factors", "n_factors_reversed", "n_pairs", "n_pairs_reversed"),
        *typed("Int64", "n_tasks", "n_readable_a", "n_readable_f"),
        *typed("Float64", "d_a", "d_f"),
        *STAMP,
    ),
    keys=("evaluator", "harness", "kind", "recorded", "counterfactual"),
)
"""One row per couple of values in the roles that they have: `n_factors` record the one, of
`n_factors_reversed` factors it is the counterfactual; pairs and tasks are planned ones, all models
together. `roles`: `balanced` (as many pairs either way), `both` (either way, not as many),
`one_way`. `d_a`, `d_f`: means over the pairs that could be read, null where none could, without an
interval: rows of a few pairs, to be looked at beside each other."""

COUPLE = ["kind", "recorded", "counterfactual"]
_ROW = ["evaluator", "harness", *COUPLE]


def role_balance(made: Made) -> pd.DataFrame:
    """Rows of `ROLE_BALANCE`, unsorted; none where the values of factors were not given."""
    factors = made.inputs.factors.astype("str")
    names = {"p_value": "recorded", "q_value": "counterfactual"}
    pairs = made.pairs.merge(factors.rename(columns=names), on="factor_id")
    if pairs.empty:
        return pd.DataFrame(columns=[name for name, _ in ROLE_BALANCE.columns])
    found = _counted(pairs)
    turned = {"recorded": "counterfactual", "counterfactual": "recorded"}
    counts = ["n_factors", "n_pairs"]
    other = found[[*_ROW, *counts]].rename(columns=turned | {n: f"{n}_reversed" for n in counts})
    found = found.merge(other, on=_ROW, how="left")
    reverse = {n: found[f"{n}_reversed"].fillna(0).astype(np.int64) for n in counts}
    alone, alike = reverse["n_pairs"] == 0, reverse["n_pairs"] == found["n_pairs"]
    roles = np.where(alone, "one_way", np.where(alike, "balanced", "both"))
    return found.assign(**{f"{n}_reversed": v for n, v in reverse.items()}, roles=roles)


def _counted(pairs: pd.DataFrame) -> pd.DataFrame:
    readable = {c: pairs[f"{c}_status"] == "readable" for c in "af"}
    rows = pairs.assign(
        a=readable["a"].astype(np.int64),
        f=readable["f"].astype(np.int64),
        sum_a=pairs["d_a"].where(readable["a"], 0.0),
        sum_f=pairs["d_f"].where(readable["f"], 0),
    )
    by = rows.groupby(_ROW, sort=True)
    found = by[["a", "f", "sum_a", "sum_f"]].sum().reset_index()
    for name, column in (("n_factors", "factor_id"), ("n_tasks", "task_id"), ("n_pairs", None)):
        counted = by.size() if column is None else by[column].nunique()
        found = found.merge(counted.rename(name).reset_index(), on=_ROW)
    means = {
        f"d_{c}": (found[f"sum_{c}"] / found[c].clip(lower=1)).astype("Float64").mask(found[c] == 0)
        for c in "af"
    }
    return found.rename(columns={"a": "n_readable_a", "f": "n_readable_f"}).assign(**means)


MAKERS = {ROLE_BALANCE: role_balance}
