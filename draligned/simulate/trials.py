"""Many simulated studies of one scenario, each measured by measure's own functions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from draligned.measure.estimate import Row, Settings, estimate
from draligned.measure.pairs import Pairing
from draligned.measure.panel import Panel
from draligned.simulate.drawn import draw, generator, read_finals, read_requests
from draligned.simulate.expected import expected_d
from draligned.simulate.panels import (
    ChannelName,
    Values,
    final_values,
    panel_of,
    request_values,
    target,
)
from draligned.simulate.parameters import Scenario

BLOCK = 100
"""Studies drawn and measured at once: a bootstrap of 10,000 draws of them takes 50 MB."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Trials:
    """How many studies, and how each is measured."""

    studies: int
    seed: int = 20260929
    draws: int = 10_000
    pairing: Pairing = "first"
    channels: tuple[ChannelName, ...] = ("A", "F")
    populations: tuple[str, ...] = ("readable", "planned")


Source = Callable[[int, int], Iterator[tuple[Values, float]]]
"""Makes blocks: values of each channel and their expectation, by first study and size."""


def run_trials(
    scenario: Scenario, trials: Trials, progress: Progress | None = None
) -> pd.DataFrame:
    """Studies of a scenario, measured: see `measure_trials`."""

    def source(start: int, size: int) -> Iterator[tuple[Values, float]]:
        rng = generator("trials", scenario.name, trials.seed, start)
        drawn = draw(scenario, size, rng)
        requests = read_requests(drawn, scenario.request_reader, rng)
        finals = read_finals(drawn, scenario.final_reader, rng)
        if "A" in trials.channels:
            yield request_values(drawn, requests, trials.pairing), expected_d(scenario, "A")
        if "F" in trials.channels:
            yield final_values(drawn, finals, trials.pairing), expected_d(scenario, "F")

    each = 1 if trials.pairing == "first" else scenario.shape.replicates**2
    panel = panel_of(scenario.shape, each)
    return measure_trials(source, panel, trials, scenario.name, progress)


def measure_trials(
    source: Source, panel: Panel, trials: Trials, name: str, progress: Progress | None = None
) -> pd.DataFrame:
    """One row per study × channel × population: measure's row of the estimate, with `study`,
    `truth` (expected d), `actual` (mean of the panel's own d, all read right) and `readable`
    (share of planned pairs). The same for the same source and seed."""
    rows: list[Row] = []
    for start in range(0, trials.studies, BLOCK):
        size = min(BLOCK, trials.studies - start)
        for values, truth in source(start, size):
            rows += _measured(values, panel, truth, trials, start)
        if progress is not None:
            progress(name, start + size, trials.studies)
    return pd.DataFrame(rows)


def _measured(values: Values, panel: Panel, truth: float, trials: Trials, start: int) -> list[Row]:
    settings = Settings(seed=trials.seed, draws=trials.draws)
    sizes = np.bincount(panel.tasks)
    actual = (values.actual / (sizes[panel.tasks] * panel.n_tasks)).sum(axis=1)
    readable = values.readable.mean(axis=1)
    rows = []
    for population in trials.populations:
        targets = [target(values, k, population) for k in range(len(values.d))]
        for k, row in enumerate(estimate(panel, targets, settings)):
            facts: Row = {"study": start + k, "truth": truth, "actual": float(actual[k])}
            rows.append(row | facts | {"readable": float(readable[k])})
    return rows
