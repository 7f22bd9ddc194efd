"""Estimates over the sets beside the panel: A/A, neutral arm, two factors. None is pooled with it.

A/A: D between two runs of one condition is what is left when no fact differs. Neutral arm: where
behaviour leans when nothing is told, and what telling P, or Q, adds to that. Two factors: D of the
first factor with the second as recorded (primary) or counterfactual (complementary) (DR-13).
"""

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from draligned.measure import quantities as qs
from draligned.measure.columns import ESTIMATE_COLUMNS
from draligned.measure.contrasts import estimates, groups, main_targets
from draligned.measure.layout import GROUP, Columns, Table, typed
from draligned.measure.made import Made
from draligned.measure.pairs import CELL, build_pairs
from draligned.measure.panel import Panel, Target, arms
from draligned.schema.frames import InputSet
from draligned.schema.labels import Side

AA_ESTIMATES = Table(
    name="aa_estimates",
    columns=ESTIMATE_COLUMNS,
    keys=(*GROUP, "estimand", "population"),
)
"""The main estimates over A/A pairs, laid out as `estimates`: the first P run stands as P, another
run of the same condition as Q, so D is around zero. `m_Q` and `x_Q` are of that other run, towards
the same P and Q; `share_dF_positive` has a half of what differs, not of all, as its null."""

_COMPARED: Columns = (*typed("string", "comparison"), *ESTIMATE_COLUMNS)

NEUTRAL_ESTIMATES = Table(
    name="neutral_estimates",
    columns=_COMPARED,
    keys=("comparison", *GROUP, "estimand", "population"),
)
"""Pairs that have a neutral run too, told nothing of the factor. `comparison` says what is taken
from what: `p_neutral`, `neutral_q`, or `p_q`, the same pairs without it; in `neutral` stand
`m_neutral` and `x_neutral`, the lean of the untold runs towards P (above 0) or Q (below 0)."""

TWO_FACTOR_ESTIMATES = Table(
    name="two_factor_estimates",
    columns=_COMPARED,
    keys=("comparison", *GROUP, "estimand", "population"),
)
"""The main estimates of the first factor of two-factor tasks. `comparison`: `primary` (the second
factor as recorded) or `complementary` (the second one counterfactual); they are not pooled."""

COMPARISONS = {
    InputSet.TWO_FACTOR_PRIMARY: "primary",
    InputSet.TWO_FACTOR_COMPLEMENTARY: "complementary",
}


def aa_estimates(made: Made) -> pd.DataFrame:
    """Rows of `AA_ESTIMATES`, unsorted."""
    own = made.sets.get(InputSet.AA)
    if own is None:
        return _none(ESTIMATE_COLUMNS)
    return estimates(own.panels, main_targets, own.settings)


def two_factor_estimates(made: Made) -> pd.DataFrame:
    """Rows of `TWO_FACTOR_ESTIMATES`, unsorted."""
    parts = [
        estimates(own.panels, main_targets, own.settings).assign(comparison=word)
        for name, word in COMPARISONS.items()
        if (own := made.sets.get(name)) is not None
    ]
    return pd.concat(parts, ignore_index=True) if parts else _none(_COMPARED)


def neutral_estimates(made: Made) -> pd.DataFrame:
    """Rows of `NEUTRAL_ESTIMATES`, unsorted."""
    own = made.sets.get(InputSet.NEUTRAL)
    if own is None:
        return _none(_COMPARED)
    settings = replace(made.settings, pairing="first")
    panels = {
        name: groups(build_pairs(rows, "first")) for name, rows in _crossed(made.matrix, own.matrix)
    }
    parts = [estimates(own, core, settings).assign(comparison=name) for name, own in panels.items()]
    levels = estimates(panels["p_neutral"], neutral_levels, settings)
    return pd.concat([*parts, levels.assign(comparison="neutral")], ignore_index=True)


def core(panel: Panel) -> list[Target]:
    """D_A and D_F over readable and over planned pairs."""
    both = (qs.d_a(panel), qs.d_f(panel))
    return [quantity.over(panel, p) for quantity in both for p in ("readable", "planned")]


def neutral_levels(panel: Panel) -> list[Target]:
    """Mean readouts of the untold runs, which stand as arm Q: zero is no lean."""
    return [_level(panel, column, channel) for column, channel in (("m", "A"), ("x", "F"))]


def _level(panel: Panel, column: str, channel: str) -> Target:
    readable = panel.arm_readable(channel, "q")
    return Target(
        estimand=f"{column}_neutral",
        channel=channel,
        operator=None,
        population="readable",
        low=-1.0,
        high=1.0,
        values=panel.floats(f"{column}_q"),
        readable=readable,
        member=readable | True,
        read_p=panel.arm_readable(channel, "p"),
        read_q=readable,
        contrast=True,
        sharp=arms(panel, column, channel)[1],
    )


def _crossed(panel: pd.DataFrame, neutral: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Matrices of pairs in which the neutral run takes the place of an arm, and of none."""
    same = [*CELL, "evaluator"]
    told = panel.merge(neutral[same].drop_duplicates(), on=same)
    p, q = (told[told["arm"] == side.value] for side in Side)
    yield "p_q", told
    yield "p_neutral", pd.concat([p, neutral.assign(arm=Side.Q.value)], ignore_index=True)
    yield "neutral_q", pd.concat([neutral.assign(arm=Side.P.value), q], ignore_index=True)


def _none(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame(columns=[name for name, _ in columns])


MAKERS = {
    AA_ESTIMATES: aa_estimates,
    NEUTRAL_ESTIMATES: neutral_estimates,
    TWO_FACTOR_ESTIMATES: two_factor_estimates,
}
