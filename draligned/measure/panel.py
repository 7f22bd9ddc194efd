"""Pairs of one group as arrays, and what can be estimated from them.

A `Target` is one estimand over one population: values of pairs, which of them are readable,
which belong to the population, and what limits the rest. Populations: `readable` (all planned
pairs, value over readable ones: the paper's), `planned` (the same pairs; a value only when all
are readable, else bounds), `common_readable` (both channels readable, DR-89), `dA_zero` and
`dA_nonzero` (readable requests with d_A = 0 or not, DR-90).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import bounds
from draligned.measure.bounds import Floats, Limits
from draligned.measure.restore import Flags

Weighting = Literal["task", "pair"]

CLUSTERS = {"user": "user_id", "factor": "factor_id", "model": "model"}
"""What pairs may share beside their task, and the column that names it."""


def coded(names: pd.Series) -> NDArray[np.intp]:
    """Names as codes in their order as text."""
    codes, found = pd.factorize(names.to_numpy(dtype=object))
    place = np.empty(len(found), dtype=np.intp)
    place[np.argsort(found.astype(str), kind="stable")] = np.arange(len(found))
    return place[codes]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Columns of a frame of pairs as arrays, each made once, when first asked for."""

    frame: pd.DataFrame
    _known: dict[tuple[str, str], NDArray[Any]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def floats(self, name: str) -> Floats:
        """Numbers."""
        found: Floats = self._once("floats", name, lambda c: c.to_numpy(dtype=np.float64))
        return found

    def flags(self, name: str) -> Flags:
        """True or false."""
        found: Flags = self._once("flags", name, lambda c: c.to_numpy(dtype=bool))
        return found

    def equal(self, name: str, word: str) -> Flags:
        """Where a column of words is `word`."""
        found: Flags = self._once(f"is {word}", name, lambda c: (c == word).to_numpy(dtype=bool))
        return found

    def names(self, name: str) -> NDArray[np.str_]:
        """Names that occur, in their order as text."""
        found: NDArray[np.str_] = self._once(
            "names", name, lambda c: np.unique(c.to_numpy(dtype=str))
        )
        return found

    def codes(self, name: str) -> NDArray[np.intp]:
        """Place of each row's name in `names`."""
        found: NDArray[np.intp] = self._once("codes", name, coded)
        return found

    def _once(self, kind: str, name: str, make: Callable[[pd.Series], NDArray[Any]]) -> Any:
        key = (kind, name)
        if key not in self._known:
            self._known[key] = make(self.frame[name])
        return self._known[key]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Planned pairs of one evaluator × harness × model; tasks as codes in name order."""

    columns: Columns
    rows: NDArray[np.intp]
    """Where in the columns the panel's pairs are."""
    tasks: NDArray[np.intp]
    n_tasks: int
    clusters: Mapping[str, NDArray[np.intp]]
    """Codes of `user`, `factor` and `model`, each in order of their names."""
    a: Flags
    f: Flags

    @property
    def n_pairs(self) -> int:
        """Planned pairs."""
        return len(self.rows)

    def floats(self, column: str) -> Floats:
        """A column of numbers."""
        return self.columns.floats(column)[self.rows]

    def flags(self, column: str) -> Flags:
        """A column that is true or false."""
        return self.columns.flags(column)[self.rows]

    def names(self, column: str) -> NDArray[np.str_]:
        """Names in a column in their order as text: what codes stand for."""
        return self.columns.names(column)[np.unique(self.columns.codes(column)[self.rows])]

    def arm_readable(self, channel: str, side: str) -> Flags:
        """Whether the channel of an arm was read."""
        return self.columns.equal(f"{channel.lower()}_reason_{side}", "")[self.rows]


def make_panel(columns: Columns, rows: NDArray[np.intp] | None = None) -> Panel:
    """Panel of some rows of sorted `build_pairs` columns, of all when not said."""
    chosen = np.arange(len(columns.frame)) if rows is None else rows
    tasks = _coded(columns, "task_id", chosen)
    return Panel(
        columns=columns,
        rows=chosen,
        tasks=tasks,
        n_tasks=int(tasks.max(initial=-1)) + 1,
        clusters={name: _coded(columns, column, chosen) for name, column in CLUSTERS.items()},
        a=columns.equal("a_status", "readable")[chosen],
        f=columns.equal("f_status", "readable")[chosen],
    )


def _coded(columns: Columns, name: str, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Names as codes in their order as text, of those that occur in the rows."""
    codes: NDArray[np.intp] = np.unique(columns.codes(name)[rows], return_inverse=True)[1]
    return codes


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
    read_p: Flags | None = None
    """Where the P run was read; not known of simulated pairs, nor is `read_q`."""
    read_q: Flags | None = None
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
            read_p=panel.arm_readable(self.channel, "p"),
            read_q=panel.arm_readable(self.channel, "q"),
            contrast=self.contrast,
            sharp=self.sharp if bounded else None,
            opened=self.opened if bounded else None,
        )


def members(panel: Panel, population: str) -> Flags:
    """Which pairs belong to a population."""
    if population in ("readable", "planned"):
        return np.ones(panel.n_pairs, dtype=bool)
    if population == "common_readable":
        return panel.a & panel.f
    zero = panel.flags("d_a_zero")
    return panel.a & {"dA_zero": zero, "dA_nonzero": ~zero}[population]


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
            panel.flags(f"a_unlimited_{side}"),
        )
        for side in "pq"
    )
    return p, q
