"""Variance components of a pilot's pairs."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import components as crossed
from draligned.measure.panel import coded
from draligned.schema.errors import InputError
from draligned.simulate.components import Components
from draligned.simulate.panels import ChannelName

_LEVELS = ("task", "user", "model", "rest")
"""In the order in which levels that cannot be told apart are named: what a task and its only user
share counts as the task's, so that more tasks are what makes up for it."""


def components(pairs: pd.DataFrame, channel: ChannelName) -> Components:
    """Components from a `pairs` table of one evaluator and harness, below zero taken as zero.

    A level with one value has no variance. Raises `InputError` below two tasks with readable
    pairs: such a pilot says nothing of tasks.
    """
    low = channel.lower()
    readable = pairs[(pairs[f"{low}_status"] == "readable").to_numpy(dtype=bool)]
    n_tasks = readable["task_id"].nunique()
    if n_tasks < 2:
        raise InputError(
            f"the pilot's tasks with readable pairs for D_{channel} are {n_tasks}: two are needed"
        )
    d = readable[f"d_{low}"].to_numpy(dtype=np.float64)
    found = _variances(d, readable)
    return Components(
        channel=channel,
        user=found["user"],
        task=found["task"],
        model=found["model"],
        rest=found["rest"],
        readability=len(d) / len(pairs),
        mean=float(d.mean()),
        n_pairs=len(d),
        n_tasks=n_tasks,
    )


def _variances(d: NDArray[np.float64], readable: pd.DataFrame) -> Mapping[str, float]:
    """Variance by level; what the equations do not tell is left with the rest."""
    columns = {"task": "task_id", "user": "user_id", "model": "model"}
    codes = {name: coded(readable[column]) for name, column in columns.items()}
    parts = crossed.components(d, codes | {"rest": np.arange(len(d))})
    found = dict.fromkeys(_LEVELS, 0.0)
    for part in parts:
        if part.variance is not None:
            found[min(part.levels, key=_LEVELS.index)] = max(0.0, part.variance)
    if any(part.reason == "not_identified" for part in parts):
        found["rest"] = max(found["rest"], float(d.var(ddof=1)) - sum(found.values()))
    return found
