"""A study to try analyses on before there is a real one: its tables, and what was planted.

It is no evidence about any language model; every row says `simulated` for its environment.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import pandas as pd

from draligned.measure.layout import DECIMALS
from draligned.measure.tables import build_tables
from draligned.schema.config import MeasureConfig
from draligned.simulate.beside import Panel, with_beside
from draligned.simulate.drawn import draw, generator
from draligned.simulate.expected import expected_d
from draligned.simulate.label_tables import Evaluator, Making, label_tables
from draligned.simulate.parameters import Scenario
from draligned.simulate.power import CHANNELS, Question, planted

HARNESS = "coupled"
PLANTED = "planted"
"""Name of the table that says what was planted."""


@dataclass(frozen=True, kw_only=True)
class Specimen:
    """A study as asked for: the question's shape, readability and faults, with one effect for each
    channel, the first of those that the question names."""

    question: Question
    requests: int = 8
    """Of each run."""
    evaluators: int = 1
    seed: int = 20260929

    @property
    def scenario(self) -> Scenario:
        """Both channels planted."""
        asked = self.question
        first = {c: asked.effects[c][0] for c in CHANNELS}
        finals = planted(asked, "F", first["F"])
        return replace(
            planted(asked, "A", first["A"]),
            name="specimen",
            finals=finals.finals,
            final_reader=finals.final_reader,
            min_requests=self.requests,
            max_requests=self.requests,
        )


def specimen_tables(
    asked: Specimen, config: MeasureConfig, *, only: Collection[str] | None = None
) -> dict[str, pd.DataFrame]:
    """Every table of measure that has a row, or of those the named ones alone; and `planted`."""
    scenario = asked.scenario
    drawn = draw(scenario, 1, generator("specimen", asked.seed))
    names = [f"simulated-{n + 1}" for n in range(asked.evaluators)]
    making = Making(
        seed=asked.seed,
        evaluators=[
            Evaluator(name=n, requests=scenario.request_reader, finals=scenario.final_reader)
            for n in names
        ],
        harnesses=[HARNESS],
    )
    inputs = with_beside(Panel(drawn=drawn, making=making, inputs=label_tables(drawn, making)))
    made = build_tables(inputs, config, ("D_A", "D_F"), evaluators=names, only=only)
    shares = asked.question.readability
    rows = [(f"D_{c}", round(expected_d(scenario, c), DECIMALS), shares[c]) for c in CHANNELS]
    truth = pd.DataFrame(rows, columns=["estimand", "planted", "readability"])
    return {PLANTED: truth} | {name: table for name, table in made.items() if len(table)}
