"""The main estimates again with one setting changed at a time (DESIGN §7, Q11, HARD_CASES 16)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pandas as pd

from draligned.measure import quantities as qs
from draligned.measure.bounds import Limits
from draligned.measure.contrasts import Group, estimates
from draligned.measure.documents import Policy
from draligned.measure.estimate import Settings
from draligned.measure.pairs import Pairing
from draligned.measure.panel import Panel, Quantity, Target
from draligned.schema.retrieval import ReturnStatus

POLICIES: tuple[Policy, ...] = ("block_none", "ignore", "block_all")
PAIRINGS: tuple[Pairing, ...] = ("first", "all_cross")
ANSWERED = (ReturnStatus.OK.value, ReturnStatus.EMPTY.value)


def core_targets(panel: Panel) -> list[Target]:
    """D_A, D_F over readable pairs, and pair readability."""
    wanted = ("readability_A", "readability_F")
    shares = [t for t in qs.readability(panel) if t.estimand in wanted]
    return [qs.d_a(panel).over(panel, "readable"), qs.d_f(panel).over(panel, "readable"), *shares]


def pair_weighted(panel: Panel) -> list[Target]:
    """D_A and D_F with every readable pair counting once."""
    return [replace(target, weighting="pair") for target in core_targets(panel)[:2]]


def _coded(name: str) -> Callable[[Panel], Sequence[Target]]:
    """Other codings of the same pairs: x_P − x_Q raw or halved; d_A halved."""

    def make(panel: Panel) -> list[Target]:
        d_a, d_f = qs.d_a(panel), qs.d_f(panel)
        raw = qs.raw_difference(panel)
        coded = {"raw": raw, "halved": halved(raw), "sign": d_f}
        chosen = [coded[name]] if name != "halved" else [coded[name], halved(d_a)]
        return [quantity.over(panel, "readable") for quantity in chosen]

    return make


def halved(quantity: Quantity) -> Quantity:
    """The quantity scaled to half its range."""

    def half(limits: Limits) -> Limits:
        return Limits(low=limits.low / 2, high=limits.high / 2)

    return replace(
        quantity,
        low=quantity.low / 2,
        high=quantity.high / 2,
        values=quantity.values / 2,
        sharp=half(quantity.sharp),
        opened=None if quantity.opened is None else half(quantity.opened),
    )


def sensitivity(
    panels_for: Callable[[Policy, Pairing, bool], Iterable[Group]],
    chosen: tuple[Policy, Pairing],
    settings: Settings,
) -> pd.DataFrame:
    """Rows with `setting` and `choice`. `panels_for(policy, pairing, answered_only)` makes panels
    of all models together; `chosen` = the study's own policy and pairing."""
    policy, pairing = chosen
    parts = []
    for other in POLICIES:
        under = replace(settings, unresolved_items=other)
        panels = panels_for(other, pairing, False)
        parts.append(_rows("unresolved_items", other, panels, core_targets, under))
    for way in PAIRINGS:
        under = replace(settings, pairing=way)
        parts.append(_rows("pairing", way, panels_for(policy, way, False), core_targets, under))
    own = panels_for(policy, pairing, False)
    answered = panels_for(policy, pairing, True)
    parts.append(_rows("requests", "all_executed", own, core_targets, settings))
    parts.append(_rows("requests", "answered_only", answered, core_targets, settings))
    parts.append(_rows("weighting", "pair", own, pair_weighted, settings))
    parts += [_rows("coding", c, own, _coded(c), settings) for c in ("sign", "raw", "halved")]
    return pd.concat(parts, ignore_index=True)


def _rows(
    setting: str,
    choice: str,
    panels: Iterable[Group],
    targets: Callable[[Panel], Sequence[Target]],
    settings: Settings,
) -> pd.DataFrame:
    rows = estimates(panels, targets, settings)
    return rows.assign(setting=setting, choice=choice)
