"""Max-t intervals that hold for all primary estimates at once (DESIGN §8).

Each estimate is studentised in the same task draws; the 95 % quantile of the largest |t| of a draw
takes the place of the single quantile. Dependence between channels and harnesses is kept, since
all members are redone on the same tasks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import bootstrap
from draligned.measure.contrasts import Group, Primary, main_targets, together
from draligned.measure.estimate import Row, Settings, named, resampled, sums_of
from draligned.measure.intervals import clip
from draligned.measure.layout import STAMP, Columns, Table, typed
from draligned.measure.made import Made
from draligned.measure.panel import Panel, Target
from draligned.measure.resample import TaskDraws

Floats = NDArray[np.float64]

_TIE = 1e-9
"""Of |t|, in its own size: draws that come so near to the estimate's own equal it. With few tasks
many do, and rounding must not decide whether they count."""

_COLUMNS: Columns = (
    *typed("string", "evaluator", "harness", "model", "estimand", "population"),
    *typed("string", "status", "reason"),
    *typed("Float64", "value", "error", "ci_lo", "ci_hi", "p_adjusted", "critical"),
    *typed("Int64", "n_family", "n_tasks", "n_draws_used"),
    *typed("string", "boot_generator"),
    *typed("Int64", "boot_seed", "boot_draws", "boot_tasks"),
    *typed("string", "boot_order"),
)

SIMULTANEOUS = Table(
    name="simultaneous",
    columns=(*_COLUMNS, *STAMP),
    keys=("evaluator", "harness", "model", "estimand", "population"),
)
"""One row per primary estimate (all models). Members of a family are the primary estimates of one
evaluator, over all harnesses, that have a value and tasks that differ; evaluators are never pooled.
Draws are over all planned tasks of the family, in ascending order of task_id. A draw in which a
member is empty or all its tasks agree has no t for it and is left out (`n_draws_used` are kept).
`ci` = value ∓ `critical` · `error`, cut to the range; `p_adjusted` = (1 + draws whose largest |t|
is at least the member's |value / error|, equal within 1e-9 of it) / (1 + draws used). Fewer than
half of the draws: unknown.
"""


@dataclass(frozen=True, kw_only=True)
class _Member:
    names: Row
    target: Target
    numerator: Floats
    denominator: Floats

    @property
    def varies(self) -> bool:
        some = self.denominator > 0
        values = self.numerator[some] / self.denominator[some]
        return len(values) > 1 and float(np.ptp(values)) > 1e-12


def simultaneous(panels: Iterable[Group], primary: Primary, settings: Settings) -> pd.DataFrame:
    """Rows of the table, unsorted."""
    rows: list[Row] = []
    for _, group in groupby(together(panels), key=lambda named: named[0]["evaluator"]):
        own = tuple(group)
        tasks = np.unique(np.concatenate([panel.names("task_id") for _, panel in own]))
        found = [
            _member(names, panel, target, tasks)
            for names, panel in own
            for target in main_targets(panel)
            if primary.includes(names, _named(target))
        ]
        rows += _family(found, TaskDraws(
            seed=settings.seed, draws=settings.draws, n_tasks=len(tasks)
        ))  # fmt: skip
    return pd.DataFrame(rows, columns=[name for name, _ in _COLUMNS])


def _named(target: Target) -> Row:
    return {"estimand": target.estimand, "population": target.population}


def _member(names: Row, panel: Panel, target: Target, tasks: NDArray[np.str_]) -> _Member:
    """A target with its sums laid out over the family's tasks."""
    own = sums_of(panel, target)
    place = np.searchsorted(tasks, panel.names("task_id"))
    numerator, denominator = np.zeros(len(tasks)), np.zeros(len(tasks))
    whole = target.population != "planned" or bool(own.used.sum() == target.member.sum())
    if whole:
        numerator[place], denominator[place] = own.numerator, own.denominator
    return _Member(
        names=names | _named(target), target=target, numerator=numerator, denominator=denominator
    )


def _family(found: Sequence[_Member], draws: TaskDraws) -> list[Row]:
    members = [member for member in found if member.varies]
    rows = [_left_out(member) for member in found if not member.varies]
    if members:
        rows += _intervals(members, draws)
    head = resampled(draws)
    return [{"n_family": len(members)} | row | head for row in rows]


def _left_out(member: _Member) -> Row:
    n_tasks = int((member.denominator > 0).sum())
    reason = "degenerate" if n_tasks > 1 else "one_task" if n_tasks else "no_value"
    return member.names | {"status": "unknown", "reason": reason, "n_tasks": n_tasks}


def _intervals(members: Sequence[_Member], draws: TaskDraws) -> list[Row]:
    numerator = np.stack([member.numerator for member in members], axis=1)
    denominator = np.stack([member.denominator for member in members], axis=1)
    redone = bootstrap.replicate(numerator, denominator, draws)
    value = numerator.sum(axis=0) / denominator.sum(axis=0)
    error = np.array(
        [bootstrap.ratio_error(n, d) for n, d in zip(numerator.T, denominator.T, strict=True)]
    )
    used = (redone.filled & (redone.error > 0)).all(axis=1)
    t = np.abs(redone.value[used] - value) / redone.error[used]
    enough = 2 * len(t) >= draws.draws
    largest = t.max(axis=1) if enough else np.zeros(0)
    critical = float(np.quantile(largest, bootstrap.LEVEL)) if enough else None
    rows = []
    for k, member in enumerate(members):
        row: Row = {
            "status": "ok" if enough else "unknown",
            "reason": None if enough else "flat_draws",
            "value": float(value[k]),
            "error": float(error[k]),
            "critical": critical,
            "n_tasks": int((member.denominator > 0).sum()),
            "n_draws_used": len(t),
        }
        if critical is not None:
            half = critical * float(error[k])
            ends = (member.target.low, member.target.high)
            row |= named("ci", clip((float(value[k]) - half, float(value[k]) + half), *ends))
            own = abs(float(value[k])) / float(error[k])
            hits = int((largest >= own * (1 - _TIE)).sum())
            row["p_adjusted"] = (1 + hits) / (1 + len(t))
        rows.append(member.names | row)
    return rows


def _table(made: Made) -> pd.DataFrame:
    return simultaneous(made.panels, made.primary, made.settings)


MAKERS = {SIMULTANEOUS: _table}
