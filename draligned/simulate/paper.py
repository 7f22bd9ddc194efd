"""A study of the paper's size: for timing measure and for checking `verify`, not for estimates."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from draligned.schema.frames import MeasureInputs
from draligned.simulate.beside import Panel, with_beside
from draligned.simulate.drawn import draw, generator
from draligned.simulate.label_tables import Evaluator, Making, label_tables
from draligned.simulate.parameters import Reader, Shape, alike
from draligned.simulate.scenarios import PAPER

STARTED, COMPLETED = 1_732, 1_691
"""Runs started and completed in the paper's study."""

HARNESSES = ("coupled", "H-W", "H-D")
EVALUATORS = tuple(
    Evaluator(
        name=f"simulated-{name}",
        requests=Reader(abstain=alike(0.15), void=0.015, noise=noise),
        finals=Reader(abstain=alike(0.208), noise=noise),
    )
    for name, noise in (("a", 0.0), ("b", 0.02), ("c", 0.05))
)


def paper_sized(
    seed: int = 0, requests: int = 60, evaluators: int = 3, share: float = 0.1
) -> MeasureInputs:
    """Label tables of 1,732 runs (24 tasks × 5 models × 3 harnesses × 2 arms, twice, and 146 of
    the pairs a third time) with `requests` requests each, read by `evaluators` evaluators in
    both orientations; 41 runs failed. Beside them stand edits, visits, sentinels, and sets of a
    `share` of the pairs. It is no evidence about any language model.
    """
    scenario = replace(
        PAPER,
        name="paper sized",
        shape=Shape(tasks=24, models=5, replicates=3),
        min_requests=requests,
        max_requests=requests,
    )
    drawn = draw(scenario, len(HARNESSES), generator("paper sized", seed))
    kept = _started(drawn.runs.replicate)
    making = Making(
        seed=seed,
        evaluators=EVALUATORS[:evaluators],
        harnesses=HARNESSES,
        kept=kept,
        failed=_failed(kept, seed),
    )
    panel = Panel(drawn=drawn, making=making, inputs=label_tables(drawn, making))
    return with_beside(panel, share)


def _started(replicate: NDArray[np.intp]) -> NDArray[np.bool_]:
    """All first and second runs, and of the third ones as many as make the number full."""
    third = np.flatnonzero(replicate == 2)
    kept = replicate < 2
    kept[third[: STARTED - int(kept.sum())]] = True
    return kept


def _failed(kept: NDArray[np.bool_], seed: int) -> NDArray[np.bool_]:
    failed = np.zeros(len(kept), dtype=bool)
    chosen = generator("failed", seed).choice(
        np.flatnonzero(kept), size=STARTED - COMPLETED, replace=False
    )
    failed[chosen] = True
    return failed
