"""Scenarios in which the measures are tried; rates near those that the paper prints."""

from dataclasses import replace
from typing import Literal

from draligned.simulate.parameters import ByState, Leaning, Reader, Scenario, Shape, alike

Missing = Literal["random", "state"]

REQUESTS = Leaning(rate=0.125, own=0.8, both=0.02, task=3.8, cell=20.0, own_model=0.05)
FINALS = Leaning(rate=0.615, own=1.0, task=9.8)

PAPER = Scenario(
    name="paper",
    requests=REQUESTS,
    finals=FINALS,
    silent=alike(0.11),
    request_reader=Reader(abstain=alike(0.15), void=0.015),
    final_reader=Reader(abstain=alike(0.208)),
)
"""Near D_A 0.15 and D_F 0.83, with intervals as wide as the paper's and 79 % and 63 % of pairs
readable, missing at random."""

BY_STATE = replace(
    PAPER,
    name="by state",
    silent=ByState(none=0.16, other=0.3, own=0.03),
    final_reader=Reader(abstain=ByState(none=0.36, other=0.36, own=0.11, both=0.36)),
)
"""As many pairs readable, but runs that lean to their own endpoint more often than others."""

BY_REQUEST = replace(
    PAPER,
    name="by request",
    silent=alike(0.0),
    request_reader=Reader(abstain=ByState(none=0.3, other=0.3, own=0.05, both=0.3)),
)
"""Single requests are identified more often when they lean to the run's own endpoint."""

NULL = replace(
    PAPER,
    name="null",
    requests=replace(REQUESTS, own=0.5, own_task=8.0),
    finals=replace(FINALS, own=0.5, own_task=8.0),
)
"""No difference on average; tasks differ, in either direction."""

AA = replace(PAPER, name="A/A", condition="aa")
"""Both runs of a pair are of one condition."""

SPARSE = replace(
    PAPER, name="sparse", silent=alike(0.4515), final_reader=Reader(abstain=alike(0.4523))
)
"""Three pairs of ten readable in each channel."""

USERS = replace(
    PAPER,
    name="users",
    requests=replace(REQUESTS, user=12.0, task=6.0),
    finals=replace(FINALS, user=20.0, task=20.0),
)
"""The two tasks of a user are alike: tasks are not independent, as the task bootstrap assumes."""


def shaped(scenario: Scenario, tasks: int, models: int = 5, excluded: int = 0) -> Scenario:
    """The scenario with other numbers of tasks and models."""
    return replace(scenario, shape=Shape(tasks=tasks, models=models, excluded=excluded))
