"""Whether differences recur across models, harnesses, evaluators and environments (DR-100).

An environment is one recording of what requests were answered with; its snapshots are repeats of
the same cells. Pairs are made inside an environment, so an estimate over several of them takes
every pair once, equally inside its task, and the task stays the cluster: more snapshots make a
task's mean steadier, never the sample of tasks larger. Here each environment stands alone too.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import quantities as qs
from draligned.measure.contrasts import Group, groups
from draligned.measure.estimate import Row, Settings, estimate
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.panel import Panel, Quantity
from draligned.measure.proportions import wilson

ALL_ENVIRONMENTS = "all"

_ROUNDING = 1e-12

RECURRENCE = Table(
    name="recurrence",
    columns=(
        *typed("string", *GROUP, "environment", "channel", "estimand"),
        *typed("Int64", "n_planned", "n_readable_p", "n_readable_q", "n_readable"),
        *typed("Int64", "n_positive", "n_zero", "n_negative"),
        *typed("Float64", "readable_share", "readable_lo", "readable_hi"),
        *typed("Float64", "positive_share", "positive_lo", "positive_hi"),
        *typed("Int64", "n_tasks", "n_tasks_positive", "n_tasks_zero", "n_tasks_negative"),
        *typed("string", "status", "reason", "sign"),
        *typed("Float64", "value", "ci_lo", "ci_hi"),
        *typed("string", "ci_method"),
        *typed("Float64", "signflip_p", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi"),
        *typed("string", "boot_generator"),
        *typed("Int64", "boot_seed", "boot_draws", "boot_tasks", "boot_empty"),
        *typed("string", "boot_order"),
        *STAMP,
    ),
    keys=(*GROUP, "environment", "channel"),
)
"""One row per evaluator × harness × model (`all` or a name) × environment (`all` or a name) ×
channel: how many planned pairs are readable, the signs of their d (of finals: toward the assigned
endpoint, neither, against it) and of their tasks' means, and the task-equal D with the recommended
interval (`ci_union` of `estimates`) and bounds of the mean over planned pairs (DR-88). `sign` is
that of D. Shares have Wilson's interval over pairs. Nothing is pooled over evaluators or harnesses,
and no row ranks models."""

_COPIED = (
    "estimand", "status", "reason", "value", "n_readable_p", "n_readable_q", "signflip_p",
    "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi",
    "boot_generator", "boot_seed", "boot_draws", "boot_tasks", "boot_empty", "boot_order",
)  # fmt: skip


def recurrence(pairs: pd.DataFrame, panels: Iterable[Group], settings: Settings) -> pd.DataFrame:
    """Rows of the table, unsorted; `panels` are `groups(pairs)`."""
    names = sorted(pairs["environment"].unique())
    rows = _of(ALL_ENVIRONMENTS, panels, settings)
    if len(names) == 1:
        rows += [row | {"environment": str(names[0])} for row in rows]
    else:
        for name, own in pairs.groupby("environment", sort=True):
            rows += _of(str(name), groups(own), settings)
    columns = [name for name, _ in RECURRENCE.columns if name != "development"]
    return pd.DataFrame(rows, columns=columns)


def _of(environment: str, panels: Iterable[Group], settings: Settings) -> list[Row]:
    return [
        names | {"environment": environment} | row
        for names, panel in panels
        for row in _rows(panel, settings)
    ]


def _rows(panel: Panel, settings: Settings) -> Iterator[Row]:
    quantities = (qs.d_a(panel), qs.d_f(panel))
    found = estimate(panel, [q.over(panel, "readable") for q in quantities], settings)
    for quantity, row in zip(quantities, found, strict=True):
        copied: Row = {name: row.get(name) for name in _COPIED}
        interval: Row = {
            "ci_lo": row.get("ci_union_lo"),
            "ci_hi": row.get("ci_union_hi"),
            "ci_method": row.get("ci_union_method"),
            "sign": _word(row["value"]),
        }
        yield {"channel": quantity.channel} | copied | interval | _signs(panel, quantity)


def _word(value: object) -> str:
    if not isinstance(value, float):
        return "unknown"
    if abs(value) <= _ROUNDING:
        return "zero"
    return "positive" if value > 0 else "negative"


def _signs(panel: Panel, quantity: Quantity) -> Row:
    used = panel.a if quantity.channel == "A" else panel.f
    sign = np.sign(quantity.values[used])
    sizes = np.bincount(panel.tasks[used], minlength=panel.n_tasks)
    sums = np.bincount(panel.tasks[used], weights=quantity.values[used], minlength=panel.n_tasks)
    means = sums[sizes > 0] / sizes[sizes > 0]
    row: Row = {"n_planned": len(used), "n_readable": int(used.sum()), "n_tasks": len(means)}
    row |= _tally("n", sign) | _tally("n_tasks", np.where(np.abs(means) <= _ROUNDING, 0, means))
    row |= _share("readable", int(used.sum()), len(used))
    return row | _share("positive", int((sign > 0).sum()), int(used.sum()))


def _tally(name: str, values: NDArray[np.float64]) -> Row:
    words = (("positive", values > 0), ("zero", values == 0), ("negative", values < 0))
    return {f"{name}_{word}": int(flags.sum()) for word, flags in words}


def _share(name: str, count: int, n: int) -> Row:
    interval = wilson(count, n)
    if interval is None:
        return {}
    return {f"{name}_share": count / n, f"{name}_lo": interval[0], f"{name}_hi": interval[1]}


MAKERS = {RECURRENCE: lambda made: recurrence(made.pairs, made.panels, made.settings)}
