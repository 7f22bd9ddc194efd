"""Many studies of one scenario, drawn as arrays: what runs do and what evaluators read in it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from draligned.schema.base import short_id
from draligned.simulate.behaviour import Leans, leans, rates, signs
from draligned.simulate.grid import Grid, grid
from draligned.simulate.parameters import Reader, Scenario
from draligned.simulate.reading import Flags, Reads, by_state, read_units


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Runs, their requests (`run`: place in `runs` of each) and one final each."""

    scenario: Scenario
    runs: Grid
    run: NDArray[np.intp]
    requests: Leans
    finals: Leans
    silent: Flags
    own_first: Flags
    """Of each run: its endpoint stands in ALPHA in first reads."""

    @property
    def sign(self) -> NDArray[np.int8]:
        """+1 for runs told P, −1 for runs told Q: own is P for the one and Q for the other."""
        if self.scenario.condition == "aa":
            return np.ones(len(self.runs), dtype=np.int8)
        return (1 - 2 * self.runs.arm).astype(np.int8)


def generator(name: str, *parts: str | int) -> np.random.Generator:
    """A generator of its own for what `parts` name."""
    return np.random.Generator(np.random.PCG64(int(short_id("simulate", name, *parts), 16)))


def draw(scenario: Scenario, studies: int, rng: np.random.Generator) -> Drawn:
    """`studies` independent studies."""
    runs = grid(scenario.shape, studies)
    asked = rates(scenario.requests, runs, rng)
    sizes = rng.integers(scenario.min_requests, scenario.max_requests + 1, size=len(runs))
    run = np.repeat(np.arange(len(runs)), sizes)
    requests = leans(asked.directional[run], asked.own[run], scenario.requests.both, rng)
    written = rates(scenario.finals, runs, rng)
    finals = leans(written.directional, written.own, scenario.finals.both, rng)
    silent = rng.random(len(runs)) < by_state(scenario.silent, signs(run, requests, len(runs)))
    return Drawn(
        scenario=scenario,
        runs=runs,
        run=run,
        requests=requests,
        finals=finals,
        silent=silent,
        own_first=rng.random(len(runs)) < 0.5,
    )


def read_requests(drawn: Drawn, reader: Reader, rng: np.random.Generator) -> Reads:
    """One evaluator's reads of all requests."""
    of = drawn.run
    return read_units(reader, drawn.requests, drawn.own_first[of], drawn.silent[of], rng)


def read_finals(drawn: Drawn, reader: Reader, rng: np.random.Generator) -> Reads:
    """One evaluator's reads of all finals."""
    nobody = np.zeros(len(drawn.finals), dtype=bool)
    return read_units(reader, drawn.finals, drawn.own_first, nobody, rng)
