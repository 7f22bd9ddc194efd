"""Columns that the tables share, and the rows that each counts."""

import pandas as pd

from draligned.schema.tau2 import ACCEPTED

LANE = ["deployment", "arm", "domain", "population"]
MAIN, DEGENERATE = "main", "degenerate"
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
