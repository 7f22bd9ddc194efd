"""Runs that were told two facts: whether both stand in the final and in no request (DR-82)."""

import numpy as np
import pandas as pd

from draligned.measure import restore as rs
from draligned.measure.made import Made
from draligned.schema.labels import Observes, Side

_UNIT = ["evaluator", "run_id"]


def only_in_final(made: Made) -> pd.DataFrame:
    """Runs whose final expresses both told endpoints while no request can be seen to, by
    `evaluator`, `run_id`, `factor_id` (of the first fact) and `certainty`.

    A request known not to express one of the two expresses not both, whatever the other label. A
    run with a request that may express both is `uncertain`; one without requests, or seen in
    part, is no case.
    """
    requests = _both(made, made.requests, ["request_no"])
    finals = _both(made, made.documents[made.documents["role"] == "final"], [])
    shown = finals[(finals["own_1"] == 1) & (finals["own_2"] == 1)]
    told = requests.assign(
        together=(requests["own_1"] == 1) & (requests["own_2"] == 1),
        apart=(requests["own_1"] == 0) | (requests["own_2"] == 0),
    )
    runs = told.groupby(_UNIT)[["together", "apart"]].agg(["any", "all"])
    never = runs[~runs["together", "any"]]
    certain = pd.Series(np.where(never["apart", "all"], "certain", "uncertain"), index=never.index)
    found = shown.merge(certain.rename("certainty").reset_index(), on=_UNIT)
    seen = made.readings.runs
    full = seen.loc[(seen["observes_a"] == Observes.FULL.value).to_numpy(dtype=bool), "run_id"]
    return found[found["run_id"].isin(full)].sort_values(_UNIT, ignore_index=True)


def _both(made: Made, rows: pd.DataFrame, unit: list[str]) -> pd.DataFrame:
    """Units with 1, 0 or −1 (unknown) for each of the two facts that their run was told."""
    first = made.readings.runs[["run_id", "factor_id", "arm"]].rename(columns={"arm": "side"})
    second = made.inputs.second.astype("str")
    told = [_told(rows, which, name, unit) for which, name in ((first, "1"), (second, "2"))]
    return told[0].merge(told[1].drop(columns="factor_id"), on=[*_UNIT, *unit])


def _told(rows: pd.DataFrame, sides: pd.DataFrame, name: str, unit: list[str]) -> pd.DataFrame:
    own = rows.merge(sides, on=["run_id", "factor_id"])
    bits = own["bits"].to_numpy(dtype=np.int64)
    bit = np.where((own["side"] == Side.P.value).to_numpy(dtype=bool), rs.P_BIT, rs.Q_BIT)
    shown = np.where(bits < 0, -1, ((bits & bit) > 0).astype(np.int64))
    return own[[*_UNIT, *unit, "factor_id"]].assign(**{f"own_{name}": shown})
