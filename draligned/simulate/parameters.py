"""What is planted in simulated studies of any size: design, behaviour and reading.

No model and no text stands behind such a study: it shows how the measures behave when the
truth is known, and is no evidence about any language model (DESIGN §9).
"""

from dataclasses import dataclass
from typing import Literal

Condition = Literal["panel", "aa"]
"""`aa`: both runs of a pair are of the P condition (A/A), so that nothing differs."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What is planned: a pair for each task × model, `replicates` runs in each arm."""

    tasks: int = 24
    models: int = 5
    replicates: int = 1
    tasks_per_user: int = 2
    excluded: int = 0
    """Cells of task × model that are left out of the panel, as the paper leaves out 10 of 120."""


@dataclass(frozen=True, kw_only=True)
class Leaning:
    """How units (requests, or finals) lean, relative to the run's own endpoint.

    A unit is directional with a rate that varies from user to user, task to task, cell to cell
    and run to run, each level drawn from a beta distribution round the level above, so that the
    mean stays `rate`. A greater concentration is less variation; none is no variation. A
    directional unit leans to the own endpoint with probability `own`, which varies by task
    (`own_task`, a concentration) and by model (`own_model`: own ± that much, half of the models
    each).
    """

    rate: float
    own: float
    both: float = 0.0
    """Of units that are not directional, those that lean to both endpoints."""
    user: float | None = None
    task: float | None = None
    cell: float | None = None
    run: float | None = None
    own_task: float | None = None
    own_model: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ByState:
    """A probability for each state of a unit, relative to the run's own endpoint."""

    none: float = 0.0
    other: float = 0.0
    own: float = 0.0
    both: float = 0.0


NEVER = ByState()


def alike(probability: float) -> ByState:
    """The same in every state: at random."""
    return ByState(none=probability, other=probability, own=probability, both=probability)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """How an evaluator reads units of one kind. Probabilities per unit, or per read."""

    abstain: ByState = NEVER
    """Per unit: one of the two mirrored reads says nothing."""
    void: float = 0.0
    """Per read: it is void."""
    error: float = 0.0
    """Per unit: every read takes the own endpoint for the other one."""
    noise: float = 0.0
    """Per read: some other label than the right one, drawn evenly."""
    slot_bias: float = 0.0
    """Per unit: every read says ALPHA, whichever endpoint stands there."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A study as planned, run and read."""

    name: str
    shape: Shape = Shape()
    requests: Leaning
    finals: Leaning
    min_requests: int = 4
    max_requests: int = 12
    """Requests of a run: evenly between the two, both included."""
    silent: ByState = NEVER
    """Per run: none of its requests can be identified; by the sign of own less other requests
    (`both` is not used: a run's sign is own, other or none)."""
    request_reader: Reader = Reader()
    final_reader: Reader = Reader()
    condition: Condition = "panel"
