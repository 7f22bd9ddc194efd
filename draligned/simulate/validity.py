"""The studies behind docs/validity.md: which scenarios are tried, and what each is to show."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from draligned.simulate.parameters import Leaning, Reader, Scenario, alike
from draligned.simulate.power import EFFECTS, READABILITY, Question, power_table
from draligned.simulate.scenarios import (
    AA,
    BY_REQUEST,
    BY_STATE,
    FINALS,
    NULL,
    PAPER,
    SPARSE,
    USERS,
    shaped,
)
from draligned.simulate.trials import Progress, Trials, run_trials

CLUSTERS = (12, 24, 50)
"""Numbers of tasks at which coverage is tabulated."""


MAIN = ("panel", "clusters", "aa")
"""Tables whose scenarios are tried in full; those of the others take a quarter of the studies."""
_PLANNED = ("panel", "harder")
"""Tables that show the interval of all planned pairs too."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A scenario in one table of the page."""

    table: str
    design: str
    scenario: Scenario

    def trials(self, studies: int, draws: int) -> Trials:
        """How it is tried."""
        return Trials(
            studies=studies if self.table in MAIN else max(1, studies // 4),
            draws=draws,
            populations=("readable", "planned") if self.table in _PLANNED else ("readable",),
        )


def _panels() -> Iterator[Case]:
    """Shaped like the paper's panel of 110: 120 − 10 cells, and 22 × 5."""
    for scenario in (PAPER, BY_STATE, NULL):
        yield Case(table="panel", design="120 − 10", scenario=shaped(scenario, 24, excluded=10))
        yield Case(table="panel", design="22 × 5", scenario=shaped(scenario, 22))


def _clusters() -> Iterator[Case]:
    for scenario in (PAPER, NULL, SPARSE):
        for tasks in CLUSTERS:
            yield Case(table="clusters", design=f"{tasks} × 5", scenario=shaped(scenario, tasks))


_CEILING = replace(
    PAPER,
    name="ceiling",
    requests=Leaning(rate=0.02, own=1.0, task=3.8),
    finals=replace(FINALS, rate=0.85),
)
"""Nearly all finals of their own endpoint, nearly no directional request."""


def _harder() -> Iterator[Case]:
    """Where the intervals are known to be in trouble: printed, not hidden."""
    for scenario in (USERS, _CEILING):
        for tasks in CLUSTERS:
            yield Case(table="harder", design=f"{tasks} × 5", scenario=shaped(scenario, tasks))
    yield Case(table="harder", design="24 × 5", scenario=shaped(BY_REQUEST, 24))
    yield Case(table="harder", design="8 × 2", scenario=shaped(PAPER, 8, 2))


def _same() -> Iterator[Case]:
    for tasks in CLUSTERS:
        yield Case(table="aa", design=f"{tasks} × 5", scenario=shaped(AA, tasks))


_FAULTS = (
    ("none", Reader()),
    ("error 5 %", Reader(error=0.05)),
    ("error 10 %", Reader(error=0.1)),
    ("noise 5 %", Reader(noise=0.05)),
    ("noise 20 %", Reader(noise=0.2)),
    ("slot bias 5 %", Reader(slot_bias=0.05)),
    ("slot bias 20 %", Reader(slot_bias=0.2)),
    ("abstention 30 %", Reader(abstain=alike(0.3))),
    ("abstention 60 %", Reader(abstain=alike(0.6))),
)


def _readers() -> Iterator[Case]:
    """One fault of the evaluator at a time, all else read."""
    base = replace(shaped(PAPER, 24), silent=alike(0.0))
    for name, reader in _FAULTS:
        scenario = replace(base, name=name, request_reader=reader, final_reader=reader)
        yield Case(table="readers", design="24 × 5", scenario=scenario)
    biased = Reader(slot_bias=0.2)
    same = replace(base, name="slot bias 20 %, A/A", condition="aa")
    yield Case(
        table="readers",
        design="24 × 5",
        scenario=replace(same, request_reader=biased, final_reader=biased),
    )


def cases() -> tuple[Case, ...]:
    """All that the page is made from, in its order."""
    return (*_panels(), *_clusters(), *_harder(), *_same(), *_readers())


def try_all(studies: int, draws: int, progress: Progress | None = None) -> pd.DataFrame:
    """Trials of every case, with `table`, `design` and `scenario`."""
    parts = []
    for number, case in enumerate(cases(), start=1):
        made = run_trials(case.scenario, case.trials(studies, draws))
        parts.append(made.assign(table=case.table, design=case.design, scenario=case.scenario.name))
        if progress is not None:
            progress("scenarios", number, len(cases()))
    return pd.concat(parts, ignore_index=True)


def power_tables(studies: int, draws: int, progress: Progress | None = None) -> pd.DataFrame:
    """`power_table` of several studies that one may think of, with `study` naming each."""
    base = Question(readability=READABILITY, effects=EFFECTS)
    asked = {
        "12 × 5": replace(base, tasks=12),
        "24 × 5": base,
        "24 × 2": replace(base, models=2),
        "24 × 2, 3 runs an arm": replace(base, models=2, replicates=3),
        "50 × 5": replace(base, tasks=50),
        "24 × 5, by state": replace(base, missing="state"),
        "24 × 5, all readable": replace(base, readability={"A": 1.0, "F": 1.0}),
    }
    parts = []
    for number, (name, question) in enumerate(asked.items(), start=1):
        made = power_table(question, Trials(studies=studies, draws=draws))
        parts.append(made.assign(study=name))
        if progress is not None:
            progress("power", number, len(asked))
    return pd.concat(parts, ignore_index=True)
