"""Printed values come back from planted counts, through parser, score and statistics."""

import pytest

from draligned.progress.corruption import require_tight
from draligned.progress.designs import design
from draligned.progress.frame import scored
from draligned.progress.metrics import clean, counts
from draligned.progress.statistics import Settings, difference, shares, tabulate
from draligned.schema.progress import Arm, Stage, StageDesign
from tests.progress.planted import DEPLOYMENTS, by_profile

TABLE_2 = {
    "deepseek-v4-flash": (31.5, 18.8, 15.6, 66.2, -44.3),
    "deepseek-v4-pro": (81.9, 5.8, 14.0, 75.0, -41.1),
    "glm-5.1": (62.5, 4.2, 6.7, 59.0, -34.5),
    "gpt-5.5": (57.7, 58.2, 34.5, 54.4, -4.2),
    "qwen3.5-122b-a10b": (83.5, 0.0, 0.0, 66.2, -38.4),
    "qwen3.5-35b-a3b": (21.7, 1.2, 2.9, 97.9, -89.3),
    "qwen3.6-27b": (70.2, 0.8, 4.6, 54.6, -29.4),
}
"""Printed θ in % at wait, ready, step and done, and Δ in points."""


def baseline() -> StageDesign:
    known = design("stage")
    kept = tuple(s for s in known.stimuli if s.arm is Arm.BASELINE and s.required.duty)
    return known.model_copy(update={"stimuli": kept})


@pytest.mark.parametrize("letter", DEPLOYMENTS)
def test_table_2_comes_back_to_the_printed_digit(letter: str) -> None:
    """SI-23, SI-33: θ at each checkpoint and Δ; intervals cannot be recomputed from counts."""
    known = baseline()
    stored = list(by_profile(known, letter))
    require_tight(known, stored)
    frame = scored(known, stored)
    rows = shares(tabulate(counts(frame, ["point"]), ["point", "metric"]), ["point", "metric"],
                  Settings(draws=200)).set_index(["point", "metric"])  # fmt: skip
    *theta, delta = TABLE_2[DEPLOYMENTS[letter]]
    for point, printed in zip(("wait", "ready", "step", "done"), theta, strict=True):
        found = 100 * rows.loc[(point, "theta"), "share"]
        assert found == pytest.approx(printed, abs=0.05 + 1e-9)
    frame["terminal"] = frame["stage"] == Stage.COMPLETED.value
    cells = tabulate(counts(frame, ["terminal"]), ["terminal", "metric"])
    gap = difference(cells, (False, "theta"), (True, "theta"), Settings(draws=200))
    assert gap is not None
    assert 100 * gap.value == pytest.approx(delta, abs=0.05 + 1e-9)
    assert gap.n_scenarios == 12
    assert clean(frame).sum() > 0
