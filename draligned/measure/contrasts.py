"""Estimates by evaluator, harness and model (DR-85 … DR-90, DR-100).

Evaluators are never pooled (DR-75), nor are harnesses; models are given one by one and
together (`all`), pairs equally weighted inside a task, and so models that have as many of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from draligned.measure import quantities as qs
from draligned.measure.columns import ESTIMATE_COLUMNS
from draligned.measure.estimate import Row, Settings, estimate
from draligned.measure.panel import Columns, Panel, Target, make_panel

ALL_MODELS = "all"

Targets = Callable[[Panel], Sequence[Target]]
Group = tuple[Row, Panel]
"""A panel and whose it is: `evaluator`, `harness`, `model`."""


@dataclass(frozen=True, kw_only=True)
class Primary:
    """What is primary; everything else is exploratory (DESIGN §4)."""

    names: tuple[str, ...]
    """Estimands of the lock: `D_A` is its readable population, `D_A/planned` another one."""
    evaluator: str | None = None
    """The primary evaluator; none: each one's rows."""

    def includes(self, names: Row, row: Row) -> bool:
        """Whether a row is primary; rows of single models never are."""
        if names["model"] != ALL_MODELS or self.evaluator not in (None, names["evaluator"]):
            return False
        full = f"{row['estimand']}/{row['population']}"
        return full in self.names or full in [f"{name}/readable" for name in self.names]


def main_targets(panel: Panel) -> list[Target]:
    """D_A and D_F over every population, arm levels, shares, readability."""
    d_a, d_f = qs.d_a(panel), qs.d_f(panel)
    targets = [d_a.over(panel, p) for p in ("readable", "planned", "common_readable")]
    targets += [
        d_f.over(panel, p)
        for p in ("readable", "planned", "common_readable", "dA_zero", "dA_nonzero")
    ]
    targets += [q.over(panel, p) for q in qs.arm_levels(panel) for p in ("readable",)]
    targets += [qs.share_positive(panel, p) for p in ("readable", "dA_zero", "dA_nonzero")]
    return [*targets, *qs.readability(panel)]


def operator_targets(panel: Panel) -> list[Target]:
    """The 2×2 of operator × channel, over readable and over common-readable pairs."""
    quantities = (qs.d_a(panel), qs.d_f(panel), qs.requests_sign(panel), qs.finals_mean(panel))
    populations = ("readable", "common_readable")
    return [quantity.over(panel, p) for quantity in quantities for p in populations]


def groups(pairs: pd.DataFrame, *, by_model: bool = True) -> tuple[Group, ...]:
    """Names and panel of every evaluator × harness × model, `all` first."""
    return tuple(_groups(Columns(frame=pairs), by_model))


def _groups(columns: Columns, by_model: bool) -> Iterator[Group]:
    evaluators, harnesses = columns.names("evaluator"), columns.names("harness")
    model = columns.codes("model")
    both = columns.codes("evaluator") * len(harnesses) + columns.codes("harness")
    for code in np.unique(both):
        rows = np.flatnonzero(both == code)
        evaluator, harness = divmod(int(code), len(harnesses))
        names: Row = {"evaluator": str(evaluators[evaluator]), "harness": str(harnesses[harness])}
        yield names | {"model": ALL_MODELS}, make_panel(columns, rows)
        for one in np.unique(model[rows]) if by_model else ():
            own = names | {"model": str(columns.names("model")[one])}
            yield own, make_panel(columns, rows[model[rows] == one])


def together(panels: Iterable[Group]) -> tuple[Group, ...]:
    """The panels of all models together."""
    return tuple((names, panel) for names, panel in panels if names["model"] == ALL_MODELS)


def estimates(
    panels: Iterable[Group],
    targets: Targets,
    settings: Settings,
    primary: Primary | None = None,
) -> pd.DataFrame:
    """Rows of the table of estimates, unsorted."""
    named = primary or Primary(names=())
    rows: list[Row] = []
    for names, panel in panels:
        for row in estimate(panel, targets(panel), settings):
            full: Row = dict.fromkeys((name for name, _ in ESTIMATE_COLUMNS), None)
            rows.append(full | names | row | {"primary": named.includes(names, row)})
    return pd.DataFrame(rows, columns=[name for name, _ in ESTIMATE_COLUMNS])
