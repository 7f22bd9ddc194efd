"""What a scenario's estimates are expected to be; shares no code with measure.

With rates drawn level by level from beta distributions, the mean stays the rate r, and each level
of concentration k leaves k / (k + 1) of r (1 − r) as the mean of r' (1 − r').
"""

from draligned.simulate.parameters import Leaning, Scenario


def expected_d(scenario: Scenario, channel: str) -> float:
    """The expectation of d over all tasks and models that might have been drawn, all read right.

    d_A: twice the excess of own over other requests. d_F, with two independent finals of rate r
    in a cell: (2 own − 1) (2 r − r²). In an A/A study it is 0.
    """
    if scenario.condition == "aa":
        return 0.0
    leaning = scenario.requests if channel == "A" else scenario.finals
    lead = 2 * leaning.own - 1
    if channel == "A":
        return 2 * leaning.rate * lead
    return lead * (leaning.rate + _left(leaning))


def _left(leaning: Leaning) -> float:
    """The mean of r (1 − r) over cells."""
    left = leaning.rate * (1 - leaning.rate)
    for concentration in (leaning.user, leaning.task, leaning.cell):
        if concentration is not None:
            left *= concentration / (concentration + 1)
    return left
