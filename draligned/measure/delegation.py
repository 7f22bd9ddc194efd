"""Delegation: offered by a harness and invoked in a run are two facts (DR-25)."""

import pandas as pd

from draligned.measure.contrasts import ALL_MODELS

_BY = ["harness", "model"]
_SUMS = ["delegations", "requests", "requests_delegated"]
_COUNTS = ["n_planned", "n_observed", "n_invoked"]


def delegation(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per harness × model (and `all`), from checked `runs`.

    `n_observed` runs have counts; of these `n_invoked` delegated at least once. `requests` are
    all that were executed, `requests_delegated` those of them inside a delegation.
    """
    own = runs.drop_duplicates("run_id")
    counts = {
        "n_planned": pd.Series(1, index=own.index),
        "n_observed": own["delegations"].notna().astype("Int64"),
        "n_invoked": (own["delegations"].fillna(0) > 0).astype("Int64"),
    }
    rows = own[_BY].assign(**counts, **{name: own[name].fillna(0) for name in _SUMS})
    both = pd.concat([rows, rows.assign(model=ALL_MODELS)], ignore_index=True)
    found = both.groupby(_BY, sort=True)[[*_COUNTS, *_SUMS]].sum().reset_index()
    offered = runs.drop_duplicates("harness").set_index("harness")["delegation_offered"]
    return found.assign(offered=found["harness"].map(offered).astype("boolean"))
