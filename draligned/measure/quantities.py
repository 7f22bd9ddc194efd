"""The numbers of a pair: the 2×2 of operator × channel, and arm levels (DR-83, DR-84, Q11).

requests × mean = d_A; finals × sign-of-OR = d_F; requests × sign-of-OR = sign of the difference
of the ORs over identified requests; finals × mean = difference of mean x over resolved main
items. Ranges ±2, ±1, ±1, ±2: the operators are not on one scale (DR-77).
"""

from collections.abc import Iterator

import numpy as np

from draligned.measure import bounds
from draligned.measure.panel import Panel, Quantity, Target, arms, members, open_arms

REQUESTS_MEAN = "requests_mean"
FINALS_SIGN = "finals_sign_of_or"
REQUESTS_SIGN = "requests_sign_of_or"
FINALS_MEAN = "finals_mean"


def d_a(panel: Panel) -> Quantity:
    """Difference of the arms' mean request readouts."""
    return Quantity(
        estimand="D_A",
        channel="A",
        operator=REQUESTS_MEAN,
        low=-2.0,
        high=2.0,
        values=panel.floats("d_a"),
        contrast=True,
        sharp=bounds.difference(*arms(panel, "m", "A")),
        opened=bounds.difference(*open_arms(panel)),
    )


def d_f(panel: Panel) -> Quantity:
    """Sign of the difference of the finals' readouts."""
    return _plain(panel, "D_F", "F", FINALS_SIGN, "d_f", "x", sign=True)


def requests_sign(panel: Panel) -> Quantity:
    """Sign of the difference of the requests' ORs."""
    return _plain(panel, "D_A_sign", "A", REQUESTS_SIGN, "d_requests_sign", "acq_x", sign=True)


def finals_mean(panel: Panel) -> Quantity:
    """Difference of mean x over resolved main items."""
    return _plain(panel, "D_F_mean", "F", FINALS_MEAN, "d_finals_mean", "x_items", sign=False)


def _plain(
    panel: Panel, estimand: str, channel: str, operator: str, column: str, arm: str, *, sign: bool
) -> Quantity:
    top = 1.0 if sign else 2.0
    return Quantity(
        estimand=estimand,
        channel=channel,
        operator=operator,
        low=-top,
        high=top,
        values=panel.floats(column),
        contrast=True,
        sharp=bounds.difference(*arms(panel, arm, channel), sign=sign),
    )


def raw_difference(panel: Panel) -> Quantity:
    """x_P − x_Q of the finals without taking its sign (Q11)."""
    return _plain(panel, "D_F", "F", FINALS_SIGN, "d_f_raw", "x", sign=False)


def arm_levels(panel: Panel) -> Iterator[Quantity]:
    """m_P, m_Q, x_P, x_Q over the pairs whose channel is readable, so that they add up."""
    for column, channel in (("m", "A"), ("x", "F")):
        for side, limits in zip("pq", arms(panel, column, channel), strict=True):
            yield Quantity(
                estimand=f"{column}_{side.upper()}",
                channel=channel,
                operator=None,
                low=-1.0,
                high=1.0,
                values=panel.floats(f"{column}_{side}"),
                contrast=False,
                sharp=limits,
            )


def share_positive(panel: Panel, population: str) -> Target:
    """Share of readable finals that differ in the assigned direction (27/28 in DR-90)."""
    return Target(
        estimand="share_dF_positive",
        channel="F",
        operator=FINALS_SIGN,
        population=population,
        low=0.0,
        high=1.0,
        values=(panel.floats("d_f") > 0).astype(np.float64),
        readable=panel.f,
        member=members(panel, population),
        read_p=panel.arm_readable("F", "p"),
        read_q=panel.arm_readable("F", "q"),
        weighting="pair",
        binomial=True,
    )


def readability(panel: Panel) -> Iterator[Target]:
    """Share of planned pairs, and of planned arms, whose channel is readable."""
    for channel, both in (("A", panel.a), ("F", panel.f)):
        flags = {"": both, "_P": panel.arm_readable(channel, "p")}
        flags["_Q"] = panel.arm_readable(channel, "q")
        for suffix, readable in flags.items():
            yield Target(
                estimand=f"readability_{channel}{suffix}",
                channel=channel,
                operator=None,
                population="planned",
                low=0.0,
                high=1.0,
                values=readable.astype(np.float64),
                readable=np.ones(len(readable), dtype=bool),
                member=np.ones(len(readable), dtype=bool),
                read_p=flags["_P"],
                read_q=flags["_Q"],
                weighting="pair",
                n_readable=int(readable.sum()),
            )
