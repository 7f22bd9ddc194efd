"""Rows that rest on scripted behaviour say so, in whichever table they stand."""

from collections.abc import Collection

import pandas as pd

ALL = "(all)"
"""Deployments together; no deployment can have this name in study.toml's bare keys."""


def marked(table: pd.DataFrame, rehearsals: Collection[str]) -> pd.DataFrame:
    """With `rehearsal`: whether a row rests on a deployment that plays scripted behaviour.

    A row of all deployments together, or of none by name, does where any of them does.
    """
    played = pd.Series(bool(rehearsals), index=table.index)
    if "deployment" in table:
        own = table["deployment"]
        played = own.isin(list(rehearsals)) | ((own == ALL) & bool(rehearsals))
    return table.assign(rehearsal=played.astype(bool))
