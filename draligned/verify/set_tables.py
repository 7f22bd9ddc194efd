"""Estimates over the sets beside the panel, made anew: A/A, neutral arm, two factors, placebo."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from draligned.verify import panels as ps
from draligned.verify.arms import Arm
from draligned.verify.compare import Own
from draligned.verify.estimates import COLUMNS, LOOSE, Cells, Targets, rows_of
from draligned.verify.pairs import Pair, cell_of, pairs_of
from draligned.verify.panels import Panel, Target
from draligned.verify.study import Study

KEYS = ("evaluator", "harness", "model", "estimand", "population")


def _plain(name: str, study: Study, set_name: str) -> Own:
    own = study.sets.get(set_name)
    rows = rows_of(own, own.pairs(), ps.main_targets, {}) if own else iter(())
    return _own(name, rows, KEYS)


def _own(name: str, rows: Iterator[Cells], keys: tuple[str, ...], *more: str) -> Own:
    columns = (*more, *COLUMNS)
    made = [tuple(row.get(c) for c in columns) for row in rows]
    return Own(name=name, columns=columns, keys=keys, rows=made, loose=LOOSE)


def aa_estimates(study: Study) -> Own:
    """A/A pairs."""
    return _plain("aa_estimates", study, "aa")


def placebo_estimates(study: Study) -> Own:
    """Pairs on a factor of another task."""
    return _plain("placebo_estimates", study, "placebo")


def two_factor_estimates(study: Study) -> Own:
    """The first factor of two-factor tasks, by the side of the second."""
    words = ("primary", "complementary")
    sets = [(word, study.sets.get(f"two_factor_{word}")) for word in words]
    rows = (
        row | {"comparison": word}
        for word, own in sets
        if own
        for row in rows_of(own, own.pairs(), ps.main_targets, {})
    )
    return _own("two_factor_estimates", rows, ("comparison", *KEYS), "comparison")


def neutral_estimates(study: Study) -> Own:
    """Pairs with a neutral run in the place of an arm, and of none."""
    return _own("neutral_estimates", _neutral(study), ("comparison", *KEYS), "comparison")


def _neutral(study: Study) -> Iterator[Cells]:
    own = study.sets.get("neutral")
    if own is None:
        return
    places = {(cell_of(a), a.evaluator) for a in own.arms()}
    told = [a for a in study.arms() if (cell_of(a), a.evaluator) in places]
    p, q = ([a for a in told if a.side == side] for side in "PQ")
    untold = {side: [_as(a, side) for a in own.arms()] for side in "PQ"}
    pairs: dict[str, list[Pair]] = {
        "p_q": pairs_of(told, "first"),
        "p_neutral": pairs_of([*p, *untold["Q"]], "first"),
        "neutral_q": pairs_of([*untold["P"], *q], "first"),
    }
    said: dict[str, Any] = {"pairing": "first"}
    todo: list[tuple[str, str, Targets]] = [(name, name, _core) for name in pairs]
    for name, of, targets in (*todo, ("neutral", "p_neutral", _levels)):
        for row in rows_of(study, pairs[of], targets, said):
            yield row | {"comparison": name}


def _as(arm: Arm, side: str) -> Arm:
    """A neutral run standing in for a side; states stay relative to nothing that is compared."""
    return replace(arm, side=side)


def _core(panel: Panel) -> Iterator[Target]:
    for target in (ps.d_a(panel), ps.d_f(panel)):
        for population in ("readable", "planned"):
            yield ps.over(panel, target, population)


def _levels(panel: Panel) -> Iterator[Target]:
    """Lean of the untold runs, which stand as Q."""
    for read, channel in (("m", "A"), ("x", "F")):
        known = panel.read(channel.lower(), "q")
        yield Target(
            estimand=f"{read}_neutral", channel=channel, operator=None, population="readable",
            ends=(-1.0, 1.0), values=ps.arm_values(panel, read, "q"), readable=known,
            member=np.ones(len(panel.pairs), dtype=bool), contrast=True,
            sharp=ps.arm_limits(panel, read, channel.lower(), "q"),
        )  # fmt: skip
