"""Variance components of a pilot's pairs."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.schema.errors import InputError
from draligned.simulate.components import Components
from draligned.simulate.panels import ChannelName

_NAMES = {"task": "task_id", "user": "user_id", "model": "model"}


def components(pairs: pd.DataFrame, channel: ChannelName) -> Components:
    """Components from a `pairs` table of one evaluator and harness.

    Half the mean squared difference of two pairs holds all components if they share no user, task
    or model; without user's if they share the user; without task's too if they share the task; and
    what a shared model takes away is the model's. A component that no couple of pairs shows is 0
    and stays in the rest; so is one below zero. Raises `InputError` below two tasks with readable
    pairs: such a pilot says nothing of tasks.
    """
    low = channel.lower()
    readable = pairs[(pairs[f"{low}_status"] == "readable").to_numpy(dtype=bool)]
    n_tasks = readable["task_id"].nunique()
    if n_tasks < 2:
        raise InputError(
            f"the pilot has {n_tasks} tasks with readable pairs for D_{channel}: two are needed"
        )
    d = readable[f"d_{low}"].to_numpy(dtype=np.float64)
    couples = _Couples(d, readable)
    whole = couples.half_square(float(d.var(ddof=1)), user=False, task=False)
    same_user = couples.half_square(whole, user=True, task=False)
    same_task = couples.half_square(same_user, task=True)
    apart = couples.half_square(0.0, task=False, model=False)
    same_model = couples.half_square(apart, task=False, model=True)
    return Components(
        channel=channel,
        user=max(0.0, whole - same_user),
        task=max(0.0, same_user - same_task),
        model=max(0.0, apart - same_model),
        rest=max(0.0, min(same_task, whole) - max(0.0, apart - same_model)),
        readability=len(d) / len(pairs),
        mean=float(d.mean()),
        n_pairs=len(d),
        n_tasks=n_tasks,
    )


class _Couples:
    """All couples of pairs, by what the two share."""

    def __init__(self, d: NDArray[np.float64], readable: pd.DataFrame) -> None:
        first, second = np.triu_indices(len(d), k=1)
        self._half = (d[first] - d[second]) ** 2 / 2
        self._same = {}
        for name, column in _NAMES.items():
            values = readable[column].to_numpy(dtype=object)
            self._same[name] = values[first] == values[second]

    def half_square(self, otherwise: float, **shared: bool) -> float:
        """Mean over the couples that share or do not share what is named."""
        chosen = np.ones(len(self._half), dtype=bool)
        for name, wanted in shared.items():
            chosen &= self._same[name] == wanted
        return float(self._half[chosen].mean()) if chosen.any() else otherwise
