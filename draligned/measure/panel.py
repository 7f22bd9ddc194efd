"""Pairs of one group as arrays, and what can be estimated from them.

A `Target` is one estimand over one population: values of pairs, which of them are readable,
which belong to the population, and what limits the rest. Populations: `readable` (all planned
pairs, value over readable ones: the paper's), `planned` (the same pairs; a value only when all
are readable, else bounds), `common_readable` (both channels readable, DR-89), `dA_zero` and
`dA_nonzero` (readable requests with d_A = 0 or not, DR-90).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import bounds
from draligned.measure.bounds import Floats, Limits
from draligned.measure.restore import Flags

Weighting = Literal["task", "pair"]

CLUSTERS = {"user": "user_id", "factor": "factor_id", "model": "model"}
"""What pairs may share beside their task, and the column that names it."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Planned pairs of one evaluator × harness × model; tasks as codes in name order."""

    pairs: pd.DataFrame
    tasks: NDArray[np.intp]
    n_tasks: int
    clusters: Mapping[str, NDArray[np.intp]]
    """Codes of `user`, `factor` and `model`, each in order of their names."""
    a: Flags
    f: Flags

    def floats(self, column: str) -> Floats:
        """A column of the pairs."""
        return self.pairs[column].to_numpy(dtype=np.float64)

    def arm_readable(self, channel: str, side: str) -> Flags:
        """Whether the channel of an arm was read."""
        return _equal(self.pairs[f"{channel.lower()}_reason_{side}"], "")


def make_panel(pairs: pd.DataFrame) -> Panel:
    """Panel of sorted `build_pairs` rows."""
    tasks = coded(pairs["task_id"])
    return Panel(
        pairs=pairs,
        tasks=tasks,
        n_tasks=int(tasks.max(initial=-1)) + 1,
        clusters={name: coded(pairs[column]) for name, column in CLUSTERS.items()},
        a=_equal(pairs["a_status"], "readable"),
        f=_equal(pairs["f_status"], "readable"),
    )


def _equal(words: pd.Series, word: str) -> Flags:
    """Compared as plain objects: for a hundred pairs a column's own comparison takes longer."""
    return np.asarray(words.to_numpy(dtype=object) == word, dtype=bool)


def plain(pairs: pd.DataFrame) -> pd.DataFrame:
    """`pairs` with words as Python objects: quicker to take groups from."""
    words = {
        name: object for name, kind in pairs.dtypes.items() if isinstance(kind, pd.StringDtype)
    }
    return pairs.astype(words)


def coded(names: pd.Series) -> NDArray[np.intp]:
    """Names as codes in their order as text."""
    codes, found = pd.factorize(names.to_numpy(dtype=object))
    place = np.empty(len(found), dtype=np.intp)
    place[np.argsort(found.astype(str), kind="stable")] = np.arange(len(found))
    return place[codes]


@dataclass(frozen=True, kw_only=True)
class Target:
    """One estimand over one population of a panel; arrays over the panel's pairs."""

    estimand: str
    channel: str
    operator: str | None
    population: str
    low: float
    high: float
    values: Floats
    readable: Flags
    member: Flags
    weighting: Weighting = "task"
    contrast: bool = False
    """Whether zero means no difference: sign-flip test and tipping point apply."""
    binomial: bool = False
    """Whether the interval is Wilson's over pairs, as the paper's count calls for."""
    sharp: Limits | None = None
    opened: Limits | None = None
    n_readable: int | None = None
    """Count to print instead of that of `readable`, for shares of readable pairs."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One number per pair, before a population is chosen."""

    estimand: str
    channel: str
    operator: str | None
    low: float
    high: float
    values: Floats
    contrast: bool
    sharp: Limits
    opened: Limits | None = None

    def over(self, panel: Panel, population: str) -> Target:
        """The quantity over a population; bounds only where membership is known."""
        readable = panel.a if self.channel == "A" else panel.f
        bounded = population != "common_readable"
        return Target(
            estimand=self.estimand,
            channel=self.channel,
            operator=self.operator,
            population=population,
            low=self.low,
            high=self.high,
            values=self.values,
            readable=readable,
            member=members(panel, population),
            contrast=self.contrast,
            sharp=self.sharp if bounded else None,
            opened=self.opened if bounded else None,
        )


def members(panel: Panel, population: str) -> Flags:
    """Which pairs belong to a population."""
    zero = panel.pairs["d_a_zero"].to_numpy(dtype=bool)
    known: dict[str, Flags] = {
        "readable": np.ones(len(panel.pairs), dtype=bool),
        "planned": np.ones(len(panel.pairs), dtype=bool),
        "common_readable": panel.a & panel.f,
        "dA_zero": panel.a & zero,
        "dA_nonzero": panel.a & ~zero,
    }
    return known[population]


def arms(panel: Panel, column: str, channel: str) -> tuple[Limits, Limits]:
    """Limits of both arms' readout: itself where that arm was read."""
    p, q = (
        bounds.arm(panel.floats(f"{column}_{side}"), panel.arm_readable(channel, side))
        for side in "pq"
    )
    return p, q


def open_arms(panel: Panel) -> tuple[Limits, Limits]:
    """Limits of both arms' mean request readout with unresolved requests at each extreme."""
    p, q = (
        bounds.open_arm(
            panel.floats(f"n_p_only_{side}") - panel.floats(f"n_q_only_{side}"),
            panel.floats(f"n_unknown_{side}"),
            panel.floats(f"n_requests_{side}"),
            panel.pairs[f"a_unlimited_{side}"].to_numpy(dtype=bool),
        )
        for side in "pq"
    )
    return p, q
