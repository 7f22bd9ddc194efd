"""Columns that the tables share, and the rows that each counts."""

import pandas as pd

from draligned.schema.tau2 import ACCEPTED

LANE = ["deployment", "arm", "domain", "population"]
MAIN, DEGENERATE = "main", "degenerate"
USUAL = 0.5
"""Deployments that carry a tag more often are said to report usually (SI-75, SI-78)."""
READINGS = {"latched": "state", "unlatched": "state_unlatched"}
"""Readings of a change, and the column that holds the truth under each."""
STATE_OF = {stage.value: state for state, stages in ACCEPTED.items() for stage in stages}
"""The state that a tag names."""


def populations(rows: pd.DataFrame) -> pd.DataFrame:
    """With the population: tasks that are done before anything happens stand apart."""
    apart = rows["degenerate"].fillna(False).astype(bool)
    return rows.assign(population=apart.map({True: DEGENERATE, False: MAIN}).astype("str"))


def asked(rows: pd.DataFrame) -> pd.DataFrame:
    """Checkpoints where a tag was asked for, or at least given."""
    return rows[rows["arm"] != "none"].reset_index(drop=True)


def judged(rows: pd.DataFrame, reading: str, parser: str) -> pd.DataFrame:
    """`state` under a reading of change, and `correct` (0 or 1) under a parser."""
    truth = rows[READINGS[reading]]
    named = rows[f"{parser}_stage"].map(STATE_OF)
    return rows.assign(state=truth, correct=(named == truth).fillna(False).astype(int))


def shown(table: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table that are worth reading first: the latched reading, and the stripped one
    only of lanes that have an envelope. `known` is the table `lanes`."""
    rows = table
    if "reading" in rows:
        rows = rows[rows["reading"] == "latched"]
    if "parser" in rows and not rows.empty:
        wrapped = known[known["enveloped"].fillna(0) > 0][LANE].assign(wrapped=True)
        there = rows.merge(wrapped, on=LANE, how="left")["wrapped"].fillna(False).astype(bool)
        rows = rows[(rows["parser"] == "strict").to_numpy() | there.to_numpy()]
    return rows.reset_index(drop=True)
