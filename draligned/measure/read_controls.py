"""Order flips and same-orientation retests: is it the order of the endpoints, or noise?

A mirrored read swaps the endpoints, a retest repeats the first read's order (DESIGN §7). An
evaluator that favours a slot changes its label when the slots are swapped and not when they are
repeated; one that is merely noisy changes it as often in a retest. Neither rate is accuracy.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.clustered import RESAMPLED, shares, task_intervals
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.read_units import Codes, slot_codes
from draligned.measure.restore import Words, choose, none_if_blank, readout

ORDER_FLIP = "order_flip"
RETEST = "retest"
_ROW = ["harness", "model", "evaluator", "kind"]

READ_FLIPS = Table(
    name="read_flips",
    columns=(
        *typed("string", *GROUP, "kind", "comparison", "units", "status", "reason"),
        *typed("Int64", "n_units", "n_read", "n_labelled", "n_changed", "n_opposite"),
        *typed("Int64", "n_one_abstains", "n_tasks"),
        *typed("Float64", "changed_share", "changed_lo", "changed_hi"),
        *typed("Float64", "changed_task_lo", "changed_task_hi"),
        *typed("Float64", "opposite_share", "opposite_lo", "opposite_hi"),
        *typed("Float64", "opposite_task_lo", "opposite_task_hi"),
        *RESAMPLED,
        *STAMP,
    ),
    keys=(*GROUP, "kind", "comparison", "units"),
)
"""How often two reads of one unit differ. `comparison`: `order_flip` (first against mirrored read,
endpoints swapped) or `retest` (first read against its repetition). `units`: `all`, or `retested`
ones alone, over which the two rates can be compared: the retest rate is the same-condition baseline
of the flip rate. `kind`: `request`, or `document` (the direction of one read's main advice). Of
`n_units`, both reads of `n_read` could be read and both of `n_labelled` give a label; `n_changed`
of these differ, `n_opposite` by P_ONLY against Q_ONLY; in `n_one_abstains` one read gives a label
and the other none. `_lo`, `_hi`: Wilson at 95 %, units taken as independent; `_task_`: percentile
over the `boot_tasks` tasks, units inside them kept together. `n_tasks` have a labelled unit."""

ORDER_EFFECTS = Table(
    name="order_effects",
    columns=(
        *typed("string", *GROUP, "kind", "status", "reason"),
        *typed("Int64", "n_units", "n_flipped", "n_retest_changed"),
        *typed("Float64", "excess", "excess_task_lo", "excess_task_hi"),
        *typed("Int64", "n_mirrored", "n_to_alpha", "n_to_beta"),
        *typed("Float64", "slot_lean", "slot_lean_task_lo", "slot_lean_task_hi"),
        *typed("Int64", "n_tasks"),
        *RESAMPLED,
        *STAMP,
    ),
    keys=(*GROUP, "kind"),
)
"""What the order of the endpoints does beyond noise. `excess` = share of order flips − share of
retests that differ, over the same `n_units` units whose three reads all give a label. `slot_lean`
in [−1, 1], over `n_mirrored` units whose first and mirrored reads both give a label: the mean of
(ALPHA = 1, BETA = −1, both or neither 0) over the two reads; what is said of the content cancels,
what is said for the place does not. `n_to_alpha`, `n_to_beta`: units where both reads favour the
same slot."""

READ_TRANSITIONS = Table(
    name="read_transitions",
    columns=(
        *typed("string", *GROUP, "kind", "comparison", "terms", "from_label", "to_label"),
        *typed("Int64", "n", "n_from", "n_tasks"),
        *typed("Float64", "of_from_share", "of_from_lo", "of_from_hi"),
        *STAMP,
    ),
    keys=(*GROUP, "kind", "comparison", "terms", "from_label", "to_label"),
)
"""Labels of the first read against those of the other one, where both could be read. `terms`:
`endpoint` (P and Q), or `slot`: ALPHA and BETA as they stood in the first read, so that an
evaluator that says ALPHA whatever stands there goes from ALPHA_ONLY to BETA_ONLY when mirrored.
UNKNOWN: the evaluator gives no direction. Shares are of `n_from`, with Wilson's interval, units
taken as independent; `n_tasks` tasks have such a unit."""


class Comparison(NamedTuple):
    """Two reads of the units chosen."""

    name: str
    units: str
    rows: pd.DataFrame
    other: Codes


def comparisons(units: pd.DataFrame) -> tuple[Comparison, ...]:
    """The comparisons of the tables above, from `read_units`."""
    again = units[units["retested"].to_numpy(dtype=bool)]
    return (
        Comparison(ORDER_FLIP, "all", units, units["mirror"].to_numpy()),
        Comparison(ORDER_FLIP, "retested", again, again["mirror"].to_numpy()),
        Comparison(RETEST, "retested", again, again["retest"].to_numpy()),
    )


def read_flips(made: Made) -> pd.DataFrame:
    """Rows of `READ_FLIPS`, unsorted."""
    parts = [
        _by_task(c.rows, _compared(c)).assign(comparison=c.name, units=c.units)
        for c in comparisons(made.read_units)
    ]
    units = pd.concat(parts, ignore_index=True)
    rows = [*_ROW, "comparison", "units"]
    tops = ["n_changed", "n_opposite"]
    values = {name[2:]: (name, "n_labelled") for name in tops}
    found = _whole(units, rows, values, made).merge(_tasks(units, rows, "n_labelled"), on=rows)
    for name, (top, bottom) in values.items():
        found = found.assign(**shares(found[top], found[bottom], name))
    return found.assign(**_status(found["n_labelled"], found["n_tasks"]))


def _by_task(rows: pd.DataFrame, counts: Mapping[str, NDArray[Any]]) -> pd.DataFrame:
    """Sums of `counts` of each unit by the table's rows and task."""
    keys, n = [*_ROW, "task_id"], rows["n"].to_numpy()
    counted = rows[keys].assign(**{name: count * n for name, count in counts.items()})
    return counted.groupby(keys, sort=True).sum().reset_index()


def _whole(
    units: pd.DataFrame, rows: list[str], values: dict[str, tuple[str, str]], made: Made
) -> pd.DataFrame:
    """Sums over tasks, with intervals of `values` over tasks."""
    sums = [name for name in units.columns if name not in (*rows, "task_id")]
    found = units.groupby(rows, sort=True)[sums].sum().reset_index()
    planned = made.readings.runs
    return found.merge(task_intervals(units, rows, values, planned, made.settings), on=rows)


def _compared(comparison: Comparison) -> dict[str, NDArray[Any]]:
    first, other = comparison.rows["first"].to_numpy(), comparison.other
    read = (first > -2) & (other > -2)
    said = (first >= 0) & (other >= 0)
    flags = {
        "n_units": np.ones(len(first), dtype=bool),
        "n_read": read,
        "n_labelled": said,
        "n_changed": said & (first != other),
        "n_opposite": said & (readout(first) * readout(other) == -1),
        "n_one_abstains": read & ((first >= 0) != (other >= 0)),
    }
    return {name: flag.astype(np.int64) for name, flag in flags.items()}


def order_effects(made: Made) -> pd.DataFrame:
    """Rows of `ORDER_EFFECTS`, unsorted."""
    units = _by_task(made.read_units, _effects(made.read_units))
    values = {"excess": ("n_excess", "n_units"), "slot_lean": ("lean", "n_mirrored")}
    found = _whole(units, _ROW, values, made).merge(_tasks(units, _ROW, "n_mirrored"), on=_ROW)
    for name, (top, bottom) in values.items():
        size = found[bottom].astype("Float64")
        found[name] = found[top].astype("Float64") / size.mask(size == 0)
    found = found.assign(**_status(found["n_mirrored"], found["n_tasks"]))
    no_retest = found["reason"].isna() & (found["n_units"] == 0)
    return found.assign(reason=found["reason"].mask(no_retest, "no_retest"))


def _effects(units: pd.DataFrame) -> dict[str, NDArray[Any]]:
    first, mirror, retest = (units[side].to_numpy() for side in ("first", "mirror", "retest"))
    twice = (first >= 0) & (mirror >= 0)
    thrice = twice & (retest >= 0)
    flipped, changed = thrice & (first != mirror), thrice & (first != retest)
    lean = readout(slot_codes(first, units["alpha"])) - readout(slot_codes(mirror, units["alpha"]))
    flags = {
        "n_units": thrice,
        "n_flipped": flipped,
        "n_retest_changed": changed,
        "n_mirrored": twice,
        "n_to_alpha": twice & (lean == 2),
        "n_to_beta": twice & (lean == -2),
    }
    counts: dict[str, NDArray[Any]] = {n: flag.astype(np.int64) for n, flag in flags.items()}
    counts["n_excess"] = counts["n_flipped"] - counts["n_retest_changed"]
    counts["lean"] = np.where(twice, lean / 2, 0.0)
    return counts


def read_transitions(made: Made) -> pd.DataFrame:
    """Rows of `READ_TRANSITIONS`, unsorted."""
    parts = [
        _moves(c, terms).assign(comparison=c.name, terms=terms)
        for c in comparisons(made.read_units)
        if (c.name, c.units) != (ORDER_FLIP, "retested")
        for terms in _WORDS
    ]
    found = pd.concat(parts, ignore_index=True)
    start = [*_ROW, "comparison", "terms", "from_label"]
    found["n_from"] = found.groupby(start)["n"].transform("sum")
    return found.assign(**shares(found["n"], found["n_from"], "of_from"))


_WORDS: dict[str, Words] = {
    "endpoint": np.array(["NEITHER", "Q_ONLY", "P_ONLY", "BOTH", "UNKNOWN"], dtype=object),
    "slot": np.array(["NEITHER", "BETA_ONLY", "ALPHA_ONLY", "BOTH", "UNKNOWN"], dtype=object),
}
"""By bits; −1, the last, is UNKNOWN."""


def _moves(comparison: Comparison, terms: str) -> pd.DataFrame:
    """Units, and tasks that have one, by both labels."""
    read = (comparison.rows["first"].to_numpy() > -2) & (comparison.other > -2)
    rows = comparison.rows[read]
    codes = [rows["first"].to_numpy(), comparison.other[read]]
    if terms == "slot":
        codes = [slot_codes(code, rows["alpha"]) for code in codes]
    keys = [*_ROW, "from_label", "to_label"]
    labelled = rows[[*_ROW, "task_id", "n"]].assign(from_label=codes[0], to_label=codes[1])
    by_task = labelled.groupby([*keys, "task_id"], sort=True)["n"].sum().reset_index()
    found = by_task.groupby(keys, sort=True)["n"].agg(["sum", "size"]).reset_index()
    words = {name: _WORDS[terms][found[name].to_numpy()] for name in ("from_label", "to_label")}
    return found.assign(**words).rename(columns={"sum": "n", "size": "n_tasks"})


def _tasks(units: pd.DataFrame, rows: list[str], flag: str) -> pd.DataFrame:
    """How many tasks of each row have a unit that counts."""
    counted = units.assign(n_tasks=(units[flag] > 0).astype(np.int64))
    return counted.groupby(rows)["n_tasks"].sum().reset_index()


def _status(sizes: pd.Series, tasks: pd.Series) -> dict[str, Words]:
    """`unknown` where nothing counts; one task gives a value without interval over tasks."""
    nothing, one = (sizes == 0).to_numpy(), (tasks == 1).to_numpy()
    return {
        "status": np.where(nothing, "unknown", "ok").astype(object),
        "reason": none_if_blank(choose([nothing, one], ["empty", "one_task"])),
    }


MAKERS = {READ_FLIPS: read_flips, ORDER_EFFECTS: order_effects, READ_TRANSITIONS: read_transitions}
